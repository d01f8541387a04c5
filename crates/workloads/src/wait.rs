//! `wait`: a wait, as for a network or a disk.

use std::time::Duration;

use anyhow::Result;
use interpreter_lock::InterpreterLock;

use crate::{Step, Timer, sleep};

/// Waits, and has the result 1. A wait of 0 returns at once, without letting anything else run.
#[derive(Debug, Clone, Copy)]
pub struct Wait {
    duration: Duration,
}

impl Wait {
    /// A wait of that many nanoseconds.
    #[must_use]
    pub fn new(io_ns: u64) -> Self {
        Self { duration: Duration::from_nanos(io_ns) }
    }
}

impl Step for Wait {
    #[inline]
    fn waits(&self) -> bool {
        true
    }

    #[inline]
    fn computes(&self) -> bool {
        false
    }

    async fn wait(&self, _index: u64, timer: &Timer) -> Result<u64> {
        timer.wait(self.duration).await;
        Ok(1)
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        if !self.duration.is_zero() {
            lock.unlocked(|| sleep(self.duration));
        }
        Ok(1)
    }
}
