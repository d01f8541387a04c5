//! Worker for CPU-bound operations: `sum-of-squares`, `burn` and `primes`.
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
    worker::main(&identity, &CpuWorker)
}

struct CpuWorker;

impl Handler for CpuWorker {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        let Job::Batch(job) = job else {
            return Err(Refusal::Unsupported("cpu-worker does batch jobs only".to_owned()));
        };
        match job.task {
            Task::SumOfSquares { .. } | Task::Burn { .. } | Task::Primes { .. } => {}
            _ => {
                let message = format!("cpu-worker does not do {}: another of our workers may", job.task.op());
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
