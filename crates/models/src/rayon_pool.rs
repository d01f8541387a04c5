//! `rayon`: a rayon pool, and a parallel iterator over the tasks.
//!
//! Rayon is made for computing: a task that waits blocks its thread of the pool. It has no hook for an idle thread, so
//! the interpreter lock is held task by task.

use std::time::Instant;

use anyhow::{Context, Result};
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
            .try_fold(
                || (Checksum::default(), 0),
                |(mut checksum, done), index| {
                    let _held = batch.lock.hold();
                    checksum.add(task::on_thread(step, batch, index)?);
                    Ok((checksum, done + 1))
                },
            )
            // One part of the tasks, on the thread that has just done it.
            .try_for_each(|part: Result<(Checksum, u64)>| {
                let (checksum, done) = part?;
                tally.add(current_thread_index().unwrap_or_default(), checksum, done);
                Ok(())
            })
            .map(|()| Instant::now())
    })
}
