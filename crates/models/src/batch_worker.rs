//! A worker that does batches: what `cpu-worker`, `io-worker` and `everyday-worker` have in common, and which of them does
//! what.

use std::{collections::BTreeMap, process::ExitCode, sync::Arc};

use anyhow::Result;
use protocol::{Job, Task};
use serde_json::Value;
use worker::{Answer, Handler, Identity, Prepared, Refusal};
use workloads::Unsupported;

use crate::{Batch, run_batch};

/// One of our workers for batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worker {
    /// `cpu-worker`: what computes and needs no library.
    Cpu,
    /// `io-worker`: what waits and needs no library.
    Io,
    /// `everyday-worker`: what needs a library.
    Everyday,
}

impl Worker {
    /// The name of its program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu-worker",
            Self::Io => "io-worker",
            Self::Everyday => "everyday-worker",
        }
    }

    /// Who does a task.
    #[must_use]
    pub fn of(task: &Task) -> Self {
        match task {
            Task::SumOfSquares { .. } | Task::Burn { .. } | Task::Primes { .. } => Self::Cpu,
            Task::Wait { .. }
            | Task::WaitAndBurn { .. }
            | Task::Command { .. }
            | Task::HttpGet { .. }
            | Task::FileRead { .. }
            | Task::FileWrite { .. } => Self::Io,
            Task::SmtpSend { .. } | Task::DbSelect { .. } | Task::ResizeImage { .. } | Task::Zip { .. } => {
                Self::Everyday
            }
        }
    }
}

/// The whole of a worker's `main` function. `version` is the program's.
pub fn worker_main(worker: Worker, version: &'static str) -> ExitCode {
    worker::main(&Identity { name: worker.name(), version }, &worker)
}

impl Handler for Worker {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        let name = self.name();
        let Job::Batch(job) = job else {
            return Err(Refusal::Unsupported(format!("{name} does batch jobs only")));
        };
        let right = Self::of(&job.task);
        if right != *self {
            let message = format!("{name} does not do {}: {} does", job.task.op(), right.name());
            return Err(Refusal::Unsupported(message));
        }
        match Batch::new(&job) {
            Ok(batch) => Ok(Box::new(Runs(batch))),
            Err(error) => Err(match error.downcast::<Unsupported>() {
                Ok(Unsupported(message)) => Refusal::Unsupported(message),
                Err(error) => Refusal::Failed(error),
            }),
        }
    }
}

struct Runs(Batch);

impl Prepared for Runs {
    fn facts(&self) -> BTreeMap<String, Value> {
        self.0.operation.facts(&self.0.job.task)
    }

    fn run(&mut self, _warmup: bool) -> Result<Answer> {
        let batch = Arc::new(self.0.anew());
        let sample = run_batch(&batch)?.into_sample();
        let lock_wait_ns = batch.lock.waited().map(|waited| u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX));
        Ok(Answer::Sample { sample, lock_wait_ns })
    }
}
