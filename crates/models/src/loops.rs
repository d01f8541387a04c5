//! `loops`: threads with an event loop each. The tasks are dealt out in contiguous, even shares, and each loop runs all of
//! its share at once.

use std::sync::Arc;

use anyhow::Result;
use workloads::with_step;

use crate::{Batch, Outcome, event_loop::EventLoop, pool, task::Inline};

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    pool::run(
        batch.workers,
        || EventLoop::new(&batch.lock, |_| ()),
        |worker, event_loop| {
            with_step!(&batch.operation, step => {
                let tasks = Inline::new(step, batch);
                event_loop.run_all(&batch.lock, batch.share(worker), tasks)
            })
        },
    )
}
