//! The seam between the walk over a schedule and whoever starts workers: two traits, and what they can end with.
//!
//! [`ProcessLauncher`](super::workers::ProcessLauncher) starts processes;
//! [`ScriptedLauncher`](super::scripted::ScriptedLauncher) answers from a script. Nothing here starts anything.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::{BatchJob, Job, Lock, Model, Pace, Ready, Task};

use super::event::Note;
use super::failure::{Failure, FailureKind};
use crate::matrix::plan::{BatchWork, BurnRate, Endpoints, HttpWork, Need, Scenario};
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
    /// The same, by a worker that needs something around it.
    Serviced(ServicedDuty<'a>),
    /// A server under load: a server and its client, which are one cell.
    Http(HttpDuty<'a>),
}

/// A fixed set of tasks with what they need, and everything that was measured beforehand.
#[derive(Debug, Clone)]
pub struct ServicedDuty<'a> {
    /// The tasks, but for their number.
    pub work: &'a BatchWork,
    /// How many tasks there are.
    pub tasks: u64,
    /// What turns CPU time into a count.
    pub rate: BurnRate,
    /// What must be there.
    pub needs: Vec<Need>,
    /// Usable CPUs.
    pub cores: u32,
}

impl<'a> Duty<'a> {
    /// One task that burns so many steps, by one worker without a lock.
    #[must_use]
    pub fn burn(iterations: u64) -> Self {
        Self::Batch(Job::Batch(BatchJob {
            model: Model::Sequential,
            workers: 1,
            lock: Lock::None,
            switch_interval_ns: None,
            tasks: 1,
            first_task: 0,
            steps: 1,
            task: Task::Burn { iterations },
        }))
    }

    /// A fixed set of tasks, with what they need and what `others` says besides.
    #[must_use]
    pub fn batch(work: &'a BatchWork, tasks: u64, rate: BurnRate, others: &[Need], cores: u32) -> Self {
        let mut needs = work.task.needs();
        needs.extend(others.iter().filter(|need| !work.task.needs().contains(need)).cloned());
        match needs.is_empty() {
            true => Self::Batch(Job::Batch(work.job(rate, tasks, &Endpoints::default()))),
            false => Self::Serviced(ServicedDuty { work, tasks, rate, needs, cores }),
        }
    }
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

    /// Our own workers that the cells of a scenario need, those in `skip` (by id) left out, and that are not built yet.
    fn unbuilt(&self, _scenario: &Scenario, _skip: &HashSet<String>) -> BTreeSet<&'static str> {
        BTreeSet::new()
    }

    /// Builds workers, and answers where they are. One that cannot be built fails the cells that need it.
    fn build(&mut self, _workers: &BTreeSet<&'static str>) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Ends what was kept for the cells of a scenario, as they are over; tells what a person should know about that.
    fn release(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// What was found out since it was asked last and belongs into the record.
    fn take_notes(&mut self) -> Vec<Note> {
        Vec::new()
    }
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

/// Starts the processes of something that is asked beside the cells, has `talk` talk to them, and ends them, whatever
/// came of it. What a person should know about their end goes to `warn`.
///
/// # Errors
/// They could not be started, or those of `talk`.
pub fn with_session<T>(
    launcher: &mut dyn Launcher,
    assignment: &Assignment<'_>,
    warn: &mut dyn FnMut(String),
    talk: impl FnOnce(&mut dyn Session) -> Result<T, Halt>,
) -> Result<T, Halt> {
    let mut session = launcher.launch(assignment).map_err(Halt::Failed)?;
    let result = talk(&mut *session);
    for warning in session.close() {
        warn(format!("{}: {warning}", assignment.label));
    }
    result
}
