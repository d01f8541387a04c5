//! A fixed set of tasks: the work of a `[[batch]]` cell.

use std::time::Duration;

use protocol::{BatchJob, Lock, Model, Task};

use super::nanoseconds;

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
    pub tasks: u64,
    /// How often each task repeats its operation.
    pub steps: u32,
    /// What one step does.
    pub task: TaskSpec,
}

/// What one step does, with CPU work as the matrix states it: as a count or as a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TaskSpec {
    /// Adds `i * i` for every `i` in `0..n`.
    SumOfSquares {
        /// How many squares.
        n: u64,
    },
    /// Runs a linear congruential generator.
    Burn {
        /// How far.
        cpu: CpuWork,
    },
    /// Counts the primes below a limit.
    Primes {
        /// The first number that is not looked at.
        limit: u64,
    },
    /// Waits.
    Wait {
        /// How long.
        io: Duration,
    },
    /// Waits, then burns.
    WaitAndBurn {
        /// How long it waits.
        io: Duration,
        /// How far it burns.
        cpu: CpuWork,
    },
}

/// An amount of CPU work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

impl TaskSpec {
    /// The CPU work that the task states, where its operation burns.
    #[must_use]
    pub fn cpu(&self) -> Option<CpuWork> {
        match self {
            Self::Burn { cpu } | Self::WaitAndBurn { cpu, .. } => Some(*cpu),
            Self::SumOfSquares { .. } | Self::Primes { .. } | Self::Wait { .. } => None,
        }
    }

    /// The task on the wire, with CPU time turned into a count at this rate.
    #[must_use]
    pub fn resolve(&self, rate: BurnRate) -> Task {
        match self {
            Self::SumOfSquares { n } => Task::SumOfSquares { n: *n },
            Self::Burn { cpu } => Task::Burn { iterations: cpu.iterations(rate) },
            Self::Primes { limit } => Task::Primes { limit: *limit },
            Self::Wait { io } => Task::Wait { io_ns: nanoseconds(*io) },
            Self::WaitAndBurn { io, cpu } => {
                Task::WaitAndBurn { io_ns: nanoseconds(*io), iterations: cpu.iterations(rate) }
            }
        }
    }
}

impl BatchWork {
    /// The job on the wire, with CPU time turned into a count at this rate.
    #[must_use]
    pub fn job(&self, rate: BurnRate) -> BatchJob {
        BatchJob {
            model: self.model,
            workers: self.workers,
            lock: self.lock,
            switch_interval_ns: self.switch_interval.map(nanoseconds),
            tasks: self.tasks,
            first_task: 0,
            steps: self.steps,
            task: self.task.resolve(rate),
        }
    }
}
