//! A batch cell with its services: they are started before its worker and ended after it.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use protocol::{Job, Ready};

use super::Service;
use super::scratch::Scratch;
use crate::engine::conversation::{Break, Limit};
use crate::engine::ending::Manner;
use crate::engine::failure::FailureKind;
use crate::engine::launcher::{Halt, ServicedDuty, Session};
use crate::engine::process::describe;
use crate::engine::session::ProcessSession;
use crate::engine::spawn::WorkerCommand;
use crate::engine::starter::Starter;
use crate::matrix::plan::{BatchWork, BurnRate, Endpoints};
use crate::results::record::Measured;

/// A server that dies closes its connections first. So long after an error that may be the news of that, its death is
/// waited for.
const DEATH: Duration = Duration::from_millis(200);

/// A service that a cell has.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Held {
    pub service: Rc<RefCell<dyn Service>>,
    /// Whether it goes on when the cell's process has ended.
    pub kept: bool,
}

impl Held {
    /// A service for one process of a cell.
    pub fn new(service: impl Service + 'static) -> Self {
        Self { service: Rc::new(RefCell::new(service)), kept: false }
    }
}

/// What a cell has around its worker.
#[derive(Debug, Default)]
pub(in crate::engine) struct Surrounded {
    pub services: Vec<Held>,
    /// What is known before the services are started.
    pub endpoints: Endpoints,
    /// In which folder to make one.
    pub folder: Option<PathBuf>,
}

/// A worker and its services.
#[derive(Debug)]
pub(in crate::engine) struct ServicedSession {
    around: Surrounded,
    scratch: Option<Scratch>,
    worker: Option<ProcessSession>,
    command: WorkerCommand,
    work: BatchWork,
    rate: BurnRate,
    tasks: u64,
    timeout: Duration,
    starter: Starter,
}

impl ServicedSession {
    /// A cell of which nothing runs yet.
    pub(in crate::engine) fn new(
        around: Surrounded,
        command: WorkerCommand,
        duty: &ServicedDuty<'_>,
        timeout: Duration,
        starter: Starter,
    ) -> Self {
        Self {
            around,
            scratch: None,
            worker: None,
            command,
            work: duty.work.clone(),
            rate: duty.rate,
            tasks: duty.tasks,
            timeout,
            starter,
        }
    }

    /// Makes the folder and starts the services.
    fn provide(&mut self) -> Result<(), Halt> {
        if let Some(base) = &self.around.folder {
            let scratch = Scratch::create(base, "scratch").map_err(|error| {
                let reason = format!(
                    "no folder for its files can be made in {}: {error}; `folder` of the task names another place",
                    base.display()
                );
                Halt::failed(FailureKind::NotStarted, reason)
            })?;
            self.around.endpoints.folder = Some(scratch.path().to_owned());
            self.scratch = Some(scratch);
        }
        for held in &self.around.services {
            let mut service = held.service.borrow_mut();
            service.start()?;
            service.offer(&mut self.around.endpoints);
        }
        Ok(())
    }

    /// Has something done by the worker while the first server is watched.
    fn watched<T>(
        &mut self,
        when: &str,
        ask: impl FnOnce(&mut ProcessSession, Option<&mut crate::engine::process::Process>) -> Result<T, Break>,
    ) -> Result<T, Halt> {
        let worker = self.worker.as_mut().expect("the worker was started");
        let result = {
            let mut first = self.around.services.first().map(|held| held.service.borrow_mut());
            ask(worker, first.as_mut().and_then(|service| service.process()))
        };
        result.map_err(|stop| self.explain(stop, when))
    }

    /// The halt of a worker that got no further: the fault of a server that is dead.
    fn explain(&mut self, stop: Break, when: &str) -> Halt {
        if matches!(stop, Break::Halt(Halt::Interrupted | Halt::Suspended)) {
            return stop.alone();
        }
        for held in &self.around.services {
            let mut service = held.service.borrow_mut();
            let Some(process) = service.process() else { continue };
            if process.exits_within(DEATH) {
                let how = process.status().map_or_else(|| "ended".to_owned(), describe);
                let reason = format!("{} {how} {when}", process.name());
                if let Some(worker) = &mut self.worker {
                    worker.conversation.end(Manner::Terminate);
                }
                return service.fail(FailureKind::Died, reason);
            }
        }
        match stop {
            Break::Halt(halt) => halt,
            Break::Beside => Halt::failed(FailureKind::Died, format!("a server of the cell ended {when}")),
        }
    }
}

impl Session for ServicedSession {
    fn prepare(&mut self) -> Result<Vec<Ready>, Halt> {
        self.provide()?;
        let Endpoints { postgres, mail, .. } = &self.around.endpoints;
        let named = [("DATABASE_URL", postgres.clone()), ("SMTP_URL", mail.as_ref().map(|at| format!("smtp://{at}")))];
        let mut command = self.command.clone();
        command.environment.extend(named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let worker = ProcessSession {
            conversation: self.starter.converse("the worker", &command, true).map_err(Halt::Failed)?,
            job: Job::Batch(self.work.job(self.rate, self.tasks, &self.around.endpoints)),
            ready: self.starter.limits.ready,
            timeout: self.timeout,
        };
        let job = worker.job.clone();
        self.worker = Some(worker);
        let ready = self.watched("while the worker got ready", |worker, beside| {
            worker.conversation.prepare(job, Limit::ready(worker.ready), beside)
        });
        ready.map(|ready| vec![ready])
    }

    fn run(&mut self, warmup: bool) -> Result<Measured, Halt> {
        self.watched("while the worker asked it", |worker, beside| worker.run_beside(warmup, beside))
    }

    fn close(mut self: Box<Self>) -> Vec<String> {
        let mut warnings = self.worker.as_mut().map(|worker| worker.conversation.close()).unwrap_or_default();
        for held in self.around.services.iter().filter(|held| !held.kept) {
            warnings.extend(held.service.borrow_mut().close());
        }
        warnings.extend(self.scratch.take().and_then(Scratch::remove));
        warnings
    }
}
