//! One task: the steps of its operation, and the state that carries its results.

use anyhow::Result;
use protocol::{fold, task_seed};
use workloads::{Step, Timer};

use crate::{Batch, panics::caught};

/// Does a task on a thread that holds the lock, and returns its last state.
///
/// Generic over the operation, unlike [`on_loop`], because a loop over empty tasks would notice the branch.
#[inline(always)]
pub fn on_thread<S: Step>(step: &S, batch: &Batch, index: u64) -> Result<u64> {
    let mut state = task_seed(index);
    for _ in 0..batch.steps {
        let mut result = 0;
        if step.waits() {
            result = step.wait_blocking(&batch.lock)?;
        }
        if step.computes() {
            result = step.compute(state, &batch.lock)?;
        }
        state = fold(state, result);
    }
    Ok(state)
}

/// Does a task on an event loop, inline: its computation blocks the loop.
pub async fn on_loop(batch: &Batch, timer: &Timer, index: u64) -> Result<u64> {
    let operation = &batch.operation;
    let mut state = task_seed(index);
    for _ in 0..batch.steps {
        let mut result = 0;
        if operation.waits() {
            result = operation.wait(timer).await?;
        }
        if operation.computes() {
            result = caught(|| operation.compute(state, &batch.lock))?;
        }
        state = fold(state, result);
    }
    Ok(state)
}
