//! The launcher with processes: finds the program of an assignment and starts it.

use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::binaries::{self, Binaries, NotFound};
use super::ending::Orphans;
use super::failure::{Failure, FailureKind};
use super::launcher::{Assignment, Launcher, Session};
use super::linux;
use super::process::{Process, WorkerCommand};
use super::session::{Limits, ProcessSession};
use super::signals::{ChildExits, Control};
use crate::matrix::plan::{RUST_RUNTIME, Runtime};

/// Environment variable by which the descendants of a launcher's workers are known.
const MARK: &str = "PARALLAX_LAUNCHER";

/// Starts worker processes.
#[derive(Debug)]
pub struct ProcessLauncher {
    runtimes: BTreeMap<String, Result<WorkerCommand, NotFound>>,
    binaries: Binaries,
    control: Control,
    limits: Limits,
    orphans: Orphans,
    exits: Rc<ChildExits>,
}

impl ProcessLauncher {
    /// A launcher for the plan's runtimes and the workers that were built. Looks the runtimes up now: what is missing
    /// fails when it is needed.
    ///
    /// From here on this process adopts the orphans of all its descendants.
    ///
    /// # Errors
    /// The system gives no socket pair or takes no signal handler.
    pub fn new(runtimes: &[Runtime], binaries: Binaries, control: Control) -> io::Result<Self> {
        static LAUNCHERS: AtomicU32 = AtomicU32::new(0);
        linux::adopt_orphans();
        let number = LAUNCHERS.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            runtimes: runtimes.iter().map(|runtime| (runtime.name.clone(), binaries::resolve(runtime))).collect(),
            binaries,
            control,
            limits: Limits::default(),
            orphans: Orphans {
                mark: (MARK.to_owned(), format!("{}.{number}", std::process::id())),
                alone: false,
                inherited: linux::children().unwrap_or_default(),
            },
            exits: Rc::new(ChildExits::listen()?),
        })
    }

    /// Changes how long workers may take.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Promises that nothing else in this process starts processes while a worker runs. Every unknown child is then an
    /// orphan of a worker, also one that hid its descent by clearing its environment.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.orphans.alone = true;
        self
    }

    fn command(&self, assignment: &Assignment<'_>) -> Result<WorkerCommand, Failure> {
        let failure = |kind, reason| Failure { kind, reason, stderr_tail: Vec::new() };
        if assignment.runtime == RUST_RUNTIME {
            let name = binaries::worker_of(assignment.job);
            let program = self.binaries.path(name).ok_or_else(|| {
                failure(FailureKind::NotStarted, format!("{name} was not built: run `cargo build --release -p {name}`"))
            })?;
            return Ok(WorkerCommand { program: program.to_owned(), arguments: vec![], environment: vec![] });
        }
        match self.runtimes.get(assignment.runtime) {
            Some(Ok(command)) => Ok(command.clone()),
            Some(Err(not_found)) => Err(failure(FailureKind::Missing, not_found.to_string())),
            None => {
                let reason = format!("the matrix has no [[runtime]] with the name {:?}", assignment.runtime);
                Err(failure(FailureKind::NotStarted, reason))
            }
        }
    }
}

impl Launcher for ProcessLauncher {
    fn launch(&mut self, assignment: &Assignment<'_>) -> Result<Box<dyn Session>, Failure> {
        let mut command = self.command(assignment)?;
        command.environment.push(self.orphans.mark.clone());
        let process = Process::start(&command, &self.control, &self.exits).map_err(|error| Failure {
            kind: FailureKind::NotStarted,
            reason: format!("{} could not be started: {error}", command.program.display()),
            stderr_tail: Vec::new(),
        })?;
        Ok(Box::new(ProcessSession {
            process,
            job: assignment.job.clone(),
            timeout: assignment.timeout,
            limits: self.limits,
            control: self.control.clone(),
            orphans: self.orphans.clone(),
            busy: false,
            ended: None,
        }))
    }
}
