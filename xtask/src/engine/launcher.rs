//! The seam between the walk over a schedule and whoever starts workers: two traits, and what they can end with.
//!
//! [`ProcessLauncher`](super::workers::ProcessLauncher) starts processes;
//! [`ScriptedLauncher`](super::scripted::ScriptedLauncher) answers from a script. Nothing here starts anything.

use std::time::Duration;

use protocol::{Job, Ready};

use super::failure::{Failure, FailureKind};
use crate::results::record::Measured;

/// What a worker is started for.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// Who asks, for messages and scripts: the cell's id, or `calibration of python3.14t`.
    pub label: &'a str,
    /// What executes it: `rust`, or the name of a runtime of the plan.
    pub runtime: &'a str,
    /// The work.
    pub job: &'a Job,
    /// How long one run may take.
    pub timeout: Duration,
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
        Self::Failed(Failure { kind, reason: reason.into(), stderr_tail: Vec::new() })
    }
}

/// Starts workers, one at a time.
pub trait Launcher {
    /// Starts the worker of an assignment; it has not been spoken to yet.
    ///
    /// # Errors
    /// It is not installed, or could not be started.
    fn launch(&mut self, assignment: &Assignment<'_>) -> Result<Box<dyn Session>, Failure>;
}

/// A worker that was started. It must be [closed](Session::close), whatever it answered.
pub trait Session {
    /// Hands the job over and waits until the worker is ready. Called once, first.
    ///
    /// # Errors
    /// The worker cannot do the job, broke the protocol, died or took too long; or we were interrupted or suspended.
    fn prepare(&mut self) -> Result<Ready, Halt>;

    /// One repetition.
    ///
    /// # Errors
    /// As [`prepare`](Session::prepare).
    fn run(&mut self, warmup: bool) -> Result<Measured, Halt>;

    /// Ends the worker and all that it started; returns when none of it lives any more. The answer is what a person
    /// should know about that, one sentence each.
    fn close(self: Box<Self>) -> Vec<String>;
}
