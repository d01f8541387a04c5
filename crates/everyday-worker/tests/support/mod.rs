//! The worker, driven by hand.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use protocol::{BatchJob, Job, Lock, Model, Reply, Request, Task, VERSION};

pub fn job(model: Model, lock: Lock, task: Task) -> String {
    let job = BatchJob { model, workers: 3, lock, switch_interval_ns: None, tasks: 7, first_task: 0, steps: 2, task };
    Request::Job { protocol: VERSION, job: Job::Batch(job) }.to_line()
}

pub fn run() -> String {
    Request::Run { warmup: false }.to_line()
}

/// What the worker answers to these lines, and then ends well.
pub fn say(lines: &[String]) -> Vec<Reply> {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_everyday-worker"))
        .env_remove(protocol::PARENT_PID_VARIABLE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    worker.stdin.take().unwrap().write_all(lines.concat().as_bytes()).unwrap();
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(|line| Reply::from_line(line).unwrap()).collect()
}

/// The error that a job is refused with, or its run fails with.
pub fn error(replies: &[Reply]) -> String {
    match replies.last() {
        Some(Reply::Error { message }) => message.clone(),
        _ => panic!("no error: {replies:?}"),
    }
}

pub fn text(folder: &Path) -> String {
    folder.to_str().unwrap().to_owned()
}
