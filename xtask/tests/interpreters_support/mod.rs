//! A worker for an interpreter at the other end of two pipes, and what its operations need.

#![allow(dead_code, reason = "each test file uses a part of this")]

pub mod found;
pub mod operations;
pub mod services;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    sys::signal::{Signal, kill, killpg},
    unistd::Pid,
};
use protocol::{PARENT_PID_VARIABLE, Ready, Reply, Sample, Served};
use serde_json::{Value, json};

/// Longer than anything here takes; a test that waits so long has found a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The file of a worker, such as `python/worker.py`.
pub fn worker_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/interpreters").join(name)
}

/// A command that starts a worker in an environment without the settings of whoever runs the tests.
pub fn command(interpreter: &Path, worker: &str) -> Command {
    let mut command = Command::new(interpreter);
    command.arg(worker_file(worker));
    let python = ["PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONUNBUFFERED", "PYTHON_GIL", "PARALLAX_START_METHOD"];
    for variable in python.into_iter().chain(["RUBYOPT", "RUBYLIB", PARENT_PID_VARIABLE]) {
        command.env_remove(variable);
    }
    command
}

/// The same command where no process has more than 40 open files.
#[allow(dead_code, reason = "not every test that includes this module makes children")]
pub fn with_few_descriptors(command: Command) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 40; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    for (variable, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(variable, value),
            None => limited.env_remove(variable),
        };
    }
    limited
}

pub struct Worker {
    pub process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<ChildStderr>,
}

impl Worker {
    /// Starts it in a process group of its own, as the orchestrator does.
    pub fn start(mut command: Command) -> Self {
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let errors = process.stderr.take();
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { process, input, lines, errors }
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next line, or nothing if the worker has closed its stdout.
    pub fn line(&mut self) -> Option<String> {
        let line = self.lines.recv_timeout(PATIENCE);
        assert!(line != Err(std::sync::mpsc::RecvTimeoutError::Timeout), "no answer: the worker hangs");
        line.ok()
    }

    pub fn hear(&mut self) -> Reply {
        match self.line() {
            Some(line) => Reply::from_line(&line).unwrap(),
            None => panic!("the worker is gone: {}", self.stderr()),
        }
    }

    pub fn ask(&mut self, message: &Value) -> Reply {
        self.say(&message.to_string());
        self.hear()
    }

    /// Gives a job that the worker must accept.
    #[track_caller]
    pub fn accept(&mut self, job: &Value) -> Ready {
        match self.ask(job) {
            Reply::Ready(ready) => ready,
            reply => panic!("{job}: {reply:?}"),
        }
    }

    #[track_caller]
    pub fn run(&mut self) -> Sample {
        match self.ask(&run()) {
            Reply::Sample(sample) => sample,
            reply => panic!("no sample: {reply:?}"),
        }
    }

    #[track_caller]
    pub fn served(&mut self) -> Served {
        match self.ask(&run()) {
            Reply::Served(served) => served,
            reply => panic!("not served: {reply:?}"),
        }
    }

    /// What an `error` or `unsupported` that must come now says.
    #[track_caller]
    pub fn refusal(&mut self, message: &Value) -> String {
        match self.ask(message) {
            Reply::Error { message } => format!("error: {message}"),
            Reply::Unsupported { message } => format!("unsupported: {message}"),
            reply => panic!("not refused: {reply:?}"),
        }
    }

    /// Closes stdin, waits for the end, and holds the worker to having left no process behind.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        self.input = None;
        let status = self.wait();
        assert!(group_is_empty(self.group()), "it left processes in its group");
        status
    }

    pub fn wait(&mut self) -> ExitStatus {
        wait_until("the worker has ended", || self.process.try_wait().unwrap().is_some());
        self.process.wait().unwrap()
    }

    pub fn stderr(&mut self) -> String {
        let mut text = Vec::new();
        if let Some(mut errors) = self.errors.take() {
            errors.read_to_end(&mut text).unwrap();
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    pub fn group(&self) -> Pid {
        Pid::from_raw(self.process.id().cast_signed())
    }

    /// The process ids of its children, which there must be so many of.
    pub fn children(&self, count: usize) -> Vec<Pid> {
        let id = self.process.id();
        let read = || fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        wait_until("there are as many children as expected", || read().split_whitespace().count() == count);
        read().split_whitespace().map(|pid| Pid::from_raw(pid.parse().unwrap())).collect()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = killpg(self.group(), Signal::SIGKILL);
        let _ = self.process.wait();
    }
}

/// Whether no process of a group lives. One that has ended and that nobody has waited for yet does not live.
pub fn group_is_empty(group: Pid) -> bool {
    kill(Pid::from_raw(-group.as_raw()), None) == Err(Errno::ESRCH)
        || fs::read_dir("/proc").unwrap().flatten().all(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
            fields.len() < 3 || fields[2] != group.to_string() || fields[0] == "Z"
        })
}

pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A job of three tasks of two steps for two workers, as in the full examples of `docs/protocol.md`.
pub fn batch(model: &str, task: &Value) -> Value {
    json!({"type": "job", "protocol": 1, "kind": "batch", "model": model, "workers": 2, "lock": "none",
           "tasks": 3, "steps": 2, "task": task})
}

/// A job that lasts until somebody ends it.
pub fn endless(model: &str) -> Value {
    let mut job = batch(model, &json!({"op": "burn", "iterations": 1_000_000}));
    job["steps"] = json!(1_000_000);
    job
}

pub fn run() -> Value {
    json!({"type": "run", "warmup": false})
}

/// A job with one field replaced.
pub fn with(mut job: Value, field: &str, value: Value) -> Value {
    job[field] = value;
    job
}
