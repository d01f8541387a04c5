//! Worker for operations that wait: `wait` and `wait-and-burn`.
//!
//! It speaks the worker protocol on stdin and stdout (`docs/protocol.md`). Which operations it takes is all that is
//! decided here.

use std::process::ExitCode;

use anyhow::Result;
use models::Batch;
use protocol::{BatchJob, Job, Task};
use worker::{Answer, Handler, Identity, Prepared, Refusal};

fn main() -> ExitCode {
    let identity = Identity { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };
    worker::main(&identity, &IoWorker)
}

struct IoWorker;

impl Handler for IoWorker {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        let Job::Batch(job) = job else {
            return Err(Refusal::Unsupported("io-worker does batch jobs only".to_owned()));
        };
        match job.task {
            Task::Wait { .. } | Task::WaitAndBurn { .. } => {}
            _ => {
                let message = format!("io-worker does not do {}: another of our workers may", job.task.op());
                return Err(Refusal::Unsupported(message));
            }
        }
        Batch::new(&job)?;
        Ok(Box::new(Runs(job)))
    }
}

struct Runs(BatchJob);

impl Prepared for Runs {
    fn run(&mut self, _warmup: bool) -> Result<Answer> {
        Ok(Answer::Sample(models::run(&self.0)?.into_sample()))
    }
}
