//! An operation that goes wrong. No job can ask for it: it is there for the tests of what runs operations.

use anyhow::{Result, bail};
use interpreter_lock::InterpreterLock;

use crate::{Step, Timer};

/// Goes wrong in one of its parts; it has both.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faulty {
    WaitFails,
    WaitPanics,
    ComputeFails,
    ComputePanics,
}

impl Step for Faulty {
    fn waits(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        true
    }

    async fn wait(&self, index: u64, _timer: &Timer) -> Result<u64> {
        self.wait_blocking(index, &InterpreterLock::none())
    }

    fn wait_blocking(&self, _index: u64, _lock: &InterpreterLock) -> Result<u64> {
        match self {
            Self::WaitFails => bail!("the wait failed"),
            Self::WaitPanics => panic!("the wait broke"),
            Self::ComputeFails | Self::ComputePanics => Ok(0),
        }
    }

    fn compute(&self, _state: u64, _lock: &InterpreterLock) -> Result<u64> {
        match self {
            Self::ComputeFails => bail!("the computation failed"),
            Self::ComputePanics => panic!("the computation broke"),
            Self::WaitFails | Self::WaitPanics => Ok(0),
        }
    }
}
