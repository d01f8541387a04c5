//! The worker for Ruby as a person drives it by hand, and every way in which its interpreter, its environment or its child
//! processes can fail.

mod interpreters_support;

use std::{fs, path::Path};

use interpreters_support::{
    Worker, batch, command, endless, found, group_is_empty,
    operations::{burn, computing_and_waiting, everyday, gives_the_same, resize_upside_down, sqlite},
    services, wait_until, with, with_few_descriptors,
};
use nix::sys::signal::{Signal, kill};
use protocol::{PARENT_PID_VARIABLE, Reply};
use serde_json::json;
use tempfile::TempDir;

const WORKER: &str = "ruby/worker.rb";
const MODELS: [&str; 3] = ["sequential", "threads", "processes"];

/// The models of this Ruby, if there is one. Without one a test is skipped.
fn models() -> Option<Vec<&'static str>> {
    let found = found::ruby().filter(|(version, _)| version[..2] >= [2, 7][..]);
    if found.is_none() {
        eprintln!("skipped: there is no Ruby 2.7 or later here; apt-get install ruby");
    }
    let (version, _) = found?;
    Some(MODELS.into_iter().chain((version[0] >= 3).then_some("ractors")).collect())
}

fn ruby() -> Worker {
    Worker::start(command(Path::new("ruby"), WORKER))
}

/// A Ruby that runs some code of ours before the worker.
fn ruby_with(code: &str) -> (Worker, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("before.rb");
    fs::write(&file, code).unwrap();
    let mut command = command(Path::new("ruby"), WORKER);
    command.env("RUBYOPT", format!("-r{}", file.display()));
    (Worker::start(command), folder)
}

#[test]
fn every_model_does_every_operation_and_leaves_no_file() {
    let Some(models) = models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut worker = ruby();
    gives_the_same(&mut worker, &models, &computing_and_waiting());
    gives_the_same(&mut worker, &models, &everyday(folder.path()));
    assert_eq!(worker.end().code(), Some(0));
    assert_eq!(worker.stderr(), "");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_database_needs_its_gem_and_no_ractors() {
    if models().is_none() {
        return;
    }
    let mut worker = ruby();
    let (task, checksum) = sqlite();
    match worker.ask(&batch("threads", &task)) {
        Reply::Ready(_) => {
            for model in MODELS {
                gives_the_same(&mut worker, &[model], &[(task.clone(), checksum)]);
            }
        }
        Reply::Unsupported { message } => assert!(message.contains("gem install sqlite3"), "{message}"),
        reply => panic!("{reply:?}"),
    }
    let (mut worker, _folder) =
        ruby_with("def require(name); name.match?(/sqlite3|pg/) ? raise(LoadError, name) : super; end");
    let message = worker.refusal(&batch("threads", &task));
    assert!(message.starts_with("unsupported: ") && message.contains("gem install sqlite3"), "{message}");
}

#[test]
fn a_sample_has_its_evidence() {
    let Some(models) = models() else { return };
    let mut worker = ruby();
    for model in models {
        let ready = worker.accept(&batch(model, &json!({"op": "burn", "iterations": 50_000})));
        assert!(ready.runtime.starts_with("ruby ") && ready.worker == "ruby-worker 0.1.0", "{ready:?}");
        let sample = worker.run();
        assert!(sample.elapsed_ns > 0 && sample.setup_ns > 0, "{model}");
        let usage = sample.usage.unwrap();
        assert_eq!(usage.processes, Some(if model == "processes" { 3 } else { 1 }), "{model}");
        assert!(usage.peak_rss_bytes.unwrap() > 4_000_000, "{model}");
        assert!(usage.user_ns.unwrap() + usage.sys_ns.unwrap() > 0, "{model}");
        assert_eq!(usage.lock_wait_ns, None, "{model}");
        match model {
            "sequential" => assert_eq!(sample.workers, [3]),
            "processes" | "ractors" => assert_eq!(sample.workers, [2, 1], "{model}"),
            _ => assert_eq!(sample.workers.len(), 2),
        }
    }
}

#[test]
fn no_tasks_and_fewer_tasks_than_workers_are_possible() {
    let Some(models) = models() else { return };
    let mut worker = ruby();
    for model in models {
        worker.accept(&with(batch(model, &burn()), "tasks", json!(0)));
        let sample = worker.run();
        assert_eq!((sample.tasks, sample.checksum.as_str()), (0, "0000000000000000"), "{model}");
        worker.accept(&with(batch(model, &burn()), "workers", json!(5)));
        assert_eq!(worker.run().checksum, "6e063629c47668d3", "{model}");
    }
}

#[test]
fn a_ruby_without_ractors_does_the_other_models() {
    if models().is_none() {
        return;
    }
    let (mut worker, _folder) = ruby_with("Object.send(:remove_const, :Ractor) if defined?(Ractor)");
    let message = worker.refusal(&batch("ractors", &burn()));
    assert!(message.starts_with("unsupported: ruby-worker has no model \"ractors\""), "{message}");
    let ready = worker.accept(&batch("threads", &burn()));
    assert_eq!(ready.facts["ractors"], false);
    gives_the_same(&mut worker, &MODELS, &computing_and_waiting());
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn a_ruby_without_fiddle_knows_less_and_computes_the_same() {
    if models().is_none() {
        return;
    }
    let (mut worker, _folder) = ruby_with("def require(name); name == 'fiddle' ? raise(LoadError, name) : super; end");
    gives_the_same(&mut worker, &MODELS, &computing_and_waiting()[..2]);
    assert_eq!(worker.run().usage.unwrap().voluntary_switches, None);
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn a_ruby_that_is_too_old_says_so() {
    if models().is_none() {
        return;
    }
    let (mut worker, _folder) = ruby_with("Object.send(:remove_const, :RUBY_VERSION); RUBY_VERSION = '2.6.10'");
    let expected =
        "error: ruby-worker needs Ruby 2.7 or later, this is 2.6.10: name a newer one in the runtime's command";
    assert_eq!(worker.refusal(&batch("threads", &burn())), expected);
    assert_eq!(worker.end().code(), Some(1));
}

#[test]
fn a_ruby_that_crashes_at_a_library_ends_without_an_answer_and_says_why_on_stderr() {
    if models().is_none() {
        return;
    }
    let (mut worker, _folder) = ruby_with("raise 'a broken library'");
    assert_eq!((worker.line(), worker.end().code()), (None, Some(1)));
    let complaint = worker.stderr();
    assert!(complaint.contains("a broken library"), "{complaint}");
}

#[test]
fn what_a_library_prints_goes_to_stderr() {
    if models().is_none() {
        return;
    }
    let code = "
puts 'at start'
module Noisy
  def sleep(*)
    puts 'by puts'
    STDOUT.syswrite(\"by write\\n\")
    system('echo by a program')
    super
  end
end
Object.prepend(Noisy)
";
    for model in MODELS {
        let (mut worker, _folder) = ruby_with(code);
        worker.accept(&batch(model, &json!({"op": "wait", "io_ns": 1000})));
        assert_eq!(worker.run().checksum, "8cad1aa27a347479");
        assert_eq!(worker.end().code(), Some(0));
        let printed = worker.stderr();
        // What a child process has buffered ends with it.
        let words = ["at start", "by write", "by a program", "by puts"];
        for words in &words[..if model == "processes" { 3 } else { 4 }] {
            assert!(printed.contains(words), "{model}: {words} is not in {printed}");
        }
    }
}

#[test]
fn texts_are_utf_8_whatever_the_locale_says() {
    if models().is_none() {
        return;
    }
    for locale in ["C", "POSIX", "no_SUCH.locale"] {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("Ordner-äöü-\u{1F980}");
        fs::create_dir(&inner).unwrap();
        let mut command = command(Path::new("ruby"), WORKER);
        command.env("LC_ALL", locale);
        let mut worker = Worker::start(command);
        let read = json!({"op": "file-read", "folder": inner, "size_bytes": 1000, "cold": false});
        let test = json!({"op": "command", "argv": ["test", "-d", inner]});
        gives_the_same(&mut worker, &MODELS, &[(read, "7b398c647a18c378"), (test, "e95503f89f7605cb")]);
        let message = worker.refusal(&with(batch("threads", &burn()), "model", json!("größe")));
        assert!(message.contains("größe"), "{message}");
        assert_eq!(worker.end().code(), Some(0));
        assert_eq!(fs::read_dir(inner).unwrap().count(), 0);
    }
}

// ---- Refusals ------------------------------------------------------------------------------------------------------

#[test]
fn what_this_worker_does_not_do_is_unsupported_and_it_goes_on() {
    if models().is_none() {
        return;
    }
    let mut worker = ruby();
    let job = || batch("threads", &burn());
    let wait = json!({"op": "db-select", "database": "sqlite", "connection": "", "connections": 1,
                      "query": {"wait": {"io_ns": 1}}});
    let resize = json!({"op": "resize-image", "folder": "/", "source_width": 4, "width": 2, "by": "library"});
    for (refused, word) in [
        (with(job(), "kind", json!("serve")), "kind of job \"serve\""),
        (with(job(), "model", json!("loops")), "model \"loops\""),
        (with(job(), "lock", json!("gvl")), "a real interpreter's is what it is"),
        (with(job(), "task", json!({"op": "dream"})), "operation \"dream\""),
        (with(job(), "task", wait), "SQLite cannot wait"),
        (with(job(), "task", resize), "no pictures"),
    ] {
        let message = worker.refusal(&refused);
        assert!(message.starts_with("unsupported: ") && message.contains(word), "{message}");
    }
    worker.accept(&job());
}

#[test]
fn a_job_or_a_run_that_fails_is_an_error_and_the_worker_goes_on() {
    let Some(models) = models() else { return };
    let mut worker = ruby();
    assert!(worker.refusal(&with(batch("threads", &burn()), "workers", json!(0))).starts_with("error: "));
    let get = |path| json!({"op": "http-get", "address": services::web(), "path": path, "keep_alive": true});
    let send = json!({"op": "smtp-send", "address": services::busy_mail(), "body_bytes": 10});
    let nobody = json!({"op": "http-get", "address": "127.0.0.1:1", "path": "/", "keep_alive": true});
    let write = json!({"op": "file-write", "folder": "/no/such/folder", "size_bytes": 1, "fsync": false});
    for (task, word) in [
        (json!({"op": "command", "argv": ["false"]}), "false exited with status 1"),
        (json!({"op": "command", "argv": ["sh", "-c", "kill -9 $$"]}), "sh was ended by signal 9"),
        (json!({"op": "command", "argv": ["no-such-program"]}), "no-such-program"),
        (get("/missing"), "status 404 instead of 200"),
        (nobody, "refused"),
        (send, "421 come back later"),
        (write, "/no/such/folder"),
    ] {
        for model in &models {
            worker.accept(&batch(model, &task));
            let message = worker.refusal(&interpreters_support::run());
            assert!(message.starts_with("error: ") && message.contains(word), "{model} {task}: {message}");
        }
    }
    worker.accept(&batch("processes", &burn()));
    assert_eq!(worker.run().checksum, "6e063629c47668d3");
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn more_than_fits_into_memory_is_an_error_and_the_worker_goes_on() {
    if models().is_none() {
        return;
    }
    let mut worker = ruby();
    let write = json!({"op": "file-write", "folder": "/", "size_bytes": u64::MAX, "fsync": false});
    assert!(worker.refusal(&batch("threads", &write)).starts_with("error: "));
    worker.accept(&batch("threads", &burn()));
    assert_eq!(worker.run().checksum, "6e063629c47668d3");
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn a_picture_that_does_not_look_like_its_source_is_an_error() {
    if models().is_none() {
        return;
    }
    let mut worker = ruby();
    let folder = tempfile::tempdir().unwrap();
    let Some(task) = resize_upside_down(folder.path()) else { return };
    for model in MODELS {
        worker.accept(&batch(model, &task));
        let message = worker.refusal(&interpreters_support::run());
        assert!(
            message.starts_with("error: ") && message.contains("does not look like its source"),
            "{model}: {message}"
        );
    }
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn what_is_no_message_is_answered_and_ends_the_worker() {
    if models().is_none() {
        return;
    }
    let job = || batch("threads", &burn());
    let to_port = |port| json!({"op": "smtp-send", "address": format!("127.0.0.1:{port}"), "body_bytes": 1});
    for (line, word) in [
        ("{\"type\":".to_owned(), "not JSON"),
        ("[]".to_owned(), "not an object"),
        (r#"{"type":"dance"}"#.to_owned(), "its type is \"dance\""),
        (interpreters_support::run().to_string(), "before there was a job"),
        (with(job(), "protocol", json!(2)).to_string(), "protocol 2, this worker protocol 1"),
        (with(job(), "tasks", json!("three")).to_string(), "tasks is \"three\""),
        (with(job(), "tasks", json!(-1)).to_string(), "tasks is -1"),
        (with(job(), "task", json!({"op": "burn"})).to_string(), "iterations is missing"),
        (with(job(), "task", to_port("65536")).to_string(), "is no host:port"),
    ] {
        let mut worker = ruby();
        worker.say(&line);
        let Reply::Error { message } = worker.hear() else { panic!("not refused: {line}") };
        assert!(message.starts_with("not a protocol message: ") && message.contains(word), "{message}");
        assert_eq!(worker.end().code(), Some(1));
    }
}

#[test]
fn an_end_of_input_is_an_end_without_complaint() {
    if models().is_none() {
        return;
    }
    let mut worker = ruby();
    worker.say(" ");
    assert_eq!((worker.end().code(), worker.line()), (Some(0), None));
}

// ---- Deaths ----------------------------------------------------------------------------------------------------------

#[test]
fn a_child_process_that_is_killed_is_an_error_that_names_it_and_the_next_run_is_whole() {
    if models().is_none() {
        return;
    }
    let mut worker = ruby();
    worker.accept(&endless("processes"));
    worker.say(&interpreters_support::run().to_string());
    let victim = worker.children(2)[1];
    kill(victim, Signal::SIGKILL).unwrap();
    let Reply::Error { message } = worker.hear() else { panic!("no error") };
    assert_eq!(message, format!("child process {victim} was ended by signal 9 before it had answered"));
    worker.children(0);
    worker.accept(&batch("processes", &burn()));
    assert_eq!(worker.run().checksum, "6e063629c47668d3");
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn a_worker_that_is_killed_takes_its_processes_with_it() {
    if models().is_none() {
        return;
    }
    let mut worker = ruby();
    worker.accept(&endless("processes"));
    worker.say(&interpreters_support::run().to_string());
    worker.children(2);
    kill(worker.group(), Signal::SIGKILL).unwrap();
    worker.wait();
    wait_until("nobody of its group lives", || group_is_empty(worker.group()));
}

#[test]
fn children_that_cannot_all_be_made_are_an_error_and_none_is_left() {
    if models().is_none() {
        return;
    }
    let mut worker = Worker::start(with_few_descriptors(command(Path::new("ruby"), WORKER)));
    worker.accept(&with(batch("processes", &burn()), "workers", json!(50)));
    let message = worker.refusal(&interpreters_support::run());
    assert!(message.contains("Too many open files"), "{message}");
    worker.children(0);
    worker.accept(&batch("processes", &burn()));
    assert_eq!(worker.run().checksum, "6e063629c47668d3");
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn a_worker_whose_parent_is_gone_already_does_not_begin() {
    if models().is_none() {
        return;
    }
    let mut command = command(Path::new("ruby"), WORKER);
    command.env(PARENT_PID_VARIABLE, "1");
    let mut worker = Worker::start(command);
    assert_eq!((worker.line(), worker.end().code()), (None, Some(1)));
}
