//! A scenario: its settings, its cells, and which of them are compared.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CellSummary, ComparisonSummary, ScalingSummary};
use crate::matrix::axis::{Axis, AxisValue};

/// One scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioSummary {
    /// Its name.
    pub name: String,
    /// `batch` or `http`.
    pub kind: String,
    /// What it asks.
    pub question: Option<String>,
    /// The compared axis.
    pub compare: Option<String>,
    /// Whether the figures called elapsed include set-up time.
    pub include_setup: bool,
    /// Warm-ups, recorded and never counted.
    pub warmups: u32,
    /// Counted runs planned for each cell.
    pub runs: u32,
    /// `interleaved` or `sequential`.
    pub order: String,
    /// The axes and their values, in the order of the matrix: the columns and rows of a pivot.
    pub axes: Vec<Axis>,
    /// Settings that all its cells share, by key, as the matrix states them: tasks, workers, …
    pub settings: BTreeMap<String, AxisValue>,
    /// The cells.
    pub cells: Vec<CellSummary>,
    /// Which cells are compared with which.
    pub comparisons: Vec<ComparisonSummary>,
    /// How the cells grow with their workers, where `workers` was swept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<ScalingSummary>,
}
