//! The cells that are held against one baseline, and how they stand.

use serde::{Deserialize, Serialize};

use super::{Conclusion, NoiseFloor, Ratio, Verdict};
use crate::matrix::axis::Axes;
use crate::stats::verdict::ASSUMED_FLOOR;

/// The cells that differ only in the compared axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonSummary {
    /// The values of the other axes.
    pub fixed: Axes,
    /// Id of the cell that ratios are taken against.
    pub baseline: Option<String>,
    /// The compared cells, in the order of the axis.
    pub rows: Vec<ComparisonRow>,
    /// How far apart two equal cells may seem to be here. `None` where it was never measured; see
    /// [`floor_share`](Self::floor_share).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<NoiseFloor>,
    /// What a person may conclude. `None` where less than two cells can be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Conclusion>,
}

impl ComparisonSummary {
    /// The noise floor that its verdicts take, as a share: [`ASSUMED_FLOOR`] where none was ever measured.
    #[must_use]
    pub fn floor_share(&self) -> f64 {
        self.floor.as_ref().map_or(ASSUMED_FLOOR, |floor| floor.share)
    }
}

/// One cell's standing in one comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The cell's id.
    pub cell: String,
    /// Speed relative to the baseline.
    pub ratio: Option<Ratio>,
    /// What the ratio says.
    pub verdict: Option<Verdict>,
}
