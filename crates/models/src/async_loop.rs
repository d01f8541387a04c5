//! `async`: one event loop, all tasks at once. CPU work runs inline and blocks the loop, on purpose.

use std::{sync::Arc, time::Instant};

use anyhow::Result;
use workloads::with_step;

use crate::{Batch, Outcome, event_loop::EventLoop, task::Inline};

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    let begun = Instant::now();
    let event_loop = EventLoop::new(&batch.lock, |_| ())?;
    let started = Instant::now();
    let part = with_step!(&batch.operation, step => {
        let tasks = Inline::new(step, batch);
        event_loop.run_all(&batch.lock, batch.indices.clone(), tasks)
    })?;
    Ok(Outcome {
        setup: started - begun,
        elapsed: part.ended - started,
        checksum: part.checksum,
        by_worker: vec![part.done],
        children: None,
    })
}
