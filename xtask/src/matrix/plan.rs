//! What will be run: the matrix with every axis expanded and every default filled in.

use std::path::PathBuf;
use std::time::Duration;

use protocol::{BatchJob, Job, Lock, Model, Task};

use super::axis::{Axes, Axis};

/// Everything that one run of the matrix will measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Where the matrix was read from.
    pub file: PathBuf,
    /// The scenarios, in the order of the file; none is empty.
    pub scenarios: Vec<Scenario>,
    /// The runtimes that the cells name, other than `rust`.
    pub runtimes: Vec<Runtime>,
    /// Usable CPUs, which `workers = "cores"` stood for.
    pub cores: u32,
}

/// One question of the matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its unique name.
    pub name: String,
    /// What it asks, for the tables.
    pub question: Option<String>,
    /// The axis that is compared; `None` when the scenario only measures.
    pub compare: Option<String>,
    /// Whether set-up time counts as elapsed time.
    pub include_setup: bool,
    /// Its axes with the values that a cell has, in the order of the matrix file.
    pub axes: Vec<Axis>,
    /// How often and in which order its cells run.
    pub schedule: Schedule,
    /// Its cells. Ids are unique in the plan.
    pub cells: Vec<Cell>,
    /// The sets of cells whose ratios mean something. Every cell is in at least one. A cell on which a fixed axis
    /// collapsed is in several.
    pub comparisons: Vec<Comparison>,
}

/// How often and in which order the cells of a scenario run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// The order of the runs.
    pub order: Order,
    /// Runs that warm up, recorded and never counted. Interleaved: before every counted run, as it has a fresh process.
    pub warmups: u32,
    /// Counted runs; at least 1.
    pub runs: u32,
    /// How long one run may take.
    pub timeout: Duration,
}

impl Schedule {
    /// How often each cell runs, warm-ups included.
    #[must_use]
    pub fn repetitions(&self) -> u64 {
        let (warmups, runs) = (u64::from(self.warmups), u64::from(self.runs));
        match self.order {
            Order::Interleaved => runs * (warmups + 1),
            Order::Sequential => warmups + runs,
        }
    }

    /// How many worker processes each cell starts.
    #[must_use]
    pub fn processes(&self) -> u64 {
        match self.order {
            Order::Interleaved => self.runs.into(),
            Order::Sequential => 1,
        }
    }
}

/// The order of the runs of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Round by round through the cells of a comparison in a seeded random order, a fresh process each time.
    Interleaved,
    /// Cell by cell, one process each.
    Sequential,
}

/// The cells of a scenario that differ only in the compared axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The values of the other axes.
    pub fixed: Axes,
    /// Indices into [`Scenario::cells`], in the order of the compared axis.
    pub cells: Vec<usize>,
    /// Index into [`Scenario::cells`] of the cell that ratios are taken against, where it is among `cells`.
    pub baseline: Option<usize>,
}

/// One combination of axis values.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// `scenario/axis=value,axis=value`, or the scenario's name where there is no axis.
    pub id: String,
    /// Its coordinates.
    pub axes: Axes,
    /// What executes it: `rust`, or the name of a [`Runtime`].
    pub runtime: String,
    /// What is done in it.
    pub work: Work,
}

/// What is done in a cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Work {
    /// A fixed set of tasks.
    Batch(BatchWork),
}

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

impl Plan {
    /// How many cells there are.
    #[must_use]
    pub fn cell_count(&self) -> u64 {
        self.scenarios.iter().map(|scenario| scenario.cells.len() as u64).sum()
    }

    /// How many runs are planned, warm-ups included.
    #[must_use]
    pub fn repetitions(&self) -> u64 {
        let repetitions = |scenario: &Scenario| scenario.cells.len() as u64 * scenario.schedule.repetitions();
        self.scenarios.iter().map(repetitions).sum()
    }

    /// Replaces how often every cell runs, for the command line.
    pub fn override_schedule(&mut self, runs: Option<u32>, warmups: Option<u32>) {
        for schedule in self.scenarios.iter_mut().map(|scenario| &mut scenario.schedule) {
            schedule.runs = runs.unwrap_or(schedule.runs);
            schedule.warmups = warmups.unwrap_or(schedule.warmups);
        }
    }
}

impl Work {
    /// The CPU work whose count must be calibrated, if there is any.
    #[must_use]
    pub fn needs_calibration(&self) -> bool {
        let Self::Batch(batch) = self;
        batch.task.cpu().is_some_and(CpuWork::needs_calibration)
    }

    /// The job on the wire.
    #[must_use]
    pub fn job(&self, rate: BurnRate) -> Job {
        let Self::Batch(batch) = self;
        Job::Batch(BatchJob {
            model: batch.model,
            workers: batch.workers,
            lock: batch.lock,
            switch_interval_ns: batch.switch_interval.map(nanoseconds),
            tasks: batch.tasks,
            first_task: 0,
            steps: batch.steps,
            task: batch.task.resolve(rate),
        })
    }
}

/// Nanoseconds of a duration. Durations of the matrix are bounded far below the 584 years that fit.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A worker that the matrix brings along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// Its name on the `runtime` axis.
    pub name: String,
    /// The command that starts it, speaking the worker protocol.
    pub command: Vec<String>,
    /// The command that tells its version; `None` means that the worker's `ready` line is enough.
    pub version: Option<Vec<String>>,
    /// How to get it, for a person: shown when it is missing.
    pub install: Option<String>,
    /// Environment variables to set.
    pub env: Vec<(String, String)>,
}

/// The name of the built-in runtime: our own workers.
pub const RUST_RUNTIME: &str = "rust";
