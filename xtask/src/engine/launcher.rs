//! The seam between the walk over a schedule and whoever starts workers: two traits, and what they can end with.
//!
//! [`ProcessLauncher`](super::workers::ProcessLauncher) starts processes;
//! [`ScriptedLauncher`](super::scripted::ScriptedLauncher) answers from a script. Nothing here starts anything.

use std::path::Path;
use std::time::Duration;

use protocol::{Job, Pace, Ready};

use super::failure::{Failure, FailureKind};
use crate::matrix::plan::{BurnRate, HttpWork};
use crate::results::record::Measured;

/// What a cell's processes are started for.
#[derive(Debug, Clone)]
pub struct Assignment<'a> {
    /// Who asks, for messages and scripts: the cell's id, or `calibration of python3.14t`.
    pub label: &'a str,
    /// What executes it: `rust`, or the name of a runtime of the plan.
    pub runtime: &'a str,
    /// The work.
    pub duty: Duty<'a>,
    /// How long one run may take. An open loop has its own duration: where that and the drain do not fit, they decide.
    pub timeout: Duration,
}

/// The work of an assignment.
#[derive(Debug, Clone)]
pub enum Duty<'a> {
    /// A fixed set of tasks, by one worker.
    Batch(Job),
    /// A server under load: a server and its client, which are one cell.
    Http(HttpDuty<'a>),
}

/// A server and the load on it, with everything that was measured beforehand.
#[derive(Debug, Clone)]
pub struct HttpDuty<'a> {
    /// The server, and the load but for its pace.
    pub work: &'a HttpWork,
    /// The pace.
    pub pace: Pace,
    /// What turns the CPU time of a request into a count.
    pub rate: BurnRate,
    /// Where the matrix file is: the folder of servers that it brings along.
    pub folder: &'a Path,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// The worker is at fault, or something that it needs.
    Failed(Failure),
    /// Somebody asked us to stop (Ctrl-C).
    Interrupted,
    /// We were suspended (Ctrl-Z) and continued: the repetition does not count.
    Suspended,
}

impl Halt {
    /// A failure with nothing on stderr.
    #[must_use]
    pub fn failed(kind: FailureKind, reason: impl Into<String>) -> Self {
        Self::Failed(Failure::new(kind, reason))
    }
}

/// Starts workers, those of one assignment at a time.
pub trait Launcher {
    /// Starts the worker of an assignment; it has not been spoken to yet. The processes of an HTTP cell are only looked
    /// up here, and started by [`prepare`](Session::prepare).
    ///
    /// # Errors
    /// It is not installed, could not be started, or would not fit the limits of the system.
    fn launch(&mut self, assignment: &Assignment<'_>) -> Result<Box<dyn Session>, Failure>;
}

/// A worker that was started, or a server and its client. It must be [closed](Session::close), whatever it answered.
pub trait Session {
    /// Hands the job over and waits until everybody is ready. Called once, first. The answer is what the workers said
    /// about themselves, those that speak the protocol.
    ///
    /// # Errors
    /// A worker cannot do the job, broke the protocol, died or took too long; or we were interrupted or suspended.
    fn prepare(&mut self) -> Result<Vec<Ready>, Halt>;

    /// One repetition.
    ///
    /// # Errors
    /// As [`prepare`](Session::prepare).
    fn run(&mut self, warmup: bool) -> Result<Measured, Halt>;

    /// Ends the worker and all that it started; returns when none of it lives any more. The answer is what a person
    /// should know about that, one sentence each.
    fn close(self: Box<Self>) -> Vec<String>;
}
