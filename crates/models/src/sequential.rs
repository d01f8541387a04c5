//! `sequential`: one after another on the calling thread.

use std::time::{Duration, Instant};

use anyhow::Result;
use workloads::with_step;

use crate::{Batch, Outcome, task};

pub fn run(batch: &Batch) -> Result<Outcome> {
    let started = Instant::now();
    let checksum = {
        let _held = batch.lock.hold();
        with_step!(&batch.operation, step => task::in_order(step, batch, batch.indices.clone()))?
    };
    Ok(Outcome {
        setup: Duration::ZERO,
        elapsed: started.elapsed(),
        checksum,
        by_worker: vec![batch.job.tasks],
        children: None,
    })
}
