//! What the orchestrator and a worker say to each other: version 1 of the worker protocol.
//!
//! One JSON object a line. [`Request`]s go to the worker's stdin, [`Reply`]s come from its stdout; stderr is for
//! people. `docs/protocol.md` is the full text, written for authors of workers in other languages.
//!
//! This crate holds the words and nothing else: no process is started here and no work is done. It is the only
//! vocabulary that the orchestrator shares with the workers.

mod checksum;
mod histogram;
mod http;
mod job;
mod message;
mod sample;
mod task;
mod words;

pub use checksum::{Checksum, fold, mix, task_seed};
pub use histogram::Histogram;
pub use http::{
    Arrivals, ErrorKind, Expect, HttpModel, HttpRequest, Listen, LoadJob, LoadSample, Pace, REQUEST_SEEDS, ServeJob,
    Served,
};
pub use job::{BatchJob, Job, Lock, MailJob, Model};
pub use message::{MalformedLine, Reply, Request};
pub use sample::{Ready, Sample, Usage};
pub use task::{By, Database, Query, Task};

/// The protocol version that this crate speaks. A worker that answers with another one is not measured.
pub const VERSION: u32 = 1;

/// Environment variable that carries the process id of whoever started the worker.
///
/// A worker that finds it dies with that process (`PR_SET_PDEATHSIG`), and at once if its parent is already another
/// one. It is not set when a person drives a worker by hand.
pub const PARENT_PID_VARIABLE: &str = "PARALLAX_PARENT_PID";
