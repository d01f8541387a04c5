//! The shape of an operation.

use std::future::{Future, ready};

use anyhow::Result;
use interpreter_lock::InterpreterLock;

use crate::Timer;

/// What a task does once a step, in two parts: first it waits, then it computes. An operation may have only one of them.
///
/// The step's result, which is folded into the task's state, is that of the part that computes; an operation that
/// only waits has the result of its wait.
pub trait Step: Clone + Send + Sync + 'static {
    /// Whether there is a part that waits.
    fn waits(&self) -> bool;

    /// Whether there is a part that computes, which a model may move to another thread.
    fn computes(&self) -> bool;

    /// Waits on an event loop.
    ///
    /// # Errors
    /// What the operation waited for went wrong.
    fn wait(&self, timer: &Timer) -> impl Future<Output = Result<u64>> + Send {
        let _ = timer;
        ready(Ok(0))
    }

    /// Waits on a thread, which lets go of the interpreter lock meanwhile.
    ///
    /// # Errors
    /// What the operation waited for went wrong.
    fn wait_blocking(&self, lock: &InterpreterLock) -> Result<u64> {
        let _ = lock;
        Ok(0)
    }

    /// Computes, on a thread that holds the interpreter lock and has safepoints on the way.
    ///
    /// # Errors
    /// The operation found its own result to be wrong.
    fn compute(&self, state: u64, lock: &InterpreterLock) -> Result<u64> {
        let _ = (state, lock);
        Ok(0)
    }
}
