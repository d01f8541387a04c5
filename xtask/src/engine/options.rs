//! What is chosen for one run of a plan, and how it ended.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::Ready;

use super::before::Before;
use super::twins::Twins;

/// What is chosen for one run of a plan.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Decides the order of interleaved scenarios and the send times of open loops.
    pub seed: u64,
    /// The baselines that are measured twice.
    pub twins: Twins,
    /// What an earlier part of the same result has already.
    pub before: Before,
    /// Whether runs in which the machine was disturbed are made again.
    pub repeat_disturbed: bool,
}

/// How a run of a plan ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Whether every planned repetition was tried.
    pub complete: bool,
    /// Whether somebody asked to stop.
    pub interrupted: bool,
    /// How long it took, from the first repetition's start to the end, an earlier part included.
    pub wall: Duration,
    /// How much of that was spent between scenarios, while nothing was measured: building, counting.
    pub prepared: Duration,
    /// Set-up and elapsed time of the counted runs.
    pub measured: Duration,
    /// Set-up and elapsed time of the warm-ups.
    pub warmup: Duration,
    /// Repetitions that were measured, warm-ups included.
    pub samples: u64,
    /// Cells that failed; skipped and unsupported ones are not among them, nor are twins.
    pub failed_cells: usize,
    /// What the first worker of each runtime and program said about itself, by runtime and worker.
    pub workers: BTreeMap<(String, String), Ready>,
}
