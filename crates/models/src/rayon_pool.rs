//! `rayon`: a rayon pool, which splits the range of tasks for as long as threads are free.
//!
//! Rayon is made for computing: a task that waits blocks its thread of the pool. It has no hook for an idle thread, so
//! the interpreter lock is held for each part of the tasks that a thread does without a break.

use std::{ops::Range, time::Instant};

use anyhow::{Context, Result};
use rayon::{
    ThreadPool, ThreadPoolBuilder, current_thread_index,
    iter::{ParallelIterator, split},
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
        split(batch.indices.clone(), halves)
            .try_for_each(|part| {
                let _held = batch.lock.hold();
                let done = part.end - part.start;
                let checksum = task::in_order(step, batch, part)?;
                tally.add(current_thread_index().unwrap_or_default(), checksum, done);
                Ok(())
            })
            .map(|()| Instant::now())
    })
}

/// How rayon may split the tasks. It does so as for a parallel iterator over the range: a few times for each thread, and
/// again when a part is stolen.
fn halves(indices: Range<u64>) -> (Range<u64>, Option<Range<u64>>) {
    let middle = indices.start + (indices.end - indices.start) / 2;
    if middle == indices.start { (indices, None) } else { (indices.start..middle, Some(middle..indices.end)) }
}
