//! What `compare` needs of `summary.json`, and nothing else: a summary of ten thousand cells is read in half the time.
//! Fields that this version does not know are skipped.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::matrix::axis::{Axes, AxisValue};
use crate::stats::summary::{Flag, NoiseFloor, Ratio, Status, Summary};

/// One run of the matrix.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Figures {
    /// Whether every planned repetition was tried.
    pub complete: bool,
    /// When the first repetition began, RFC 3339 in UTC.
    pub started: String,
    /// Its scenarios.
    pub scenarios: Vec<ScenarioFigures>,
}

/// One scenario.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ScenarioFigures {
    /// Its name.
    pub name: String,
    /// `batch` or `http`.
    pub kind: String,
    /// The compared axis.
    pub compare: Option<String>,
    /// Whether elapsed times have set-up time in them.
    pub include_setup: bool,
    /// Settings that all its cells share.
    pub settings: BTreeMap<String, AxisValue>,
    /// Its cells.
    pub cells: Vec<CellFigures>,
    /// Which cells are compared with which.
    pub comparisons: Vec<ComparisonFigures>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CellFigures {
    /// Its id.
    pub id: String,
    /// Its coordinates.
    pub axes: Axes,
    /// How it ended.
    pub status: Status,
    /// Why it has no figures.
    pub reason: Option<String>,
    /// Elapsed time of its runs in nanoseconds.
    pub elapsed_ns: Option<Values>,
    /// Tasks or right answers a second.
    pub throughput_per_s: Option<Values>,
    /// What a reader should know.
    pub flags: Vec<Flag>,
}

/// A figure of several runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Values {
    /// The middle one.
    pub median: f64,
    /// All.
    pub values: Vec<f64>,
}

/// The cells that differ only in the compared axis.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ComparisonFigures {
    /// The values of the other axes.
    pub fixed: Axes,
    /// Id of the cell that ratios are taken against.
    pub baseline: Option<String>,
    /// The compared cells.
    pub rows: Vec<RowFigures>,
    /// How far apart two equal cells may seem to be.
    #[serde(default)]
    pub floor: Option<NoiseFloor>,
}

/// One cell's standing in one comparison.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RowFigures {
    /// The cell's id.
    pub cell: String,
    /// Speed relative to the baseline.
    pub ratio: Option<Ratio>,
}

impl ScenarioFigures {
    /// Whether its load came by the clock: such a server has no speed, it gets what it was asked for.
    #[must_use]
    pub fn is_open_loop(&self) -> bool {
        self.kind == "http"
            && (self.settings.contains_key("rate") || self.cells.iter().any(|cell| cell.axes.contains_key("rate")))
    }
}

impl From<&Summary> for Figures {
    fn from(summary: &Summary) -> Self {
        serde_json::from_str(&summary.to_json()).expect("these are fields of a summary")
    }
}
