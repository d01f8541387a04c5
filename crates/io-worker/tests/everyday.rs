//! Programs and files, under every model, and when something goes wrong.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use protocol::{BatchJob, Job, Lock, Model, Reply, Request, Task, VERSION};

const WORKER: &str = env!("CARGO_BIN_EXE_io-worker");

fn start(command: &mut Command) -> Child {
    command.env_remove(protocol::PARENT_PID_VARIABLE);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

fn job(model: Model, lock: Lock, task: Task) -> String {
    let job = BatchJob { model, workers: 3, lock, switch_interval_ns: None, tasks: 7, first_task: 0, steps: 2, task };
    Request::Job { protocol: VERSION, job: Job::Batch(job) }.to_line()
}

fn run() -> String {
    Request::Run { warmup: false }.to_line()
}

/// What a worker answers to these lines, and then ends well.
fn say_to(mut worker: Child, lines: &[String]) -> Vec<Reply> {
    worker.stdin.take().unwrap().write_all(lines.concat().as_bytes()).unwrap();
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(|line| Reply::from_line(line).unwrap()).collect()
}

fn say(lines: &[String]) -> Vec<Reply> {
    say_to(start(&mut Command::new(WORKER)), lines)
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

fn text(folder: &Path) -> String {
    folder.to_str().unwrap().to_owned()
}

fn command(script: &str) -> Task {
    Task::Command { argv: ["sh", "-c", script].map(str::to_owned).to_vec() }
}

fn file_write(folder: &Path, size_bytes: u64) -> Task {
    Task::FileWrite { folder: text(folder), size_bytes, fsync: false }
}

#[test]
fn programs_and_files_give_the_same_under_every_model_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [
        (command("exit 0"), "b92a75cd33f8326f"),
        (Task::FileRead { folder: text(folder.path()), size_bytes: 1000, cold: true }, "2d9f909afaf66f78"),
        (Task::FileWrite { folder: text(folder.path()), size_bytes: 1000, fsync: true }, "5793bdaf7a5f9687"),
    ];
    for (task, checksum) in tasks {
        for &model in Model::ALL.iter().filter(|model| model.language().is_none()) {
            let replies = say(&[job(model, Lock::Gvl, task.clone()), run(), run()]);
            let [Reply::Ready(_), Reply::Sample(first), Reply::Sample(second)] = &replies[..] else {
                panic!("{model} {task:?}: {replies:?}")
            };
            assert_eq!([&first.checksum, &second.checksum], [checksum; 2], "{model} {task:?}");
            assert!(first.usage.as_ref().unwrap().lock_wait_ns.is_some(), "{model} {task:?}");
            assert_eq!(entries(folder.path()), 0, "{model} {task:?}");
        }
    }
}

#[test]
fn a_job_with_a_folder_tells_its_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let replies = say(&[job(Model::Threads, Lock::None, file_write(folder.path(), 10))]);
    let [Reply::Ready(ready)] = &replies[..] else { panic!("{replies:?}") };
    assert!(ready.facts["file_system"].is_string(), "{:?}", ready.facts);
}

#[test]
fn bytes_that_were_handed_to_storage_are_counted_once_with_and_without_children() {
    let folder = tempfile::tempdir().unwrap();
    for model in [Model::Threads, Model::Processes] {
        let replies = say(&[job(model, Lock::None, file_write(folder.path(), 1_000_000)), run()]);
        let [Reply::Ready(ready), Reply::Sample(sample)] = &replies[..] else { panic!("{replies:?}") };
        let written = sample.usage.as_ref().unwrap().disk_write_bytes;
        // 14 files of 1 MB in whole pages. A file system in memory hands nothing to storage.
        let Some(written) = written.filter(|_| ready.facts["file_system"] == "ext4") else {
            eprintln!("skipped: only tried on ext4");
            return;
        };
        assert!((14_000_000..20_000_000).contains(&written), "{model}: {written}");
    }
}

#[test]
fn the_cpu_time_of_programs_is_counted() {
    let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    for model in [Model::Sequential, Model::Async, Model::Processes] {
        let replies = say(&[job(model, Lock::None, command(script)), run()]);
        let [_, Reply::Sample(sample)] = &replies[..] else { panic!("{replies:?}") };
        let usage = sample.usage.as_ref().unwrap();
        assert!(usage.user_ns.unwrap() + usage.sys_ns.unwrap() > 14_000_000, "{model}: {usage:?}");
    }
}

#[test]
fn a_program_that_fails_is_an_error_of_the_run_under_every_model() {
    for &model in Model::ALL.iter().filter(|model| model.language().is_none()) {
        let replies = say(&[job(model, Lock::Gil, command("exit 3")), run()]);
        let [Reply::Ready(_), Reply::Error { message }] = &replies[..] else { panic!("{model}: {replies:?}") };
        assert!(message.contains("the program sh ended with exit status: 3"), "{model}: {message}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error_of_the_job() {
    for folder in ["/sys", "/no/such/folder"] {
        let replies = say(&[job(Model::Threads, Lock::None, file_write(Path::new(folder), 10)), String::new()]);
        let [Reply::Error { message }] = &replies[..] else { panic!("{replies:?}") };
        assert!(message.starts_with(&format!("cannot make a folder in {folder}: ")), "{message}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // A file system of our own, which is gone with the worker.
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c"]).arg(r#"mount -t tmpfs -o size=300k tmpfs "$1" && shift && exec "$@""#);
    command.arg("sh").arg(folder.path());
    let possible = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "tmpfs"]).arg(folder.path()).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this user may not mount a small file system");
        return;
    }
    let read = Task::FileRead { folder: text(folder.path()), size_bytes: 1_000_000, cold: false };
    let small = file_write(folder.path(), 1000);
    let lines = [
        job(Model::Threads, Lock::None, file_write(folder.path(), 1_000_000)),
        run(),
        job(Model::Async, Lock::None, file_write(folder.path(), 1_000_000)),
        run(),
        job(Model::Threads, Lock::None, read),
        // There is room again.
        job(Model::Threads, Lock::None, small),
        run(),
    ];
    let replies = say_to(start(command.arg(WORKER)), &lines);
    let [_, first, _, second, third, Reply::Ready(ready), Reply::Sample(_)] = &replies[..] else {
        panic!("{replies:?}")
    };
    for reply in [first, second, third] {
        let Reply::Error { message } = reply else { panic!("{replies:?}") };
        assert!(
            message.ends_with("No space left on device (os error 28): make room, or name another folder"),
            "{message}"
        );
    }
    assert_eq!(ready.facts["file_system"], "tmpfs");
}

/// Waits until `condition` holds.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}: still not true");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_program_that_never_ends_does_not_outlive_a_killed_worker() {
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        for model in [Model::Sequential, Model::Threads, Model::Async, Model::WorkStealing] {
            let folder = tempfile::tempdir().unwrap();
            let pids = folder.path().join("pids");
            // Each program writes its process id first.
            let script = format!("echo $$ >> {}; exec sleep 1000", pids.display());
            let mut worker = start(&mut Command::new(WORKER));
            let mut input = worker.stdin.take().unwrap();
            input.write_all((job(model, Lock::None, command(&script)) + &run()).as_bytes()).unwrap();
            let mut ready = String::new();
            BufReader::new(worker.stdout.take().unwrap()).read_line(&mut ready).unwrap();
            let sleepers = || -> Vec<i32> {
                fs::read_to_string(&pids).unwrap_or_default().lines().filter_map(|pid| pid.parse().ok()).collect()
            };
            eventually("a program has started", || !sleepers().is_empty());
            kill(Pid::from_raw(worker.id() as i32), signal).unwrap();
            worker.wait().unwrap();
            let is_alive =
                |pid: &i32| fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
            eventually("all programs are gone", || !sleepers().iter().any(is_alive));
        }
    }
}
