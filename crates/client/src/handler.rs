//! Which jobs this worker takes.

use anyhow::Result;
use protocol::Job;
use worker::{Answer, Handler, Identity, Prepared, Refusal};

use crate::Client;

/// Name and version of this worker.
pub const IDENTITY: Identity = Identity { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };

/// Takes load jobs.
pub struct LoadGenerator;

impl Handler for LoadGenerator {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        match job {
            Job::Load(job) => Ok(Box::new(Client::new(&job)?)),
            _ => Err(Refusal::Unsupported("client does load jobs only".to_owned())),
        }
    }
}

impl Prepared for Client {
    fn run(&mut self, _warmup: bool) -> Result<Answer> {
        Ok(Answer::Load(Box::new(Self::run(self)?)))
    }
}
