//! `async`: one event loop, all tasks at once. CPU work runs inline and blocks the loop, on purpose.

use std::{sync::Arc, time::Instant};

use anyhow::Result;

use crate::{Batch, Outcome, event_loop::EventLoop, task};

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    let begun = Instant::now();
    let event_loop = EventLoop::new(&batch.lock, |_| ())?;
    let shared = Arc::clone(batch);
    let started = Instant::now();
    let part = event_loop.run_all(&batch.lock, batch.indices.clone(), async move |index, timer| {
        task::on_loop(&shared, timer, index).await
    })?;
    Ok(Outcome {
        setup: started - begun,
        elapsed: part.ended - started,
        checksum: part.checksum,
        by_worker: vec![part.done],
        children: None,
    })
}
