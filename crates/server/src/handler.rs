//! Which jobs this worker takes.

use anyhow::{Result, anyhow};
use protocol::{Job, ServeJob};
use serde_json::Value;
use std::collections::BTreeMap;
use worker::{Answer, Handler, Identity, Prepared, Refusal};

use crate::{limits, models, served::Running};

/// Name and version of this worker.
pub const IDENTITY: Identity = Identity { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };

/// Two hexadecimal digits name no more.
const MAX_WORKERS: u32 = 256;

/// Takes serve jobs.
pub struct Server;

impl Handler for Server {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        Ok(Box::new(Serving(models::start(&checked(job)?)?)))
    }
}

/// The job, if it is one for a server and its numbers are possible.
pub fn checked(job: Job) -> Result<ServeJob, Refusal> {
    let Job::Serve(job) = job else {
        return Err(Refusal::Unsupported("server does serve jobs only".to_owned()));
    };
    match job.workers {
        0 => Err(anyhow!("workers is 0: a server needs at least one").into()),
        1..=MAX_WORKERS => Ok(job),
        workers => Err(anyhow!(
            "workers is {workers}: at most {MAX_WORKERS} are possible, as two digits of each answer name the worker"
        )
        .into()),
    }
}

/// A server that runs.
pub struct Serving(pub Box<dyn Running>);

impl Prepared for Serving {
    fn facts(&self) -> BTreeMap<String, Value> {
        BTreeMap::from([("max_open_files".to_owned(), limits::open_files().map_or(Value::Null, Value::from))])
    }

    fn ports(&self) -> Vec<u16> {
        self.0.ports()
    }

    fn run(&mut self, _warmup: bool) -> Result<Answer> {
        self.0.served().map(Answer::Served)
    }
}
