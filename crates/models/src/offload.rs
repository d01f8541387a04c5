//! `offload`: one event loop; the part of each step that computes goes to a pool of blocking threads.
//!
//! The usual way to keep an event loop responsive: `spawn_blocking` in tokio, `run_in_executor` in asyncio. An operation
//! that only waits sends nothing.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use protocol::{Checksum, fold, task_seed};
use tokio::task::spawn_blocking;
use workloads::{Step, Timer};

use crate::{Batch, Outcome, event_loop::EventLoop, panics::caught, tally::Tally};

/// How long a thread of the pool waits for work before it ends; longer than any run.
const KEEP_ALIVE: Duration = Duration::from_secs(24 * 60 * 60);

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    let begun = Instant::now();
    let tally = Arc::new(Tally::new(batch.workers));
    let entering = Arc::clone(&tally);
    let event_loop = EventLoop::new(&batch.lock, |builder| {
        builder
            .max_blocking_threads(batch.workers)
            .thread_keep_alive(KEEP_ALIVE)
            .thread_name("worker")
            .on_thread_start(move || entering.enter());
    })?;
    if batch.operation.computes() {
        start_pool(&event_loop, &tally, batch.workers)?;
    }
    let shared = Arc::new(Shared { batch: Arc::clone(batch), tally: Arc::clone(&tally) });
    let started = Instant::now();
    let part = event_loop
        .run_all(&batch.lock, batch.indices.clone(), async move |index, timer| shared.do_task(timer, index).await)?;
    Ok(Outcome {
        setup: started - begun,
        elapsed: part.ended - started,
        checksum: part.checksum,
        by_worker: if batch.operation.computes() { tally.by_worker() } else { vec![part.done] },
        children: None,
    })
}

/// Starts all threads of the pool, by work that none of them ends before all have begun.
fn start_pool(event_loop: &EventLoop, tally: &Arc<Tally>, workers: usize) -> Result<()> {
    for _ in 0..workers {
        let tally = Arc::clone(tally);
        event_loop.runtime().spawn_blocking(move || tally.wait_until_all_run());
    }
    tally.wait_until_all_run()
}

struct Shared {
    batch: Arc<Batch>,
    tally: Arc<Tally>,
}

impl Shared {
    async fn do_task(self: &Arc<Self>, timer: &Timer, index: u64) -> Result<u64> {
        let operation = &self.batch.operation;
        let mut state = task_seed(index);
        for step in 1..=self.batch.steps {
            let mut result = 0;
            if operation.waits() {
                result = operation.wait(timer).await?;
            }
            if operation.computes() {
                let shared = Arc::clone(self);
                // A task counts for the thread that did its last step.
                let last = step == self.batch.steps;
                result = spawn_blocking(move || shared.compute(state, last))
                    .await
                    .context("the pool lost a part of a task")??;
            }
            state = fold(state, result);
        }
        Ok(state)
    }

    /// The part of a step that computes, on a thread of the pool.
    fn compute(&self, state: u64, last: bool) -> Result<u64> {
        let result = {
            let _held = self.batch.lock.hold();
            caught(|| self.batch.operation.compute(state, &self.batch.lock))?
        };
        if last {
            self.tally.add(Tally::number(), Checksum::default(), 1);
        }
        Ok(result)
    }
}
