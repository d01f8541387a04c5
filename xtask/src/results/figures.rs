//! What comparisons need of `summary.json`, and nothing else: a summary of ten thousand cells is read in half the time.
//! Fields that this version does not know are skipped.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::scan::values;
use crate::matrix::axis::{Axes, AxisValue};
use crate::stats::summary::{Flag, NoiseFloor, Ratio, Status, Summary, Verdict};

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
    /// What the ratio says.
    pub verdict: Option<Verdict>,
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

/// What a history needs of one result.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// For each scenario that compares anything: its settings, and its comparisons.
    pub scenarios: Vec<(BTreeMap<String, AxisValue>, Vec<ComparisonFigures>)>,
}

/// Reads what a history needs; `None` where the text is no summary of a schema up to `known`.
#[must_use]
pub fn outline(json: &[u8], known: u32) -> Option<Outline> {
    if values::<u32>(json, "schema").next()?? > known {
        return None;
    }
    // A summary is written whole or not at all; one that was cut has lost its last scenarios.
    if json.trim_ascii_end().last() != Some(&b'}') {
        return None;
    }
    quick_outline(json).or_else(|| {
        // Somebody has written it in another order, or an axis is called like one of our keys.
        let figures: Figures = serde_json::from_slice(json).ok()?;
        let scenarios = figures.scenarios.into_iter().map(|scenario| (scenario.settings, scenario.comparisons));
        Some(Outline { scenarios: scenarios.collect() })
    })
}

/// The same by picking: settings and comparisons of the scenarios alternate.
fn quick_outline(json: &[u8]) -> Option<Outline> {
    let settings: Vec<_> = values(json, "settings").collect::<Option<_>>()?;
    let comparisons: Vec<_> = values(json, "comparisons").collect::<Option<_>>()?;
    (settings.len() == comparisons.len())
        .then(|| Outline { scenarios: settings.into_iter().zip(comparisons).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures::{long, summary};
    use crate::stats::summary::SCHEMA;

    fn json() -> String {
        summary(vec![long(), long()]).to_json()
    }

    #[test]
    fn an_outline_has_the_settings_and_comparisons_of_every_scenario() {
        let outline = outline(json().as_bytes(), SCHEMA).unwrap();
        let figures = Figures::from(&summary(vec![long(), long()]));
        let whole: Vec<_> = figures.scenarios.into_iter().map(|it| (it.settings, it.comparisons)).collect();
        assert_eq!(outline.scenarios, whole);
        assert_eq!(outline.scenarios.len(), 2);
    }

    #[test]
    fn an_axis_that_is_called_like_a_key_of_ours_is_not_taken_for_it() {
        for key in ["settings", "comparisons"] {
            let mut scenario = long();
            for cell in &mut scenario.cells {
                cell.axes.insert(key.to_owned(), "x".into());
            }
            let odd = outline(summary(vec![scenario]).to_json().as_bytes(), SCHEMA).unwrap();
            assert_eq!(odd.scenarios.len(), 1, "{key}");
            assert_eq!(odd.scenarios[0], outline(json().as_bytes(), SCHEMA).unwrap().scenarios[0], "{key}");
        }
    }

    #[test]
    fn a_summary_that_is_torn_or_of_a_newer_schema_has_no_outline() {
        let json = json();
        assert_eq!(outline(&json.as_bytes()[..json.len() / 2], SCHEMA), None);
        assert_eq!(outline(json.as_bytes(), SCHEMA - 1), None);
        assert_eq!(outline(b"", SCHEMA), None);
        assert_eq!(outline(b"[]", SCHEMA), None);
    }
}
