//! Our own server: it speaks the worker protocol and knows what it served.

use protocol::{Job, Listen, Reply, ServeJob};

use super::server::{Account, Listening, Server};
use crate::engine::conversation::{Break, Conversation, Limit};
use crate::engine::ending::Manner;
use crate::engine::failure::FailureKind;
use crate::engine::launcher::Halt;
use crate::engine::process::Process;
use crate::engine::spawn::WorkerCommand;
use crate::engine::starter::Starter;
use crate::matrix::plan::{self, BurnRate};

/// Our server.
#[derive(Debug)]
pub struct OwnServer {
    command: WorkerCommand,
    job: ServeJob,
    starter: Starter,
    conversation: Option<Conversation>,
}

impl OwnServer {
    /// A server that is not started yet.
    pub fn new(command: WorkerCommand, spec: &plan::OwnServer, rate: BurnRate, starter: Starter) -> Self {
        Self { command, job: spec.job(rate), starter, conversation: None }
    }

    /// Asks what it served since it was asked last. It does not work for that, and so has the time to get ready.
    fn served(&mut self, warmup: bool) -> Result<protocol::Served, Halt> {
        let conversation = self.conversation.as_mut().expect("the server was started");
        let limit = Limit { time: self.starter.limits.ready, asked: "what it served", advice: "" };
        match conversation.run(warmup, limit, None).map_err(Break::alone)? {
            Reply::Served(served) => Ok(served),
            other => Err(conversation.unexpected(limit.asked, &other)),
        }
    }
}

impl Server for OwnServer {
    fn start(&mut self) -> Result<Listening, Halt> {
        let conversation = self.starter.converse("the server", &self.command, true).map_err(Halt::Failed)?;
        let conversation = self.conversation.insert(conversation);
        let limit = Limit::ready(self.starter.limits.ready);
        let ready = conversation.prepare(Job::Serve(self.job.clone()), limit, None).map_err(Break::alone)?;
        let ports = match self.job.listen {
            Listen::PerPort => &ready.ports[..],
            Listen::ReusePort | Listen::Shared | Listen::HandOff => &ready.ports[..ready.ports.len().min(1)],
        };
        if ports.is_empty() {
            let reason = "the server said that it is ready and named no port".to_owned();
            return Err(conversation.fail(FailureKind::BadAnswer, Manner::Ask, reason));
        }
        let targets = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        Ok(Listening { targets, ready: Some(ready) })
    }

    fn process(&mut self) -> Option<&mut Process> {
        self.conversation.as_mut().map(Conversation::process)
    }

    fn begin(&mut self, warmup: bool) -> Result<(), Halt> {
        self.served(warmup).map(drop)
    }

    fn account(&mut self, warmup: bool) -> Result<Account, Halt> {
        Ok(Account { served: Some(self.served(warmup)?), usage: None })
    }

    fn fail(&mut self, kind: FailureKind, reason: String) -> Halt {
        match &mut self.conversation {
            Some(conversation) => conversation.fail(kind, Manner::Ask, reason),
            None => Halt::failed(kind, reason),
        }
    }

    fn close(&mut self) -> Vec<String> {
        self.conversation.as_mut().map(Conversation::close).unwrap_or_default()
    }
}
