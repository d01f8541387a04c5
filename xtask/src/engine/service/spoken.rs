//! Our own mail server and HTTP server: started for a process of a cell, spoken to by the worker protocol.

use protocol::{HttpModel, Job, Listen, Lock, MailJob};

use super::Service;
use crate::engine::conversation::{Break, Conversation, Limit};
use crate::engine::ending::Manner;
use crate::engine::failure::FailureKind;
use crate::engine::launcher::Halt;
use crate::engine::process::Process;
use crate::engine::spawn::WorkerCommand;
use crate::engine::starter::Starter;
use crate::matrix::plan::{BurnRate, CpuWork, Endpoints, OwnServer};
use crate::number::nanoseconds;

/// Which server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mail,
    Http,
}

/// A server of ours.
#[derive(Debug)]
pub(super) struct Spoken {
    kind: Kind,
    command: WorkerCommand,
    job: Job,
    starter: Starter,
    conversation: Option<Conversation>,
    address: Option<String>,
}

impl Spoken {
    /// A mail server that is not started yet.
    pub(super) fn mail(command: WorkerCommand, delay: std::time::Duration, starter: Starter) -> Self {
        let delay_ns = nanoseconds(delay);
        Self::new(Kind::Mail, command, Job::Mail(MailJob { delay_ns }), starter)
    }

    /// An HTTP server that is not started yet: it waits, and computes on as many CPUs as there are.
    pub(super) fn http(
        command: WorkerCommand,
        (io, cpu): (std::time::Duration, CpuWork),
        (cores, rate): (u32, BurnRate),
        starter: Starter,
    ) -> Self {
        let spec = OwnServer {
            model: HttpModel::WorkStealing,
            workers: cores.max(1),
            lock: Lock::None,
            switch_interval: None,
            listen: Listen::PerPort,
            io,
            cpu,
        };
        Self::new(Kind::Http, command, Job::Serve(spec.job(rate)), starter)
    }

    fn new(kind: Kind, command: WorkerCommand, job: Job, starter: Starter) -> Self {
        Self { kind, command, job, starter, conversation: None, address: None }
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Mail => "the mail server",
            Kind::Http => "the HTTP server",
        }
    }
}

impl Service for Spoken {
    fn start(&mut self) -> Result<(), Halt> {
        let name = self.name();
        let conversation = self.starter.converse(name, &self.command, false).map_err(Halt::Failed)?;
        let conversation = self.conversation.insert(conversation);
        let limit = Limit::ready(self.starter.limits.ready);
        let ready = conversation.prepare(self.job.clone(), limit, None).map_err(Break::alone)?;
        let Some(port) = ready.ports.first() else {
            let reason = format!("{name} said that it is ready and named no port");
            return Err(conversation.fail(FailureKind::BadAnswer, Manner::Ask, reason));
        };
        self.address = Some(format!("127.0.0.1:{port}"));
        Ok(())
    }

    fn offer(&self, endpoints: &mut Endpoints) {
        match self.kind {
            Kind::Mail => endpoints.mail.clone_from(&self.address),
            Kind::Http => endpoints.http.clone_from(&self.address),
        }
    }

    fn process(&mut self) -> Option<&mut Process> {
        self.conversation.as_mut().map(Conversation::process)
    }

    fn fail(&mut self, kind: FailureKind, reason: String) -> Halt {
        match &mut self.conversation {
            Some(conversation) => conversation.fail(kind, Manner::Ask, reason),
            None => Halt::failed(kind, reason),
        }
    }

    fn close(&mut self) -> Vec<String> {
        self.conversation.take().map(|mut conversation| conversation.close()).unwrap_or_default()
    }
}
