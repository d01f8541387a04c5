//! `wait-and-burn`: a wait, then a computation, as in a handler that asks a database and renders the answer.

use anyhow::Result;
use interpreter_lock::InterpreterLock;

use crate::{Burn, Step, Timer, Wait};

/// Waits, then burns; the result is the burn's.
#[derive(Debug, Clone, Copy)]
pub struct WaitAndBurn {
    wait: Wait,
    burn: Burn,
}

impl WaitAndBurn {
    /// A wait of that many nanoseconds before a burn of that many iterations.
    #[must_use]
    pub fn new(io_ns: u64, iterations: u64) -> Self {
        Self { wait: Wait::new(io_ns), burn: Burn { iterations } }
    }
}

impl Step for WaitAndBurn {
    #[inline]
    fn waits(&self) -> bool {
        true
    }

    #[inline]
    fn computes(&self) -> bool {
        true
    }

    fn wait(&self, index: u64, timer: &Timer) -> impl Future<Output = Result<u64>> + Send {
        self.wait.wait(index, timer)
    }

    fn wait_blocking(&self, index: u64, lock: &InterpreterLock) -> Result<u64> {
        self.wait.wait_blocking(index, lock)
    }

    #[inline]
    fn compute(&self, state: u64, lock: &InterpreterLock) -> Result<u64> {
        self.burn.compute(state, lock)
    }
}
