//! `threads`: a fixed pool of OS threads that take tasks from one counter.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use anyhow::Result;
use protocol::Checksum;
use workloads::{Step, with_step};

use crate::{
    Batch, Outcome,
    pool::{self, Part},
    task,
};

pub fn run(batch: &Batch) -> Result<Outcome> {
    with_step!(&batch.operation, step => run_step(batch, step))
}

/// How many tasks have been taken, on cache lines of its own: whatever lay beside it would be
/// fetched anew for every task.
#[repr(align(128))]
struct Next(AtomicU64);

fn run_step<S: Step>(batch: &Batch, step: &S) -> Result<Outcome> {
    let next = Next(AtomicU64::new(0));
    pool::run(
        batch.workers,
        |_| Ok(()),
        |_, ()| {
            let _held = batch.lock.hold();
            let (checksum, done) = take_tasks(&next.0, batch, step).inspect_err(|_| {
                // The run has failed: nobody need begin another task.
                next.0.store(batch.job.tasks, Ordering::Relaxed);
            })?;
            Ok(Part { checksum, done, ended: Instant::now() })
        },
    )
}

/// Takes tasks until there are none. Apart from its caller, so that the loop has all registers.
#[inline(never)]
fn take_tasks<S: Step>(next: &AtomicU64, batch: &Batch, step: &S) -> Result<(Checksum, u64)> {
    let (first, tasks) = (batch.indices.start, batch.job.tasks);
    let mut checksum = Checksum::default();
    let mut done = 0;
    loop {
        // The counter only deals out numbers; the gate and the join order everything else.
        let taken = next.fetch_add(1, Ordering::Relaxed);
        if taken >= tasks {
            return Ok((checksum, done));
        }
        checksum.add(task::on_thread(step, batch, first + taken)?);
        done += 1;
    }
}
