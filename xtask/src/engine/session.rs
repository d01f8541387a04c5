//! A batch cell: one worker process, asked for one sample a repetition.

use std::time::Duration;

use protocol::{Job, Ready, Reply};

use super::answer;
use super::conversation::{Break, Conversation, Limit};
use super::ending::Manner;
use super::launcher::{Halt, Session};
use super::process::Process;
use crate::results::record::Measured;

/// A worker process that is spoken to.
#[derive(Debug)]
pub(super) struct ProcessSession {
    pub(super) conversation: Conversation,
    pub(super) job: Job,
    /// How long getting ready may take.
    pub(super) ready: Duration,
    /// How long one run may take.
    pub(super) timeout: Duration,
}

impl ProcessSession {
    /// One repetition, or until the process beside has ended.
    pub(super) fn run_beside(&mut self, warmup: bool, beside: Option<&mut Process>) -> Result<Measured, Break> {
        let limit = Limit::run(self.timeout);
        match self.conversation.run(warmup, limit, beside)? {
            Reply::Sample(sample) => match answer::check(&self.job, &sample) {
                Ok(()) => Ok(Measured::Batch(sample)),
                Err(failure) => Err(self.conversation.fail(failure.kind, Manner::Ask, failure.reason).into()),
            },
            other => Err(self.conversation.unexpected(limit.asked, &other).into()),
        }
    }
}

impl Session for ProcessSession {
    fn prepare(&mut self) -> Result<Vec<Ready>, Halt> {
        let ready = self.conversation.prepare(self.job.clone(), Limit::ready(self.ready), None);
        ready.map(|ready| vec![ready]).map_err(Break::alone)
    }

    fn run(&mut self, warmup: bool) -> Result<Measured, Halt> {
        self.run_beside(warmup, None).map_err(Break::alone)
    }

    fn close(mut self: Box<Self>) -> Vec<String> {
        self.conversation.close()
    }
}
