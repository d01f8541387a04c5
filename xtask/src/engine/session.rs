//! A batch cell: one worker process, asked for one sample a repetition.

use std::time::Duration;

use protocol::{Job, Ready, Reply};

use super::answer;
use super::conversation::{Break, Conversation, Limit};
use super::ending::Manner;
use super::launcher::{Halt, Session};
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

impl Session for ProcessSession {
    fn prepare(&mut self) -> Result<Vec<Ready>, Halt> {
        let ready = self.conversation.prepare(self.job.clone(), Limit::ready(self.ready), None);
        ready.map(|ready| vec![ready]).map_err(Break::alone)
    }

    fn run(&mut self, warmup: bool) -> Result<Measured, Halt> {
        let limit = Limit::run(self.timeout);
        match self.conversation.run(warmup, limit, None).map_err(Break::alone)? {
            Reply::Sample(sample) => match answer::check(&self.job, &sample) {
                Ok(()) => Ok(Measured::Batch(sample)),
                Err(failure) => Err(self.conversation.fail(failure.kind, Manner::Ask, failure.reason)),
            },
            other => Err(self.conversation.unexpected(limit.asked, &other)),
        }
    }

    fn close(mut self: Box<Self>) -> Vec<String> {
        self.conversation.close()
    }
}
