//! How cells grow with their workers.

use serde::{Deserialize, Serialize};

use crate::matrix::axis::Axes;

/// The cells that differ only in `workers`, and the Universal Scalability Law fitted to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingSummary {
    /// The values of the other axes.
    pub fixed: Axes,
    /// The measured cells, by ascending number of workers.
    pub points: Vec<ScalingPoint>,
    /// The fit. `None` where there are too few points; `note` says so.
    pub fit: Option<ScalingFit>,
    /// What a reader should know of the fit, in a sentence.
    pub note: Option<String>,
}

/// One cell of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// The cell's id.
    pub cell: String,
    /// Its workers.
    pub workers: u32,
    /// Its median throughput.
    pub throughput_per_s: f64,
    /// The throughput of each counted run.
    pub values: Vec<f64>,
}

/// Gunther's Universal Scalability Law: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingFit {
    /// λ: throughput of one worker.
    pub single_per_s: f64,
    /// σ: the share of the work that has to queue for something; at least 0.
    pub contention: f64,
    /// κ: the cost of keeping workers consistent with each other, for each pair; at least 0.
    pub crosstalk: f64,
    /// Where the throughput is largest; `None` where it grows without end (κ = 0).
    pub peak_workers: Option<f64>,
    /// The throughput there, or the limit that it tends to; `None` where there is no limit (σ = κ = 0).
    pub peak_per_s: Option<f64>,
    /// The knee: the number of workers from which on one more brings less than half of what the first brought.
    pub knee_workers: Option<f64>,
    /// Share of the variance that the fit explains, 1 is all.
    pub r_squared: f64,
    /// Whether the fit is poor: then the parameters describe nothing.
    pub poor: bool,
}
