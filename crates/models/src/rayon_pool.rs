//! `rayon`: a rayon pool, and a parallel iterator over the tasks.
//!
//! Rayon is made for computing: a task that waits blocks its thread of the pool. It has no hook for an idle thread, so
//! the interpreter lock is held for each part of the tasks that a thread does without a break.

use std::time::Instant;

use anyhow::{Context, Error, Result};
use interpreter_lock::InterpreterLock;
use protocol::Checksum;
use rayon::{
    ThreadPool, ThreadPoolBuilder, current_thread_index,
    iter::{IntoParallelIterator, ParallelIterator},
};
use workloads::{Step, with_step};

use crate::{Batch, Outcome, tally::Tally, task};

pub fn run(batch: &Batch) -> Result<Outcome> {
    let begun = Instant::now();
    let pool = ThreadPoolBuilder::new()
        .num_threads(batch.workers)
        .thread_name(|number| format!("worker-{number}"))
        .build()
        .context("cannot start the threads of a rayon pool")?;
    // Returns when every thread of the pool has run it, so all of them are up.
    pool.broadcast(|_| ());
    let tally = Tally::new(batch.workers);
    let started = Instant::now();
    let ended = with_step!(&batch.operation, step => run_step(&pool, batch, step, &tally))?;
    Ok(Outcome {
        setup: started - begun,
        elapsed: ended - started,
        checksum: tally.checksum(),
        by_worker: tally.by_worker(),
        children: None,
    })
}

fn run_step<S: Step>(pool: &ThreadPool, batch: &Batch, step: &S, tally: &Tally) -> Result<Instant> {
    pool.install(|| {
        batch
            .indices
            .clone()
            .into_par_iter()
            .fold(
                || Part::begin(&batch.lock),
                |mut part, index| {
                    part.add(task::on_thread(step, batch, index));
                    part
                },
            )
            // On the thread that has just done the part, for rayon moves tasks between threads, but no results.
            .try_for_each(|part| {
                tally.add(current_thread_index().unwrap_or_default(), part.checksum, part.done);
                match part.failure {
                    Some(error) => Err(error),
                    None => Ok(()),
                }
            })
            .map(|()| Instant::now())
    })
}

/// What a part of the tasks comes to that one thread does without a break. It holds the lock.
struct Part<'a> {
    checksum: Checksum,
    done: u64,
    failure: Option<Error>,
    _held: HeldByPart<'a>,
}

impl<'a> Part<'a> {
    fn begin(lock: &'a InterpreterLock) -> Self {
        lock.acquire();
        Self { checksum: Checksum::default(), done: 0, failure: None, _held: HeldByPart(lock) }
    }

    #[inline]
    fn add(&mut self, state: Result<u64>) {
        match state {
            Ok(state) => self.checksum.add(state),
            Err(error) => self.failure = Some(error),
        }
        self.done += 1;
    }
}

/// Releases the lock when it is dropped, by a panic too.
///
/// Rayon wants the state of a fold to be `Send`, which the lock's own guard is not: it must be released by the thread
/// that acquired it. A fold's state does stay on its thread, from its making to the consumer behind the fold.
struct HeldByPart<'a>(&'a InterpreterLock);

impl Drop for HeldByPart<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}
