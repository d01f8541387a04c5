//! What will be run: the matrix with every axis expanded and every default filled in.

use std::path::PathBuf;
use std::time::Duration;

mod batch;
mod http;
mod needs;
mod task;
mod twin;

pub use batch::{BatchWork, BurnRate, CpuWork, TaskCount};
pub use http::{
    HttpWork, LoadSpec, OwnServer, PaceSpec, Rate, Readiness, RunningServer, ServerCommand, ServerSpec, StopSignal,
};
pub use needs::{Endpoints, Need};
pub use task::{HttpSource, MailServer, TaskSpec, Tool};
pub use twin::{baseline_of, twin_id};

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
    /// What its cells need beside what their tasks need anyway.
    pub needs: Vec<Need>,
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
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// A fixed set of tasks.
    Batch(BatchWork),
    /// A server under load.
    Http(Box<HttpWork>),
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

impl Cell {
    /// The runtime whose burn rate turns the cell's CPU time into a count: an HTTP server that a task asks is our own,
    /// whatever executes the task.
    #[must_use]
    pub fn burns_in(&self) -> &str {
        match &self.work {
            Work::Batch(BatchWork { task: TaskSpec::HttpGet { .. }, .. }) => RUST_RUNTIME,
            Work::Batch(_) | Work::Http(_) => &self.runtime,
        }
    }
}

impl Work {
    /// The CPU work whose count must be calibrated, if there is any.
    #[must_use]
    pub fn needs_calibration(&self) -> bool {
        let cpu = match self {
            Self::Batch(batch) => batch.task.cpu(),
            Self::Http(http) => http.server.cpu(),
        };
        cpu.is_some_and(CpuWork::needs_calibration)
    }
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
    /// Where it is started, and where relative paths of its command begin: the folder of the matrix file.
    pub folder: PathBuf,
}

/// The name of the built-in runtime: our own workers.
pub const RUST_RUNTIME: &str = "rust";
