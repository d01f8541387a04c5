//! A worker binary at the other end of two pipes.
#![allow(dead_code, reason = "each test file uses its part")]

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use protocol::{BatchJob, Job, Lock, Model, Reply, Request, Sample, Task, VERSION};

/// Longer than anything here takes; a test that waits so long has found a hang.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Worker {
    pub process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Worker {
    pub fn start() -> Self {
        Self::start_by(&mut Command::new(env!("CARGO_BIN_EXE_cpu-worker")))
    }

    /// The worker, started by another command.
    pub fn start_by(command: &mut Command) -> Self {
        let mut process = command
            .env_remove(protocol::PARENT_PID_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { process, input, lines }
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    pub fn hear(&self) -> Reply {
        let line = self.lines.recv_timeout(PATIENCE).expect("no answer: the worker hangs or is gone");
        Reply::from_line(&line).unwrap()
    }

    /// Gives a job that the worker must accept.
    pub fn accept(&mut self, job: BatchJob) {
        self.say(Request::Job { protocol: VERSION, job: Job::Batch(job) }.to_line().trim_end());
        let reply = self.hear();
        assert!(matches!(reply, Reply::Ready(_)), "{reply:?}");
    }

    pub fn ask_for_run(&mut self) {
        self.say(r#"{"type":"run","warmup":false}"#);
    }

    pub fn run(&mut self) -> Sample {
        self.ask_for_run();
        match self.hear() {
            Reply::Sample(sample) => sample,
            reply => panic!("no sample: {reply:?}"),
        }
    }

    pub fn error_of_run(&mut self) -> String {
        match self.hear() {
            Reply::Error { message } => message,
            reply => panic!("no error: {reply:?}"),
        }
    }

    /// Closes stdin and waits for the end.
    pub fn end(&mut self) -> ExitStatus {
        self.input = None;
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "the worker does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn job(model: Model, workers: u32, task: Task) -> BatchJob {
    BatchJob { model, workers, lock: Lock::None, switch_interval_ns: None, tasks: 7, first_task: 0, steps: 2, task }
}
