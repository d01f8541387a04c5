//! The worker for Python as a person drives it by hand, under every Python of this machine; and every way in which an
//! interpreter, its environment or its child processes can fail.

mod interpreters_support;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    thread,
    time::Duration,
};

use interpreters_support::{
    Worker, batch, command, endless, found,
    found::Version,
    group_is_empty,
    operations::{burn, computing_and_waiting, everyday, gives_the_same, resize_upside_down, sqlite},
    services, wait_until, with, with_few_descriptors,
};
use nix::sys::signal::{Signal, kill};
use protocol::PARENT_PID_VARIABLE;
use serde_json::json;
use tempfile::TempDir;

const WORKER: &str = "python/worker.py";
const MODELS: [&str; 6] = ["sequential", "threads", "processes", "async", "loops", "offload"];
const OLDEST: [u32; 2] = [3, 9];

static PYTHONS: LazyLock<Vec<(Version, PathBuf)>> = LazyLock::new(found::pythons);

/// Those that the worker runs on.
fn pythons() -> impl Iterator<Item = &'static (Version, PathBuf)> {
    PYTHONS.iter().filter(|(version, _)| version[..2] >= OLDEST[..])
}

/// The oldest and the newest of them.
fn oldest_and_newest() -> Vec<&'static (Version, PathBuf)> {
    let all: Vec<_> = pythons().collect();
    let last = all.len().saturating_sub(1);
    all.into_iter().enumerate().filter(|(index, _)| [0, last].contains(index)).map(|(_, python)| python).collect()
}

/// The newest Python. Without one a test is skipped.
fn newest() -> Option<&'static Path> {
    let newest = pythons().last();
    if newest.is_none() {
        eprintln!("skipped: there is no Python 3.9 or later here; apt-get install python3, or uv python install");
    }
    newest.map(|(_, path)| path.as_path())
}

fn python(path: &Path) -> Worker {
    Worker::start(command(path, WORKER))
}

/// A Python that runs some code of ours before the worker.
fn python_with(path: &Path, code: &str) -> (Worker, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sitecustomize.py"), code).unwrap();
    let mut command = command(path, WORKER);
    command.env("PYTHONPATH", folder.path());
    (Worker::start(command), folder)
}

#[test]
fn every_model_computes_the_same_under_every_python() {
    for (version, path) in pythons() {
        let mut worker = python(path);
        gives_the_same(&mut worker, &MODELS, &computing_and_waiting());
        assert_eq!(worker.end().code(), Some(0), "{version:?}");
        assert_eq!(worker.stderr(), "", "{version:?}");
    }
}

#[test]
fn every_model_does_every_everyday_operation_and_leaves_no_file() {
    for (version, path) in oldest_and_newest() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = python(path);
        gives_the_same(&mut worker, &MODELS, &everyday(folder.path()));
        gives_the_same(&mut worker, &MODELS, &[sqlite()]);
        assert_eq!(worker.end().code(), Some(0), "{version:?}");
        assert_eq!(worker.stderr(), "", "{version:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn every_start_method_of_processes_computes_the_same_and_leaves_no_process() {
    for (version, path) in oldest_and_newest() {
        for method in ["fork", "spawn", "forkserver"] {
            let mut command = command(path, WORKER);
            let mut worker = Worker::start({
                command.env("PARALLAX_START_METHOD", method);
                command
            });
            let ready = worker.accept(&batch("processes", &burn()));
            assert_eq!(ready.facts["start_method"], method);
            assert_eq!(worker.run().checksum, "6e063629c47668d3", "{method}");
            assert_eq!(worker.end().code(), Some(0), "{version:?} {method}");
        }
    }
}

#[test]
fn a_sample_has_its_evidence() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
    for (model, workers, processes) in
        [("sequential", vec![3], 1), ("processes", vec![2, 1], 3), ("async", vec![3], 1), ("loops", vec![2, 1], 1)]
    {
        worker.accept(&batch(model, &json!({"op": "burn", "iterations": 50_000})));
        let sample = worker.run();
        assert_eq!(sample.workers, workers, "{model}");
        assert!(sample.elapsed_ns > 0 && sample.setup_ns > 0, "{model}");
        let usage = sample.usage.unwrap();
        assert_eq!(usage.processes, Some(processes), "{model}");
        assert!(usage.peak_rss_bytes.unwrap() > 4_000_000, "{model}");
        assert!(usage.user_ns.unwrap() + usage.sys_ns.unwrap() > 0, "{model}");
        assert_eq!((usage.voluntary_switches.is_some(), usage.lock_wait_ns), (true, None), "{model}");
    }
}

#[test]
fn a_wait_on_an_event_loop_counts_for_the_loop_and_nothing_goes_to_the_pool() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
    worker.accept(&batch("offload", &json!({"op": "wait", "io_ns": 1000})));
    assert_eq!(worker.run().workers, [3]);
    worker.accept(&batch("offload", &burn()));
    assert_eq!(worker.run().workers.len(), 2);
}

#[test]
fn the_build_and_the_state_of_the_lock_are_facts() {
    for (version, path) in pythons() {
        let mut worker = python(path);
        let ready = worker.accept(&batch("sequential", &burn()));
        let free_threaded = version[3] == 1;
        let numbers = version[..3].iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        let suffix = if free_threaded { " free-threaded" } else { "" };
        assert_eq!(
            (ready.runtime, ready.worker),
            (format!("cpython {numbers}{suffix}"), "python-worker 0.1.0".to_owned())
        );
        assert_eq!(ready.facts["free_threaded_build"], free_threaded);
        assert_eq!(ready.facts["gil_enabled"], !free_threaded);
        assert!(ready.facts["usable_cpus"].as_u64().unwrap() >= 1);
    }
}

#[test]
fn no_tasks_and_fewer_tasks_than_workers_are_possible() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
    for model in MODELS {
        worker.accept(&with(batch(model, &burn()), "tasks", json!(0)));
        let sample = worker.run();
        assert_eq!((sample.tasks, sample.checksum.as_str()), (0, "0000000000000000"), "{model}");
        worker.accept(&with(batch(model, &burn()), "workers", json!(5)));
        assert_eq!(worker.run().checksum, "6e063629c47668d3", "{model}");
    }
}

#[test]
fn the_checksums_of_two_parts_add_up() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
    let mut sum = 0_u64;
    for (first, tasks) in [(0, 2), (2, 1)] {
        let job = with(batch("threads", &burn()), "first_task", json!(first));
        worker.accept(&with(job, "tasks", json!(tasks)));
        sum = sum.wrapping_add(u64::from_str_radix(&worker.run().checksum, 16).unwrap());
    }
    assert_eq!(format!("{sum:016x}"), "6e063629c47668d3");
}

// ---- Refusals ------------------------------------------------------------------------------------------------------

#[test]
fn what_this_worker_does_not_do_is_unsupported_and_it_goes_on() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
    let job = || batch("threads", &burn());
    let query = json!({"wait": {"io_ns": 1}});
    let select =
        |database| json!({"op": "db-select", "database": database, "connection": "", "connections": 1, "query": query});
    let resize = json!({"op": "resize-image", "folder": "/", "source_width": 4, "width": 2, "by": "library"});
    for (refused, word) in [
        (with(job(), "kind", json!("load")), "kind of job 'load'"),
        (with(job(), "model", json!("rayon")), "model 'rayon'"),
        (with(job(), "model", json!("ractors")), "model 'ractors'"),
        (with(job(), "lock", json!("gil")), "a real interpreter's lock is what it is"),
        (with(job(), "task", json!({"op": "dream"})), "operation 'dream'"),
        (with(job(), "task", select("postgres")), "no client for postgres"),
        (with(job(), "task", select("sqlite")), "SQLite cannot wait"),
        (with(job(), "task", resize), "no pictures"),
    ] {
        let message = worker.refusal(&refused);
        assert!(message.starts_with("unsupported: ") && message.contains(word), "{message}");
    }
    worker.accept(&job());
}

#[test]
fn a_job_or_a_run_that_fails_is_an_error_and_the_worker_goes_on() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
    let job = |model| batch(model, &burn());
    assert!(worker.refusal(&with(job("threads"), "workers", json!(0))).starts_with("error: "));
    assert!(worker.refusal(&with(job("threads"), "steps", json!(0))).starts_with("error: "));
    let get = |path| json!({"op": "http-get", "address": services::web(), "path": path, "keep_alive": true});
    let send = json!({"op": "smtp-send", "address": services::busy_mail(), "body_bytes": 10});
    let nobody = json!({"op": "http-get", "address": "127.0.0.1:1", "path": "/", "keep_alive": true});
    let write = json!({"op": "file-write", "folder": "/no/such/folder", "size_bytes": 1, "fsync": false});
    for (task, word) in [
        (json!({"op": "command", "argv": ["false"]}), "false exited with status 1"),
        (json!({"op": "command", "argv": ["sh", "-c", "kill -9 $$"]}), "sh was ended by signal 9"),
        (json!({"op": "command", "argv": ["no-such-program"]}), "no-such-program"),
        (get("/missing"), "status 404 instead of 200"),
        (nobody, "RefusedError"),
        (send, "421 come back later"),
        (write, "/no/such/folder"),
    ] {
        for model in MODELS {
            worker.accept(&batch(model, &task));
            let message = worker.refusal(&interpreters_support::run());
            assert!(message.starts_with("error: ") && message.contains(word), "{model} {task}: {message}");
        }
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    for folder in [file.path(), Path::new("/no\0folder")] {
        let write = json!({"op": "file-write", "folder": folder, "size_bytes": 1, "fsync": false});
        worker.accept(&batch("threads", &write));
        worker.refusal(&interpreters_support::run());
    }
    let missing = json!({"op": "file-read", "folder": "/no/such/folder", "size_bytes": 1, "cold": false});
    assert!(worker.refusal(&batch("async", &missing)).contains("/no/such/folder"));
    worker.accept(&job("loops"));
    assert_eq!(worker.run().checksum, "6e063629c47668d3");
}

#[test]
fn a_picture_that_does_not_look_like_its_source_is_an_error() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
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
    let Some(path) = newest() else { return };
    let to_port = |port| json!({"op": "smtp-send", "address": format!("127.0.0.1:{port}"), "body_bytes": 1});
    let job = || batch("threads", &burn());
    for (line, word) in [
        ("{\"type\":".to_owned(), "not JSON"),
        ("[".repeat(200_000), "not JSON"),
        ("[]".to_owned(), "its type is None"),
        ("\"\u{fffd}\"".to_owned(), "its type is None"),
        (r#"{"type":"dance"}"#.to_owned(), "its type is 'dance'"),
        (interpreters_support::run().to_string(), "before there was a job"),
        (with(job(), "protocol", json!(2)).to_string(), "protocol 2, this worker protocol 1"),
        (with(job(), "tasks", json!("three")).to_string(), "tasks is 'three'"),
        (with(job(), "tasks", json!(-1)).to_string(), "tasks is -1"),
        (with(job(), "tasks", json!(true)).to_string(), "tasks is True"),
        (with(job(), "task", json!({"op": "burn"})).to_string(), "iterations is missing"),
        (with(job(), "task", to_port("65536")).to_string(), "is no host:port"),
        (with(job(), "task", to_port("²")).to_string(), "is no host:port"),
    ] {
        let mut worker = python(path);
        worker.say(&line);
        let protocol::Reply::Error { message } = worker.hear() else { panic!("not refused: {line}") };
        assert!(message.starts_with("not a protocol message: ") && message.contains(word), "{message}");
        assert_eq!(worker.end().code(), Some(1));
    }
}

#[test]
fn an_end_of_input_is_an_end_without_complaint() {
    let Some(path) = newest() else { return };
    let mut worker = python(path);
    worker.say(" ");
    assert_eq!((worker.end().code(), worker.line()), (Some(0), None));
}

// ---- The interpreter and its surroundings ----------------------------------------------------------------------------

#[test]
fn a_python_that_is_too_old_says_so() {
    for (version, path) in PYTHONS.iter().filter(|(version, _)| version[..2] < OLDEST[..]) {
        let mut worker = python(path);
        let message = worker.refusal(&batch("threads", &burn()));
        assert!(message.contains("needs Python 3.9 or later"), "{version:?}: {message}");
        assert_eq!(worker.end().code(), Some(1));
    }
    let Some(path) = newest() else { return };
    let (mut worker, _folder) = python_with(path, "import sys; sys.version_info = (3, 8, 1)");
    let expected =
        "error: python-worker needs Python 3.9 or later, this is 3.8.1: name a newer one in the runtime's command";
    assert_eq!(worker.refusal(&batch("threads", &burn())), expected);
    assert_eq!(worker.end().code(), Some(1));
}

#[test]
fn an_interpreter_that_crashes_at_import_ends_without_an_answer_and_says_why_on_stderr() {
    let Some(path) = newest() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zipfile.py"), "raise ImportError('a broken library')").unwrap();
    for (variable, value, word) in
        [("PYTHONPATH", folder.path(), "a broken library"), ("PYTHONHOME", Path::new("/nonexistent"), "encodings")]
    {
        let mut command = command(path, WORKER);
        command.env(variable, value);
        let mut worker = Worker::start(command);
        assert_eq!(worker.line(), None, "{variable}");
        assert!(!worker.end().success(), "{variable}");
        let complaint = worker.stderr();
        assert!(complaint.contains(word), "{variable}: {complaint}");
    }
}

#[test]
fn what_a_library_prints_goes_to_stderr() {
    let Some(path) = newest() else { return };
    let code = "
import json, os, time
print('at start')
dumps, sleep = json.dumps, time.sleep
def noisy_dumps(*arguments, **named):
    print('by print')
    os.write(1, b'by write\\n')
    return dumps(*arguments, **named)
def noisy_sleep(seconds):
    os.system('echo by a program')
    sleep(seconds)
json.dumps, time.sleep = noisy_dumps, noisy_sleep
";
    for model in ["threads", "processes"] {
        let (mut worker, _folder) = python_with(path, code);
        worker.accept(&batch(model, &json!({"op": "wait", "io_ns": 1000})));
        assert_eq!(worker.run().checksum, "8cad1aa27a347479");
        assert_eq!(worker.end().code(), Some(0));
        let printed = worker.stderr();
        for words in ["at start", "by print", "by write", "by a program"] {
            assert!(printed.contains(words), "{model}: {words} is not in {printed}");
        }
    }
}

#[test]
fn texts_are_utf_8_whatever_the_locale_says() {
    for (_, path) in oldest_and_newest() {
        for (locale, utf8) in [("C", "0"), ("POSIX", "0"), ("de_DE.ISO-8859-1", "0"), ("no_SUCH.locale", "1")] {
            let folder = tempfile::tempdir().unwrap();
            let inner = folder.path().join("Ordner-äöü-\u{1F980}");
            fs::create_dir(&inner).unwrap();
            let mut command = command(path, WORKER);
            command.env("LC_ALL", locale).env("PYTHONUTF8", utf8).env("PYTHONCOERCECLOCALE", "0");
            let mut worker = Worker::start(command);
            let read = json!({"op": "file-read", "folder": inner, "size_bytes": 1000, "cold": false});
            let test = json!({"op": "command", "argv": ["test", "-d", inner]});
            let open = json!({"op": "db-select", "database": "sqlite", "connection": inner.join("ß.db"), "connections": 1,
                              "query": {"compute": {"rows": 1000}}});
            for (task, checksum) in [(read, "7b398c647a18c378"), (test, "e95503f89f7605cb"), (open, "23b1ee0f89ec2436")]
            {
                worker.accept(&batch("threads", &task));
                assert_eq!(worker.run().checksum, checksum, "{locale}");
            }
            let message = worker.refusal(&with(batch("threads", &burn()), "model", json!("größe")));
            assert!(message.contains("größe"), "{message}");
            assert_eq!(worker.end().code(), Some(0));
        }
    }
}

// ---- The lock --------------------------------------------------------------------------------------------------------

/// Stands in for a free-threaded build, whose lock comes back when somebody sleeps.
const LOCK_COMES_BACK: &str = "
import sys, time
lock = {'on': False}
sleep = time.sleep
def sleep_and_lock(seconds):
    sleep(seconds)
    lock['on'] = True
sys._is_gil_enabled, time.sleep = lambda: lock['on'], sleep_and_lock
";

#[test]
fn a_lock_that_comes_back_on_makes_the_run_an_error() {
    let Some(path) = newest() else { return };
    for model in ["sequential", "threads", "processes"] {
        let (mut worker, _folder) = python_with(path, LOCK_COMES_BACK);
        let ready = worker.accept(&batch(model, &burn()));
        assert_eq!(ready.facts["gil_enabled"], false);
        assert_eq!(worker.run().checksum, "6e063629c47668d3", "{model}");
        worker.accept(&batch(model, &json!({"op": "wait", "io_ns": 1000})));
        let message = worker.refusal(&interpreters_support::run());
        assert!(message.starts_with("error: the GIL came back on during the run"), "{model}: {message}");
        assert_eq!(worker.end().code(), Some(0));
    }
}

/// Stands in for 3.14's pool of interpreters. Python 3.13 has real ones already, each with a lock of its own, and only lacks
/// the pool; an older one has threads in their place, which are given functions by their names as interpreters are.
const POOL_OF_INTERPRETERS: &str = "
import concurrent.futures as futures, os, pickle, threading
try:
    import _interpreters
    create, run = lambda: _interpreters.create('isolated'), _interpreters.exec
except ImportError:
    create, run = dict, lambda interpreter, script: exec(script, interpreter)

SCRIPT = '''
import os, pickle
function, arguments = pickle.loads({call!r})
try:
    answer = (function(*arguments), None)
except Exception as failure:
    answer = (None, failure)
os.write({answer}, pickle.dumps(answer))
'''

class InterpreterPoolExecutor(futures.ThreadPoolExecutor):
    def __init__(self, workers, initializer, initargs):
        self.local = threading.local()
        super().__init__(workers, initializer=self.begin, initargs=(initializer, initargs))
    def begin(self, initializer, initargs):
        self.local.interpreter = create()
        self.call(initializer, *initargs)
    def call(self, function, *arguments):
        answer, end = os.pipe()
        failure = run(self.local.interpreter, SCRIPT.format(call=pickle.dumps((function, arguments)), answer=end))
        assert failure is None, failure.formatted
        result, failure = pickle.loads(os.read(answer, 65536))
        if failure:
            raise failure
        return result
    def submit(self, function, *arguments):
        assert function.__module__ == 'worker', function.__module__
        return super().submit(self.call, function, *arguments)

if not hasattr(futures, 'InterpreterPoolExecutor'):
    futures.InterpreterPoolExecutor = InterpreterPoolExecutor
";

#[test]
fn interpreters_are_a_model_where_python_has_them() {
    for (version, path) in pythons() {
        let mut worker = python(path);
        if version[..2] >= [3, 14][..] {
            gives_the_same(&mut worker, &["interpreters"], &computing_and_waiting());
        } else {
            let message = worker.refusal(&batch("interpreters", &burn()));
            assert!(message.starts_with("unsupported: python-worker has no model 'interpreters'"), "{message}");
        }
    }
    let Some(path) = newest() else { return };
    let (mut worker, _folder) = python_with(path, POOL_OF_INTERPRETERS);
    let folder = tempfile::tempdir().unwrap();
    let zip = json!({"op": "zip", "folder": folder.path(), "files": 3, "file_bytes": 1000, "by": "library"});
    gives_the_same(&mut worker, &["interpreters"], &computing_and_waiting()[1..2]);
    gives_the_same(&mut worker, &["interpreters"], &[sqlite(), (zip, "6b2133efe6f7bf9b")]);
    worker.accept(&batch("interpreters", &json!({"op": "command", "argv": ["false"]})));
    assert_eq!(worker.refusal(&interpreters_support::run()), "error: false exited with status 1");
    worker.accept(&batch("interpreters", &burn()));
    assert_eq!(worker.run().workers, [2, 1]);
    assert_eq!(worker.end().code(), Some(0));
}

// ---- Deaths ----------------------------------------------------------------------------------------------------------

#[test]
fn a_child_process_that_is_killed_is_an_error_that_names_it_and_the_next_run_is_whole() {
    for (version, path) in pythons() {
        let mut worker = python(path);
        worker.accept(&endless("processes"));
        worker.say(&interpreters_support::run().to_string());
        let victim = worker.children(2)[1];
        kill(victim, Signal::SIGKILL).unwrap();
        let protocol::Reply::Error { message } = worker.hear() else { panic!("no error") };
        let expected = format!("child process {victim} was ended by signal 9 before it had answered");
        assert_eq!(message, expected, "{version:?}");
        worker.children(0);
        worker.accept(&batch("processes", &burn()));
        assert_eq!(worker.run().checksum, "6e063629c47668d3");
        assert_eq!(worker.end().code(), Some(0));
    }
}

#[test]
fn a_worker_that_is_killed_takes_its_processes_with_it() {
    let Some(path) = newest() else { return };
    // Beside the two of the run, `spawn` has a process that keeps track of what they share; so has `forkserver`, whose
    // server has the two for its children.
    for (method, children) in [("fork", 2), ("spawn", 3), ("forkserver", 2)] {
        let mut command = command(path, WORKER);
        command.env("PARALLAX_START_METHOD", method);
        let mut worker = Worker::start(command);
        worker.accept(&endless("processes"));
        worker.say(&interpreters_support::run().to_string());
        worker.children(children);
        kill(worker.group(), Signal::SIGKILL).unwrap();
        worker.wait();
        wait_until("nobody of its group lives", || group_is_empty(worker.group()));
    }
}

#[test]
fn children_that_cannot_all_be_made_are_an_error_and_none_is_left() {
    let Some(path) = newest() else { return };
    let mut worker = Worker::start(with_few_descriptors(command(path, WORKER)));
    worker.accept(&with(batch("processes", &burn()), "workers", json!(50)));
    let message = worker.refusal(&interpreters_support::run());
    assert!(message.contains("Too many open files"), "{message}");
    worker.children(0);
    worker.accept(&batch("processes", &burn()));
    assert_eq!(worker.run().checksum, "6e063629c47668d3");
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn a_child_process_that_fails_at_its_end_is_an_error() {
    let Some(path) = newest() else { return };
    let fails_at_its_end = "
import multiprocessing.util, os
ended = multiprocessing.util._exit_function
def fail():
    if multiprocessing.parent_process():
        os._exit(7)
    ended()
multiprocessing.util._exit_function = fail
";
    let (mut worker, _folder) = python_with(path, fails_at_its_end);
    worker.accept(&batch("processes", &burn()));
    let message = worker.refusal(&interpreters_support::run());
    assert!(message.ends_with("did its work, but then exited with status 7"), "{message}");
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn an_interrupt_ends_every_model_at_once_and_leaves_neither_process_nor_file() {
    let Some(path) = newest() else { return };
    for model in MODELS {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = python(path);
        let read = json!({"op": "file-read", "folder": folder.path(), "size_bytes": 1000, "cold": false});
        worker.accept(&with(batch(model, &read), "steps", json!(1_000_000_000)));
        worker.say(&interpreters_support::run().to_string());
        thread::sleep(Duration::from_millis(200)); // until it is in the run
        kill(worker.group(), Signal::SIGINT).unwrap();
        assert_eq!(worker.wait().code(), Some(130), "{model}");
        wait_until("nobody of its group lives", || group_is_empty(worker.group()));
        assert_eq!((fs::read_dir(folder.path()).unwrap().count(), worker.stderr().as_str()), (0, ""), "{model}");
    }
}

#[test]
fn a_worker_whose_parent_is_gone_already_does_not_begin() {
    let Some(path) = newest() else { return };
    let mut command = command(path, WORKER);
    command.env(PARENT_PID_VARIABLE, "1");
    let mut worker = Worker::start(command);
    assert_eq!((worker.line(), worker.end().code()), (None, Some(1)));
}

#[test]
fn a_worker_dies_with_its_parent() {
    let Some(path) = newest() else { return };
    // A shell that starts the worker, tells its process id, and is killed; its stdin stays open, so that it is no reason.
    let script = format!("{PARENT_PID_VARIABLE}=$$ \"$0\" \"$1\" <&3 & echo $! >&2; wait");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 3<&0; {script}")]).arg(path).arg(interpreters_support::worker_file(WORKER));
    let mut shell = Worker::start(shell);
    shell.accept(&batch("threads", &burn()));
    kill(shell.group(), Signal::SIGKILL).unwrap();
    shell.wait();
    wait_until("the worker has ended", || group_is_empty(shell.group()));
}
