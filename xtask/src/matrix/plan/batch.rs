//! A fixed set of tasks: the work of a `[[batch]]` cell.

use std::time::Duration;

use protocol::{BatchJob, Lock, Model};

use super::TaskSpec;
use super::needs::Endpoints;
use crate::number::nanoseconds;

/// A fixed set of tasks under one concurrency model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BatchWork {
    /// The concurrency model.
    pub model: Model,
    /// Its workers; at least 1.
    pub workers: u32,
    /// The interpreter lock.
    pub lock: Lock,
    /// The lock's switch interval, where it is not the kind's own.
    pub switch_interval: Option<Duration>,
    /// How many tasks.
    pub tasks: TaskCount,
    /// How often each task repeats its operation.
    pub steps: u32,
    /// What one step does.
    pub task: TaskSpec,
}

/// How many tasks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskCount {
    /// So many.
    Exactly(u64),
    /// As many as one worker does in this time, without a lock. Counting turns it into a number.
    Time {
        /// The time.
        time: Duration,
        /// The number is a multiple of this, so that every cell of the scenario can deal the tasks out evenly.
        multiple_of: u32,
    },
}

impl From<u64> for TaskCount {
    fn from(count: u64) -> Self {
        Self::Exactly(count)
    }
}

/// An amount of CPU work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CpuWork {
    /// Iterations of the burn.
    Iterations(u64),
    /// As many iterations as this time takes on one core without a lock. Calibration turns it into a count.
    Time(Duration),
}

/// How fast the burn of one runtime runs: what turns CPU time into a count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BurnRate {
    /// Iterations a second on one core.
    pub iterations_per_s: f64,
}

impl CpuWork {
    /// Whether a count can be told only after a calibration.
    #[must_use]
    pub fn needs_calibration(self) -> bool {
        matches!(self, Self::Time(time) if !time.is_zero())
    }

    /// The count at this rate; at least 1 for a time above zero.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rounded count of a bounded time")]
    pub fn iterations(self, rate: BurnRate) -> u64 {
        match self {
            Self::Iterations(count) => count,
            Self::Time(time) if time.is_zero() => 0,
            Self::Time(time) => ((time.as_secs_f64() * rate.iterations_per_s).round() as u64).max(1),
        }
    }
}

impl BatchWork {
    /// The job of so many tasks on the wire, with CPU time turned into a count at this rate, and what its task needs at
    /// these places.
    #[must_use]
    pub fn job(&self, rate: BurnRate, tasks: u64, at: &Endpoints) -> BatchJob {
        BatchJob {
            model: self.model,
            workers: self.workers,
            lock: self.lock,
            switch_interval_ns: self.switch_interval.map(nanoseconds),
            tasks,
            first_task: 0,
            steps: self.steps,
            task: self.task.resolve(rate, at),
        }
    }
}
