//! One task: the steps of its operation, and the state that carries its results.
//!
//! All of it is generic over the operation. A branch would show in a loop over empty tasks, and so would the memory of
//! a future that has room for the longest wait of all operations.

use std::{ops::Range, sync::Arc};

use anyhow::Result;
use protocol::{Checksum, fold, task_seed};
use worker::caught;
use workloads::{Step, Timer};

use crate::{Batch, event_loop::Tasks};

/// Does a task on a thread that holds the lock, and returns its last state.
#[inline(always)]
pub fn on_thread<S: Step>(step: &S, batch: &Batch, index: u64) -> Result<u64> {
    let mut state = task_seed(index);
    for _ in 0..batch.steps {
        let mut result = 0;
        if step.waits() {
            result = step.wait_blocking(index, &batch.lock)?;
        }
        if step.computes() {
            result = step.compute(state, &batch.lock)?;
        }
        state = fold(state, result);
    }
    Ok(state)
}

/// Does tasks one after another on a thread that holds the lock. Apart from its callers, so that the loop is compiled
/// once and has all registers.
#[inline(never)]
pub fn in_order<S: Step>(step: &S, batch: &Batch, indices: Range<u64>) -> Result<Checksum> {
    let mut checksum = Checksum::default();
    for index in indices {
        checksum.add(on_thread(step, batch, index)?);
    }
    Ok(checksum)
}

/// The tasks of a batch, done inline on an event loop: what they compute blocks the loop.
pub struct Inline<S> {
    step: S,
    batch: Arc<Batch>,
}

impl<S: Step> Inline<S> {
    /// Tasks of `batch`, whose operation is `step`, for one event loop or runtime.
    pub fn new(step: &S, batch: &Arc<Batch>) -> Self {
        Self { step: step.for_loop(), batch: Arc::clone(batch) }
    }

    /// Opens the connections that the tasks share, of which there are so many.
    pub async fn connect(&self, tasks: u64) -> Result<()> {
        self.step.connect(tasks).await
    }

    /// Does a task and returns its last state.
    pub async fn run(&self, index: u64, timer: &Timer) -> Result<u64> {
        let mut state = task_seed(index);
        for _ in 0..self.batch.steps {
            let mut result = 0;
            if self.step.waits() {
                result = self.step.wait(index, timer).await?;
            }
            if self.step.computes() {
                result = caught(|| self.step.compute(state, &self.batch.lock))?;
            }
            state = fold(state, result);
        }
        Ok(state)
    }
}

impl<S: Step> Tasks for Inline<S> {
    fn connect(&self, tasks: u64) -> impl Future<Output = Result<()>> {
        Inline::connect(self, tasks)
    }

    fn run(&self, index: u64, timer: &Timer) -> impl Future<Output = Result<u64>> {
        Inline::run(self, index, timer)
    }
}
