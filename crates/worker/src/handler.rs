//! What a worker can do, seen from the conversation.

use std::collections::BTreeMap;

use anyhow::{Error, Result};
use protocol::{Job, LoadSample, Reply, Sample, Served};
use serde_json::Value;

/// Name and version of a worker.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// The name of the program.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// What a worker can do.
pub trait Handler {
    /// Prepares for the runs of a job.
    ///
    /// # Errors
    /// The job is not for this worker, or something that it needs is not there.
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal>;
}

/// A job that can be run.
pub trait Prepared {
    /// What is worth recording about this worker, beyond what every worker reports.
    fn facts(&self) -> BTreeMap<String, Value> {
        BTreeMap::new()
    }

    /// The ports that it listens on.
    fn ports(&self) -> Vec<u16> {
        Vec::new()
    }

    /// Does the work once. The usage of a sample is that of child processes only, and the conversation adds this process's
    /// own; that of a server is whole, as it works between the run requests.
    ///
    /// # Errors
    /// The run has failed. The next one may succeed.
    fn run(&mut self, warmup: bool) -> Result<Answer>;
}

/// The answer to a run request, by the kind of the job.
#[derive(Debug)]
pub enum Answer {
    /// Of a batch.
    Sample {
        /// What the run measured.
        sample: Sample,
        /// How long threads of this process waited for the emulated interpreter lock; `None` without one.
        lock_wait_ns: Option<u64>,
    },
    /// Of a server.
    Served(Served),
    /// Of a load generator.
    Load(Box<LoadSample>),
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Sample { sample, .. } => Self::Sample(sample),
            Answer::Served(served) => Self::Served(served),
            Answer::Load(sample) => Self::Load(sample),
        }
    }
}

/// Why a job is not done.
#[derive(Debug)]
pub enum Refusal {
    /// The job is understood, but this worker does not do such jobs.
    Unsupported(String),
    /// Something went wrong.
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
