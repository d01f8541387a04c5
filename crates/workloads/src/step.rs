//! The shape of an operation.

use std::future::{Future, ready};

use anyhow::Result;
use interpreter_lock::InterpreterLock;
use tokio::runtime::Builder;

use crate::Timer;

/// What a task does once a step, in two parts: first it waits, then it computes. An operation may have only one of them.
///
/// The step's result, which is folded into the task's state, is that of the part that computes; an operation that
/// only waits has the result of its wait.
///
/// An operation that keeps connections or files holds them itself, behind pointers that its clones share. What must not be
/// shared between event loops, because a socket belongs to one of them, is made by [`for_loop`](Step::for_loop).
pub trait Step: Clone + Send + Sync + 'static {
    /// Whether there is a part that waits.
    fn waits(&self) -> bool;

    /// Whether there is a part that computes, which a model may move to another thread.
    fn computes(&self) -> bool;

    /// The operation for one event loop or runtime: with connections of its own, where there are any.
    #[must_use]
    fn for_loop(&self) -> Self {
        self.clone()
    }

    /// Switches on the drivers that the operation needs of an event loop, beyond those of the [`Timer`].
    fn configure(&self, builder: &mut Builder) {
        let _ = builder;
    }

    /// Opens the connections of one event loop that has so many `tasks`, on that loop and before the start.
    ///
    /// # Errors
    /// Nobody answers there.
    fn connect(&self, tasks: u64) -> impl Future<Output = Result<()>> + Send {
        let _ = tasks;
        ready(Ok(()))
    }

    /// Waits on an event loop, for the task with this index.
    ///
    /// # Errors
    /// What the operation waited for went wrong.
    fn wait(&self, index: u64, timer: &Timer) -> impl Future<Output = Result<u64>> + Send {
        let _ = (index, timer);
        ready(Ok(0))
    }

    /// Waits on a thread, which lets go of the interpreter lock meanwhile, for the task with this index.
    ///
    /// # Errors
    /// What the operation waited for went wrong.
    fn wait_blocking(&self, index: u64, lock: &InterpreterLock) -> Result<u64> {
        let _ = (index, lock);
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
