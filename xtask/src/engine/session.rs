//! The conversation with one worker: job → ready, run → sample, and what every other course of it is called.

use std::time::{Duration, Instant};

use protocol::{Job, Ready, Reply, Request};

use super::answer;
use super::ending::{self, Graces, Manner, Orphans};
use super::failure::{Failure, FailureKind};
use super::launcher::{Halt, Session};
use super::lines::LONGEST_LINE;
use super::process::{Process, describe};
use super::signals::Control;
use crate::results::record::Measured;

/// How long a worker may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From its start to `ready`.
    pub ready: Duration,
    /// To end.
    pub graces: Graces,
}

impl Default for Limits {
    fn default() -> Self {
        Self { ready: Duration::from_secs(30), graces: Graces::default() }
    }
}

/// A worker process that is spoken to.
#[derive(Debug)]
pub struct ProcessSession {
    pub(super) process: Process,
    pub(super) job: Job,
    pub(super) timeout: Duration,
    pub(super) limits: Limits,
    pub(super) control: Control,
    pub(super) orphans: Orphans,
    /// Whether a request has no answer yet. Such a worker is not asked to exit: it would not hear.
    pub(super) busy: bool,
    /// What became of the process, once it was ended because of a failure.
    pub(super) ended: Option<Vec<String>>,
}

/// A limit, and what to call it.
struct Limit {
    time: Duration,
    /// What was asked: `the job`, `a run`.
    asked: &'static str,
    /// What to do when it is too short.
    advice: &'static str,
}

impl ProcessSession {
    /// Waits for the next message.
    fn reply(&mut self, limit: &Limit) -> Result<Reply, Halt> {
        let deadline = Instant::now() + limit.time;
        self.busy = true;
        loop {
            if self.control.stopped() {
                return Err(Halt::Interrupted);
            }
            if self.control.suspend_if_asked() {
                return Err(Halt::Suspended);
            }
            // In this order: what it wrote before it ended is in the pipe by the time that its end is seen.
            let exited = self.process.has_exited();
            let more = self.process.read();
            match self.process.next_line() {
                Some(Ok(line)) => {
                    self.busy = false;
                    return self.understand(&line);
                }
                Some(Err(_)) => {
                    let reason = format!(
                        "the worker wrote more than {} KiB to stdout without a line feed, beginning with {:?}; stdout is \
                         for protocol messages only",
                        LONGEST_LINE / 1024,
                        self.process.unfinished(),
                    );
                    return Err(self.fail(FailureKind::BadAnswer, Manner::Terminate, reason));
                }
                None if exited && !more => return Err(self.died(limit)),
                None if Instant::now() >= deadline => return Err(self.timed_out(limit)),
                // Somebody writes faster than we read.
                None if more => {}
                None => self.process.sleep(deadline),
            }
        }
    }

    fn understand(&mut self, line: &str) -> Result<Reply, Halt> {
        let error = match Reply::from_line(line) {
            Ok(Reply::Ready(ready)) if ready.protocol != protocol::VERSION => {
                return Err(self.other_version(ready.protocol));
            }
            Ok(Reply::Error { message }) => {
                let reason = format!("the worker reports an error: {message}");
                return Err(self.fail(FailureKind::WorkerError, Manner::Ask, reason));
            }
            Ok(Reply::Unsupported { message }) => {
                return Err(self.fail(FailureKind::Unsupported, Manner::Ask, message));
            }
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        // The message of another version may well look different; its number is all that must be there.
        if let Some(version) = other_version(line) {
            return Err(self.other_version(version));
        }
        let reason = format!("the worker's answer is {error}; stdout is for protocol messages only");
        Err(self.fail(FailureKind::BadAnswer, Manner::Terminate, reason))
    }

    fn other_version(&mut self, version: u32) -> Halt {
        let reason = format!(
            "the worker speaks protocol {version}, this orchestrator speaks {}; use a worker made for the same version",
            protocol::VERSION
        );
        self.fail(FailureKind::BadAnswer, Manner::Ask, reason)
    }

    fn died(&mut self, limit: &Limit) -> Halt {
        let how = self.process.status().map_or_else(|| "ended".to_owned(), describe);
        let reason = format!("the worker {how} before it answered {}{}", limit.asked, self.half_a_line());
        self.fail(FailureKind::Died, Manner::Terminate, reason)
    }

    fn timed_out(&mut self, limit: &Limit) -> Halt {
        let mut reason = format!(
            "the worker did not answer {} within {}{}",
            limit.asked,
            humantime::format_duration(limit.time),
            self.half_a_line()
        );
        if self.process.stdout_is_closed() {
            reason.push_str(", and it closed its stdout");
        }
        let halt = self.fail(FailureKind::TimedOut, Manner::Terminate, reason);
        let Halt::Failed(mut failure) = halt else { return halt };
        failure.reason.push_str(limit.advice);
        Halt::Failed(failure)
    }

    fn half_a_line(&self) -> String {
        match self.process.unfinished() {
            text if text.is_empty() => String::new(),
            text => format!("; it had written half a line: {text:?}"),
        }
    }

    /// Ends the worker and says why. Only then is the end of its stderr known.
    fn fail(&mut self, kind: FailureKind, manner: Manner, mut reason: String) -> Halt {
        let ended = ending::end(&mut self.process, &self.control, self.limits.graces, manner, &self.orphans);
        if ended.killed {
            reason.push_str("; it did not end on SIGTERM and was killed");
        }
        self.ended = Some(ended.warnings);
        Halt::Failed(Failure { kind, reason, stderr_tail: self.process.stderr_tail() })
    }

    fn unexpected(&mut self, asked: &str, reply: &Reply) -> Halt {
        let word = match reply {
            Reply::Ready(_) => "ready",
            Reply::Sample(_) => "sample",
            Reply::Served(_) => "served",
            Reply::Load(_) => "load",
            Reply::Unsupported { .. } => "unsupported",
            Reply::Error { .. } => "error",
        };
        let reason = format!("the worker answered {asked} with `{word}`");
        self.fail(FailureKind::BadAnswer, Manner::Terminate, reason)
    }
}

/// The protocol version that a line names, if it is a message of another version than ours.
fn other_version(line: &str) -> Option<u32> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let version = u32::try_from(message.get("protocol")?.as_u64()?).ok()?;
    (version != protocol::VERSION).then_some(version)
}

impl Session for ProcessSession {
    fn prepare(&mut self) -> Result<Ready, Halt> {
        let limit = Limit { time: self.limits.ready, asked: "the job", advice: "" };
        self.process.send(&Request::Job { protocol: protocol::VERSION, job: self.job.clone() }.to_line());
        match self.reply(&limit)? {
            Reply::Ready(ready) => Ok(ready),
            other => Err(self.unexpected(limit.asked, &other)),
        }
    }

    fn run(&mut self, warmup: bool) -> Result<Measured, Halt> {
        let limit =
            Limit { time: self.timeout, asked: "a run", advice: "; `timeout` in the matrix file sets the limit" };
        // What it wrote without being asked must not pass for the answer.
        self.process.read();
        if let Some(line) = self.process.next_line() {
            let line = line.unwrap_or_else(|_| self.process.unfinished());
            let excerpt: String = line.chars().take(120).collect();
            let reason = format!("the worker wrote to stdout before it was asked to run: {excerpt:?}");
            return Err(self.fail(FailureKind::BadAnswer, Manner::Terminate, reason));
        }
        self.process.send(&Request::Run { warmup }.to_line());
        match self.reply(&limit)? {
            Reply::Sample(sample) => match answer::check(&self.job, &sample) {
                Ok(()) => Ok(Measured::Batch(sample)),
                Err(failure) => Err(self.fail(failure.kind, Manner::Ask, failure.reason)),
            },
            other => Err(self.unexpected(limit.asked, &other)),
        }
    }

    fn close(mut self: Box<Self>) -> Vec<String> {
        if let Some(warnings) = self.ended.take() {
            return warnings;
        }
        let cut_short = self.busy || self.control.stopped();
        let manner = if cut_short { Manner::Terminate } else { Manner::Ask };
        let mut ended = ending::end(&mut self.process, &self.control, self.limits.graces, manner, &self.orphans);
        if !cut_short && !self.process.unfinished().is_empty() {
            let text = "the worker wrote more to stdout than it was asked for, so its samples may belong to other runs than they \
                        were taken for";
            ended.warnings.push(format!("{text}; left over is {:?}", self.process.unfinished()));
        }
        if let Some(status) = self.process.status()
            && !status.success()
            && ended.warnings.is_empty()
            && !cut_short
            && !self.control.stopped()
        {
            ended
                .warnings
                .push(format!("the worker {} after its last answer; a worker should exit with 0", describe(status)));
        }
        ended.warnings
    }
}
