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
use worker::{Numbers, caught};
use workloads::{Step, Timer, with_step};

use crate::{
    Batch, Outcome,
    event_loop::{EventLoop, Tasks},
    tally::Tally,
};

/// How long a thread of the pool waits for work before it ends; longer than any run.
const KEEP_ALIVE: Duration = Duration::from_secs(24 * 60 * 60);

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    with_step!(&batch.operation, step => run_step(batch, step))
}

fn run_step<S: Step>(batch: &Arc<Batch>, step: &S) -> Result<Outcome> {
    let begun = Instant::now();
    let tally = Arc::new(Tally::new(batch.workers));
    let entering = Arc::clone(&tally);
    let event_loop = EventLoop::new(&batch.lock, |builder| {
        builder
            .max_blocking_threads(batch.workers)
            .thread_keep_alive(KEEP_ALIVE)
            .thread_name("worker")
            .on_thread_start(move || {
                entering.numbers.enter();
                entering.numbers.begin();
            });
        step.configure(builder);
    })?;
    if step.computes() {
        start_pool(&event_loop, &tally, batch.workers)?;
    }
    let tasks = Offloaded::new(step, batch, &tally);
    event_loop.connect(&batch.lock, &batch.indices, &tasks)?;
    let started = Instant::now();
    let part = event_loop.run_all(&batch.lock, batch.indices.clone(), tasks)?;
    Ok(Outcome {
        setup: started - begun,
        elapsed: part.ended - started,
        checksum: part.checksum,
        by_worker: if step.computes() { tally.by_worker() } else { vec![part.done] },
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

/// The tasks of a batch, whose computing parts go to the pool.
struct Offloaded<S>(Arc<Shared<S>>);

/// What the loop shares with the pool.
struct Shared<S> {
    step: S,
    batch: Arc<Batch>,
    tally: Arc<Tally>,
}

impl<S: Step> Offloaded<S> {
    fn new(step: &S, batch: &Arc<Batch>, tally: &Arc<Tally>) -> Self {
        Self(Arc::new(Shared { step: step.for_loop(), batch: Arc::clone(batch), tally: Arc::clone(tally) }))
    }
}

impl<S: Step> Tasks for Offloaded<S> {
    async fn connect(&self, tasks: u64) -> Result<()> {
        self.0.step.connect(tasks).await
    }

    async fn run(&self, index: u64, timer: &Timer) -> Result<u64> {
        let shared = &self.0;
        let mut state = task_seed(index);
        for left in (0..shared.batch.steps).rev() {
            let mut result = 0;
            if shared.step.waits() {
                result = shared.step.wait(index, timer).await?;
            }
            if shared.step.computes() {
                let shared = Arc::clone(shared);
                // A task counts for the thread that did its last step.
                result = spawn_blocking(move || shared.compute(state, left == 0))
                    .await
                    .context("the pool lost a part of a task")??;
            }
            state = fold(state, result);
        }
        Ok(state)
    }
}

impl<S: Step> Shared<S> {
    /// The part of a step that computes, on a thread of the pool.
    fn compute(&self, state: u64, last: bool) -> Result<u64> {
        let result = {
            let _held = self.batch.lock.hold();
            caught(|| self.step.compute(state, &self.batch.lock))?
        };
        if last {
            self.tally.add(Numbers::own(), Checksum::default(), 1);
        }
        Ok(result)
    }
}
