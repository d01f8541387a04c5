//! What a worker can do, seen from the conversation.

use std::collections::BTreeMap;

use anyhow::{Error, Result};
use protocol::{Job, Sample};
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

    /// Does the work once. The sample's usage is that of child processes only; the conversation adds this process's own.
    ///
    /// # Errors
    /// The run has failed. The next one may succeed.
    fn run(&mut self, warmup: bool) -> Result<Sample>;
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
