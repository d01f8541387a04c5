//! `async`: one event loop, all tasks at once. CPU work runs inline and blocks the loop, on purpose.

use std::{sync::Arc, time::Instant};

use anyhow::Result;
use workloads::{Step, with_step};

use crate::{Batch, Outcome, event_loop::EventLoop, task::Inline};

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    with_step!(&batch.operation, step => run_step(batch, step))
}

fn run_step<S: Step>(batch: &Arc<Batch>, step: &S) -> Result<Outcome> {
    let begun = Instant::now();
    let event_loop = EventLoop::new(&batch.lock, |builder| step.configure(builder))?;
    let tasks = Inline::new(step, batch);
    event_loop.connect(&batch.lock, &batch.indices, &tasks)?;
    let started = Instant::now();
    let part = event_loop.run_all(&batch.lock, batch.indices.clone(), tasks)?;
    Ok(Outcome {
        setup: started - begun,
        elapsed: part.ended - started,
        checksum: part.checksum,
        by_worker: vec![part.done],
        children: None,
    })
}
