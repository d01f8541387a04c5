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

fn run_step<S: Step>(batch: &Batch, step: &S) -> Result<Outcome> {
    let next = AtomicU64::new(0);
    pool::run(
        batch.workers,
        || Ok(()),
        |_, ()| {
            let _held = batch.lock.hold();
            let mut checksum = Checksum::default();
            let mut done = 0;
            loop {
                // The counter only deals out numbers; the gate and the join order everything else.
                let taken = next.fetch_add(1, Ordering::Relaxed);
                if taken >= batch.job.tasks {
                    break;
                }
                let state = task::on_thread(step, batch, batch.indices.start + taken).inspect_err(|_| {
                    // The run has failed: nobody need begin another task.
                    next.store(batch.job.tasks, Ordering::Relaxed);
                })?;
                checksum.add(state);
                done += 1;
            }
            Ok(Part { checksum, done, ended: Instant::now() })
        },
    )
}
