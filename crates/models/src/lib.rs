//! How many tasks run at once: one file per concurrency model.
//!
//! [`run`] does the tasks of a job once, under the model that the job names, and says how long it took. Every run makes
//! its threads, loops and processes anew and ends them; making them is [`Outcome::setup`], and [`Outcome::elapsed`]
//! begins when all of them are ready and are let go. Every model computes the same checksum for the same tasks.
//!
//! What a task does is not decided here but in the `workloads` crate.
//!
//! # The interpreter lock
//!
//! A thread holds the lock whenever it may run code of a task. It lets go around waits, and an event loop around every
//! park, by tokio's hooks: `on_thread_park` runs after the loop has found nothing to do and before it blocks,
//! `on_thread_unpark` after that and before it polls a task. Neither runs while tokio holds a mutex of its own, and no
//! thread joins another or waits at the start while it holds the lock, so the lock cannot take part in a deadlock.

mod async_loop;
mod batch;
mod batch_worker;
mod event_loop;
mod loops;
mod offload;
mod outcome;
mod pool;
mod processes;
mod rayon_pool;
mod sequential;
mod tally;
mod task;
#[cfg(test)]
mod tests;
mod threads;
mod work_stealing;

use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use protocol::{BatchJob, Model};

pub use batch::Batch;
pub use batch_worker::{Worker, worker_main};
pub use outcome::Outcome;

/// Prepares a job and does its tasks once.
///
/// # Errors
/// The job asks for something impossible, the system refused a thread or a process, or a task failed or panicked.
pub fn run(job: &BatchJob) -> Result<Outcome> {
    run_batch(&Arc::new(Batch::new(job)?))
}

/// Does the tasks of a job that is prepared.
///
/// # Errors
/// The system refused a thread or a process, or a task failed or panicked.
pub fn run_batch(batch: &Arc<Batch>) -> Result<Outcome> {
    let job = &batch.job;
    let outcome = worker::caught(|| match job.model {
        Model::Sequential => sequential::run(batch),
        Model::Threads => threads::run(batch),
        Model::Processes => processes::run(batch),
        Model::Async => async_loop::run(batch),
        Model::Loops => loops::run(batch),
        Model::WorkStealing => work_stealing::run(batch),
        Model::Rayon => rayon_pool::run(batch),
        Model::Offload => offload::run(batch),
        // The conversation of a worker refuses these before they come here.
        Model::Interpreters | Model::Ractors => bail!("model {} is of an interpreter: Rust has none", job.model),
    })?;
    let done: u64 = outcome.by_worker.iter().sum();
    ensure!(
        done == job.tasks,
        "{done} of {} tasks were done and the others lost: a bug in model {}",
        job.tasks,
        job.model
    );
    Ok(outcome)
}
