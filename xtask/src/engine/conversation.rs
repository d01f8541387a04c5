//! The conversation with one process that speaks the worker protocol: job → ready, run → answer, and what every other
//! course of it is called. Batch workers, our server and the load generator are all spoken to here.

use std::time::{Duration, Instant};

use protocol::{Job, Ready, Reply, Request};

use super::ending::{self, Graces, Manner, Orphans};
use super::failure::{Failure, FailureKind};
use super::launcher::Halt;
use super::lines::LONGEST_LINE;
use super::process::{Process, describe};
use super::signals::Control;

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

/// A process that is spoken to.
#[derive(Debug)]
pub(super) struct Conversation {
    process: Process,
    control: Control,
    graces: Graces,
    /// Which orphans to look for at its end; `None` when another process of the cell outlives it.
    orphans: Option<Orphans>,
    /// Whether a request has no answer yet. Such a process is not asked to exit: it would not hear.
    busy: bool,
    /// What became of the process, once it was ended because of a failure.
    ended: Option<Vec<String>>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum Break {
    /// As for any session.
    Halt(Halt),
    /// The process beside ended.
    Beside,
}

impl From<Halt> for Break {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl Break {
    /// The halt, of a conversation with nobody beside.
    pub(super) fn alone(self) -> Halt {
        match self {
            Self::Halt(halt) => halt,
            Self::Beside => unreachable!("there was nobody beside"),
        }
    }
}

/// How long to wait for an answer, and what to call it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    pub time: Duration,
    /// What was asked: `the job`, `a run`.
    pub asked: &'static str,
    /// What to do when it is too short.
    pub advice: &'static str,
}

impl Limit {
    /// The limit for getting ready.
    pub(super) fn ready(time: Duration) -> Self {
        Self { time, asked: "the job", advice: "" }
    }

    /// The limit of one run.
    pub(super) fn run(time: Duration) -> Self {
        Self { time, asked: "a run", advice: "; `timeout` in the matrix file sets the limit" }
    }
}

impl Conversation {
    /// A conversation that has not begun.
    pub(super) fn new(process: Process, control: Control, graces: Graces, orphans: Option<Orphans>) -> Self {
        Self { process, control, graces, orphans, busy: false, ended: None }
    }

    /// The process that is spoken to.
    pub(super) fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Hands a job over and waits until the process is ready, or the one beside has ended.
    pub(super) fn prepare(&mut self, job: Job, limit: Limit, beside: Option<&mut Process>) -> Result<Ready, Break> {
        self.process.send(&Request::Job { protocol: protocol::VERSION, job }.to_line());
        match self.reply(limit, beside)? {
            Reply::Ready(ready) => Ok(ready),
            other => Err(self.unexpected(limit.asked, &other).into()),
        }
    }

    /// Asks for a run and waits for the answer, whatever it is, or until the process beside has ended.
    pub(super) fn run(&mut self, warmup: bool, limit: Limit, beside: Option<&mut Process>) -> Result<Reply, Break> {
        // What it wrote without being asked must not pass for the answer.
        self.process.read();
        if let Some(line) = self.process.next_line() {
            let line = line.unwrap_or_else(|_| self.process.unfinished());
            let excerpt: String = line.chars().take(120).collect();
            let reason = format!("{} wrote to stdout before it was asked to run: {excerpt:?}", self.process.name());
            return Err(self.fail(FailureKind::BadAnswer, Manner::Terminate, reason).into());
        }
        self.process.send(&Request::Run { warmup }.to_line());
        self.reply(limit, beside)
    }

    /// Waits for the next message.
    fn reply(&mut self, limit: Limit, mut beside: Option<&mut Process>) -> Result<Reply, Break> {
        let deadline = Instant::now() + limit.time;
        self.busy = true;
        loop {
            if self.control.stopped() {
                return Err(Halt::Interrupted.into());
            }
            if self.control.suspend_if_asked() {
                return Err(Halt::Suspended.into());
            }
            let mut more_beside = false;
            if let Some(beside) = &mut beside {
                let exited = beside.has_exited();
                // Or it would block on a full pipe.
                more_beside = beside.read();
                beside.discard_excess();
                if exited {
                    return Err(Break::Beside);
                }
            }
            // In this order: what it wrote before it ended is in the pipe by the time that its end is seen.
            let exited = self.process.has_exited();
            let more = self.process.read();
            match self.process.next_line() {
                Some(Ok(line)) => {
                    self.busy = false;
                    return Ok(self.understand(&line)?);
                }
                Some(Err(_)) => {
                    let reason = format!(
                        "{} wrote more than {} KiB to stdout without a line feed, beginning with {:?}; stdout is for \
                         protocol messages only",
                        self.process.name(),
                        LONGEST_LINE / 1024,
                        self.process.unfinished(),
                    );
                    return Err(self.fail(FailureKind::BadAnswer, Manner::Terminate, reason).into());
                }
                None if exited && !more => return Err(self.died(limit).into()),
                None if Instant::now() >= deadline => return Err(self.timed_out(limit).into()),
                // Somebody writes faster than we read.
                None if more || more_beside => {}
                None => self.process.sleep_beside(beside.as_deref(), None, deadline),
            }
        }
    }

    fn understand(&mut self, line: &str) -> Result<Reply, Halt> {
        let error = match Reply::from_line(line) {
            Ok(Reply::Ready(ready)) if ready.protocol != protocol::VERSION => {
                return Err(self.other_version(ready.protocol));
            }
            Ok(Reply::Ready(ready)) if ready.runtime.trim().is_empty() => {
                let reason = format!(
                    "{} does not say what executes its tasks: `runtime` of its `ready` line is empty",
                    self.process.name()
                );
                return Err(self.fail(FailureKind::BadAnswer, Manner::Ask, reason));
            }
            Ok(Reply::Error { message }) => {
                let reason = format!("{} reports an error: {message}", self.process.name());
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
        let reason = format!("{}'s answer is {error}; stdout is for protocol messages only", self.process.name());
        Err(self.fail(FailureKind::BadAnswer, Manner::Terminate, reason))
    }

    fn other_version(&mut self, version: u32) -> Halt {
        let reason = format!(
            "{} speaks protocol {version}, this orchestrator speaks {}; use a worker made for the same version",
            self.process.name(),
            protocol::VERSION
        );
        self.fail(FailureKind::BadAnswer, Manner::Ask, reason)
    }

    fn died(&mut self, limit: Limit) -> Halt {
        let how = self.process.status().map_or_else(|| "ended".to_owned(), describe);
        let reason = format!("{} {how} before it answered {}{}", self.process.name(), limit.asked, self.half_a_line());
        self.fail(FailureKind::Died, Manner::Terminate, reason)
    }

    fn timed_out(&mut self, limit: Limit) -> Halt {
        let mut reason = format!(
            "{} did not answer {} within {}{}",
            self.process.name(),
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

    /// Ends the process and says why. Only then is the end of its stderr known.
    pub(super) fn fail(&mut self, kind: FailureKind, manner: Manner, mut reason: String) -> Halt {
        if self.end(manner) {
            reason.push_str("; it did not end on SIGTERM and was killed");
        }
        Halt::Failed(Failure { kind, reason, stderr_tail: self.process.stderr_tail() })
    }

    /// Ends the process, if it was not, because it is of no use any more; tells whether it had to be killed.
    pub(super) fn end(&mut self, manner: Manner) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let ended = ending::end(&mut self.process, &self.control, self.graces, manner, self.orphans.as_ref());
        self.ended = Some(ended.warnings);
        ended.killed
    }

    /// Ends the process because it answered with something else than asked.
    pub(super) fn unexpected(&mut self, asked: &str, reply: &Reply) -> Halt {
        let word = match reply {
            Reply::Ready(_) => "ready",
            Reply::Sample(_) => "sample",
            Reply::Served(_) => "served",
            Reply::Load(_) => "load",
            Reply::Unsupported { .. } => "unsupported",
            Reply::Error { .. } => "error",
        };
        let reason = format!("{} answered {asked} with `{word}`", self.process.name());
        self.fail(FailureKind::BadAnswer, Manner::Terminate, reason)
    }

    /// Ends the process, if it was not; tells what a person should know about that.
    pub(super) fn close(&mut self) -> Vec<String> {
        if let Some(warnings) = self.ended.take() {
            return warnings;
        }
        let cut_short = self.busy || self.control.stopped();
        let manner = if cut_short { Manner::Terminate } else { Manner::Ask };
        let mut ended = ending::end(&mut self.process, &self.control, self.graces, manner, self.orphans.as_ref());
        if !cut_short && !self.process.unfinished().is_empty() {
            ended.warnings.push(format!(
                "{} wrote more to stdout than it was asked for, so its samples may belong to other runs than they were \
                 taken for; left over is {:?}",
                self.process.name(),
                self.process.unfinished()
            ));
        }
        if let Some(status) = self.process.status()
            && !status.success()
            && ended.warnings.is_empty()
            && !cut_short
            && !self.control.stopped()
        {
            let (name, how) = (self.process.name(), describe(status));
            ended.warnings.push(format!("{name} {how} after its last answer; a worker should exit with 0"));
        }
        ended.warnings
    }
}

/// The protocol version that a line names, if it is a message of another version than ours.
fn other_version(line: &str) -> Option<u32> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let version = u32::try_from(message.get("protocol")?.as_u64()?).ok()?;
    (version != protocol::VERSION).then_some(version)
}
