//! `sequential`: one after another on the calling thread.

use std::time::{Duration, Instant};

use anyhow::Result;
use protocol::Checksum;
use workloads::with_step;

use crate::{Batch, Outcome, task};

pub fn run(batch: &Batch) -> Result<Outcome> {
    let started = Instant::now();
    let checksum = {
        let _held = batch.lock.hold();
        with_step!(&batch.operation, step => {
            let mut checksum = Checksum::default();
            for index in batch.indices.clone() {
                checksum.add(task::on_thread(step, batch, index)?);
            }
            checksum
        })
    };
    Ok(Outcome {
        setup: Duration::ZERO,
        elapsed: started.elapsed(),
        checksum,
        by_worker: vec![batch.job.tasks],
        children: None,
    })
}
