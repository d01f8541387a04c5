//! Any one of the operations, chosen by a job's task.

use anyhow::{Result, bail};
use interpreter_lock::InterpreterLock;
use protocol::Task;

use crate::{Burn, Faulty, Primes, Step, SumOfSquares, Timer, Wait, WaitAndBurn};

/// Any one of the operations. It is a [`Step`] itself, at the price of one branch a call; a loop that is as short as
/// the operation makes the choice once, with [`with_step!`](crate::with_step).
#[derive(Debug, Clone)]
pub enum Operation {
    /// See [`SumOfSquares`].
    SumOfSquares(SumOfSquares),
    /// See [`Burn`].
    Burn(Burn),
    /// See [`Primes`].
    Primes(Primes),
    /// See [`Wait`].
    Wait(Wait),
    /// See [`WaitAndBurn`].
    WaitAndBurn(WaitAndBurn),
    #[doc(hidden)]
    Faulty(Faulty),
}

/// Runs an expression with the operation inside an [`Operation`](crate::Operation): compiled once for each of them.
///
/// ```
/// use workloads::{Burn, Operation, Step, with_step};
///
/// let operation = Operation::Burn(Burn { iterations: 1 });
/// assert!(with_step!(&operation, step => step.computes()));
/// ```
#[macro_export]
macro_rules! with_step {
    ($operation:expr, $step:ident => $body:expr) => {
        match $operation {
            $crate::Operation::SumOfSquares($step) => $body,
            $crate::Operation::Burn($step) => $body,
            $crate::Operation::Primes($step) => $body,
            $crate::Operation::Wait($step) => $body,
            $crate::Operation::WaitAndBurn($step) => $body,
            $crate::Operation::Faulty($step) => $body,
        }
    };
}

impl Operation {
    /// The operation of a task.
    ///
    /// # Errors
    /// The operation is not one of those that this program was built with.
    pub fn new(task: &Task) -> Result<Self> {
        Ok(match *task {
            Task::SumOfSquares { n } => Self::SumOfSquares(SumOfSquares { n }),
            Task::Burn { iterations } => Self::Burn(Burn { iterations }),
            Task::Primes { limit } => Self::Primes(Primes { limit }),
            Task::Wait { io_ns } => Self::Wait(Wait::new(io_ns)),
            Task::WaitAndBurn { io_ns, iterations } => Self::WaitAndBurn(WaitAndBurn::new(io_ns, iterations)),
            _ => bail!("this worker was built without the operation {}", task.op()),
        })
    }
}

impl Step for Operation {
    fn waits(&self) -> bool {
        with_step!(self, step => step.waits())
    }

    fn computes(&self) -> bool {
        with_step!(self, step => step.computes())
    }

    async fn wait(&self, timer: &Timer) -> Result<u64> {
        with_step!(self, step => step.wait(timer).await)
    }

    fn wait_blocking(&self, lock: &InterpreterLock) -> Result<u64> {
        with_step!(self, step => step.wait_blocking(lock))
    }

    fn compute(&self, state: u64, lock: &InterpreterLock) -> Result<u64> {
        with_step!(self, step => step.compute(state, lock))
    }
}
