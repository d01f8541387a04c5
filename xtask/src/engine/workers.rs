//! The launcher with processes: finds the programs of an assignment and starts them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::env;
use std::io;
use std::path::{Path, PathBuf};

use protocol::Job;

use super::binaries::{self, Binaries, CLIENT, NotFound, SERVER};
use super::conversation::Limits;
use super::event::Note;
use super::failure::{Failure, FailureKind};
use super::http::{HttpSession, Server, command, own, running};
use super::launcher::{Assignment, Duty, HttpDuty, Launcher, ServicedDuty, Session};
use super::service::session::ServicedSession;
use super::service::stock::Stock;
use super::session::ProcessSession;
use super::signals::Control;
use super::spawn::WorkerCommand;
use super::starter::Starter;
use crate::matrix::plan::{RUST_RUNTIME, Runtime, Scenario, ServerCommand, ServerSpec};

/// Starts worker processes.
#[derive(Debug)]
pub struct ProcessLauncher {
    runtimes: BTreeMap<String, Result<WorkerCommand, NotFound>>,
    /// How to get a program, by its name in the command of a runtime.
    installs: BTreeMap<String, String>,
    /// Our own workers, by name.
    workers: BTreeMap<&'static str, WorkerCommand>,
    starter: Starter,
    /// What cells need around their workers.
    stock: Stock,
    /// Builds workers that were not built before.
    builder: Option<Builder>,
    /// Why workers could not be built.
    failed_builds: BTreeMap<&'static str, String>,
}

/// Builds workers.
pub type Builder = fn(&BTreeSet<&'static str>) -> anyhow::Result<Binaries>;

impl ProcessLauncher {
    /// A launcher for the plan's runtimes and the workers that were built. Looks the runtimes up now: what is missing
    /// fails when it is needed.
    ///
    /// From here on this process adopts the orphans of all its descendants.
    ///
    /// # Errors
    /// The system gives no socket pair or takes no signal handler.
    pub fn new(runtimes: &[Runtime], binaries: Binaries, control: Control) -> io::Result<Self> {
        let install = |runtime: &Runtime| Some((runtime.command.first()?.clone(), runtime.install.clone()?));
        Ok(Self {
            runtimes: runtimes.iter().map(|runtime| (runtime.name.clone(), binaries::resolve(runtime))).collect(),
            installs: runtimes.iter().filter_map(install).collect(),
            workers: binaries.iter().map(|(name, path)| (name, WorkerCommand::of(path.to_owned()))).collect(),
            starter: Starter::new(control)?,
            stock: Stock::default(),
            builder: None,
            failed_builds: BTreeMap::new(),
        })
    }

    /// Changes how long workers may take.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.starter.limits = limits;
        self
    }

    /// Takes another program for one of our own workers, such as one that misbehaves on request.
    #[must_use]
    pub fn with_worker(mut self, name: &'static str, command: WorkerCommand) -> Self {
        self.workers.insert(name, command);
        self
    }

    /// Makes the folders of tasks that name no other place in this one.
    #[must_use]
    pub fn with_scratch(mut self, folder: PathBuf) -> Self {
        self.stock = Stock::new(folder);
        self
    }

    /// Builds workers that are missing when the first scenario is reached that needs them.
    #[must_use]
    pub fn with_builder(mut self, builder: Builder) -> Self {
        self.builder = Some(builder);
        self
    }

    /// Promises that nothing else in this process starts processes while a worker runs. Every unknown child is then an
    /// orphan of a worker, also one that hid its descent by clearing its environment.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.starter.orphans.alone = true;
        self
    }

    /// The program of one of our own workers.
    fn own(&self, name: &'static str) -> Result<WorkerCommand, Failure> {
        self.workers.get(name).cloned().ok_or_else(|| {
            let reason = match self.failed_builds.get(name) {
                Some(why) => format!("{name} was not built: {why}"),
                None => format!("{name} was not built: run `cargo build --release -p {name}`"),
            };
            Failure::new(FailureKind::NotStarted, reason)
        })
    }

    fn worker_command(&self, runtime: &str, ours: impl FnOnce() -> &'static str) -> Result<WorkerCommand, Failure> {
        if runtime == RUST_RUNTIME {
            return self.own(ours());
        }
        match self.runtimes.get(runtime) {
            Some(Ok(command)) => Ok(command.clone()),
            Some(Err(not_found)) => Err(Failure::new(FailureKind::Missing, not_found.to_string())),
            None => {
                let reason = format!("the matrix has no [[runtime]] with the name {runtime:?}");
                Err(Failure::new(FailureKind::NotStarted, reason))
            }
        }
    }

    fn batch(&self, assignment: &Assignment<'_>, job: &Job) -> Result<Box<dyn Session>, Failure> {
        let command = self.worker_command(assignment.runtime, || binaries::worker_of(job))?;
        Ok(Box::new(ProcessSession {
            conversation: self.starter.converse("the worker", &command, true)?,
            job: job.clone(),
            ready: self.starter.limits.ready,
            timeout: assignment.timeout,
        }))
    }

    fn serviced(&mut self, assignment: &Assignment<'_>, duty: &ServicedDuty<'_>) -> Result<Box<dyn Session>, Failure> {
        // First what is missing: that is no fault of anybody, whatever else is wrong.
        let mut stock = std::mem::take(&mut self.stock);
        let around = stock.surround(duty, &self.starter, &|name| self.own(name));
        self.stock = stock;
        let command = self.worker_command(assignment.runtime, || binaries::worker_for(&duty.work.task))?;
        let session = ServicedSession::new(around?, command, duty, assignment.timeout, self.starter.clone());
        Ok(Box::new(session))
    }

    fn http(&self, assignment: &Assignment<'_>, duty: &HttpDuty<'_>) -> Result<Box<dyn Session>, Failure> {
        let client = self.own(CLIENT)?;
        let server: Box<dyn Server> = match &duty.work.server {
            ServerSpec::Own(spec) => {
                let program = self.worker_command(assignment.runtime, || SERVER)?;
                Box::new(own::OwnServer::new(program, spec, duty.rate, self.starter.clone()))
            }
            ServerSpec::Command(spec) => {
                let program = self.server_command(spec, duty)?;
                Box::new(command::CommandServer::new(program, spec.clone(), self.starter.clone()))
            }
            ServerSpec::Running(spec) => Box::new(running::RunningServer::new(spec.clone())),
        };
        let session = HttpSession::new(server, client, duty, assignment.timeout, self.starter.clone())?;
        Ok(Box::new(session))
    }

    /// The command of a server that the matrix brings along, with everything but its ports. Paths start from the folder
    /// that it runs in, as if somebody had gone there and typed it.
    fn server_command(&self, spec: &ServerCommand, duty: &HttpDuty<'_>) -> Result<WorkerCommand, Failure> {
        let here = env::current_dir().unwrap_or_default();
        let folder = here.join(duty.folder).join(spec.cwd.as_deref().unwrap_or(Path::new("")));
        if !folder.is_dir() {
            let reason = format!("{}, the working folder of the server, is not a folder", folder.display());
            return Err(Failure::new(FailureKind::NotStarted, reason));
        }
        let name = spec.command.first().map_or("", String::as_str);
        let program = binaries::find_program(name, &spec.env, &folder).ok_or_else(|| {
            let install = self.installs.get(name).cloned();
            Failure::new(FailureKind::Missing, NotFound { program: name.to_owned(), install }.to_string())
        })?;
        Ok(WorkerCommand {
            program,
            arguments: spec.command[1..].to_vec(),
            environment: spec.env.clone(),
            folder: Some(folder),
        })
    }
}

impl Launcher for ProcessLauncher {
    fn launch(&mut self, assignment: &Assignment<'_>) -> Result<Box<dyn Session>, Failure> {
        match &assignment.duty {
            Duty::Batch(job) => self.batch(assignment, job),
            Duty::Serviced(duty) => self.serviced(assignment, duty),
            Duty::Http(duty) => self.http(assignment, duty),
        }
    }

    fn unbuilt(&self, scenario: &Scenario, skip: &HashSet<String>) -> BTreeSet<&'static str> {
        if self.builder.is_none() {
            return BTreeSet::new();
        }
        let mut needed = binaries::needed_by(scenario, skip);
        needed.retain(|worker| !self.workers.contains_key(worker) && !self.failed_builds.contains_key(worker));
        needed
    }

    fn build(&mut self, workers: &BTreeSet<&'static str>) -> Vec<PathBuf> {
        let Some(builder) = self.builder else { return Vec::new() };
        let mut built = Vec::new();
        // One by one: what does not compile is no fault of the others.
        for worker in workers {
            match builder(&BTreeSet::from([*worker])) {
                Ok(binaries) => {
                    for (name, path) in binaries.iter() {
                        self.workers.insert(name, WorkerCommand::of(path.to_owned()));
                        built.push(path.to_owned());
                    }
                }
                Err(error) => drop(self.failed_builds.insert(worker, format!("{error:#}"))),
            }
        }
        built
    }

    fn release(&mut self) -> Vec<String> {
        self.stock.end()
    }

    fn take_notes(&mut self) -> Vec<Note> {
        self.stock.take_notes()
    }
}
