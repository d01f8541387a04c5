//! `loops`: threads with an event loop each. The tasks are dealt out in contiguous, even shares, and each loop runs all of
//! its share at once.

use std::sync::Arc;

use anyhow::Result;
use workloads::{Step, with_step};

use crate::{Batch, Outcome, event_loop::EventLoop, pool, task::Inline};

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    with_step!(&batch.operation, step => run_step(batch, step))
}

fn run_step<S: Step>(batch: &Arc<Batch>, step: &S) -> Result<Outcome> {
    pool::run(
        batch.workers,
        |worker| {
            let event_loop = EventLoop::new(&batch.lock, |builder| step.configure(builder))?;
            let tasks = Inline::new(step, batch);
            event_loop.connect(&batch.lock, &batch.share(worker), &tasks)?;
            Ok((event_loop, tasks))
        },
        |worker, (event_loop, tasks)| event_loop.run_all(&batch.lock, batch.share(worker), tasks),
    )
}
