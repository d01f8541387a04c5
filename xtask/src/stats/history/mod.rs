//! Each cell's ratio over all results, machine by machine. Pure.
//!
//! | file | what it decides |
//! | --- | --- |
//! | here | which points make a series |
//! | [`change_point`] | where a series changed for good |

pub mod change_point;

pub use change_point::ChangePoint;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Serialize;

use crate::matrix::axis::AxisValue;
use crate::matrix::pattern::{IdPatterns, PatternError};
use crate::results::name::machine;
use crate::results::outline::Outline;

/// The version of the JSON that a history is printed as.
pub const SCHEMA: u32 = 1;

/// All results, machine by machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct History {
    /// Version of this format.
    pub schema: u32,
    /// The machines, that of the newest result first.
    pub machines: Vec<MachineHistory>,
}

/// The results of one machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineHistory {
    /// The first seven digits of its fingerprint.
    pub fingerprint: String,
    /// Names of its results, oldest first.
    pub results: Vec<String>,
    /// Its cells, in the order of the newest result.
    pub series: Vec<Series>,
}

/// One cell's ratio to one baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// The cell's id.
    pub cell: String,
    /// Id of its baseline.
    pub baseline: String,
    /// The ratios that are known, oldest first.
    pub points: Vec<Point>,
    /// How many results have the cell with other settings: those ratios answer another question and are left out.
    pub with_other_settings: usize,
    /// Where it changed for good, oldest first.
    pub changes: Vec<ChangePoint>,
}

/// One ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// Place of its result in the list of the machine's results.
    pub result: usize,
    /// Speed relative to the baseline.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
}

/// Joins the outlines of results, which come with their names, newest first.
///
/// # Errors
/// A pattern matches no cell.
pub fn history(results: &[(String, Outline)], patterns: &IdPatterns<'_>) -> Result<History, PatternError> {
    let mut ids = Vec::new();
    let mut machines: IndexMap<&str, Vec<&(String, Outline)>> = IndexMap::new();
    for result in results {
        machines.entry(machine(&result.0)).or_default().push(result);
        let rows = result.1.scenarios.iter().flat_map(|it| &it.comparisons).flat_map(|it| &it.rows);
        ids.extend(rows.map(|row| row.cell.as_str()));
    }
    patterns.check(&ids)?;
    let machines = machines.into_iter().map(|(fingerprint, results)| MachineHistory {
        fingerprint: fingerprint.to_owned(),
        results: results.iter().rev().map(|(name, _)| name.clone()).collect(),
        series: all_series(&results, patterns),
    });
    Ok(History { schema: SCHEMA, machines: machines.collect() })
}

type Settings = BTreeMap<String, AxisValue>;

/// The points of a cell, newest first, with the settings that the newest has.
struct Growing<'a> {
    settings: &'a Settings,
    points: Vec<Point>,
    with_other_settings: usize,
}

/// `results` are those of one machine, newest first.
fn all_series(results: &[&(String, Outline)], patterns: &IdPatterns<'_>) -> Vec<Series> {
    let mut growing: IndexMap<(&str, &str), Growing<'_>> = IndexMap::new();
    for (place, (_, outline)) in results.iter().enumerate() {
        for (settings, comparison) in
            outline.scenarios.iter().flat_map(|it| it.comparisons.iter().map(|comparison| (&it.settings, comparison)))
        {
            let Some(baseline) = comparison.baseline.as_deref() else { continue };
            for row in comparison.rows.iter().filter(|row| row.cell != baseline) {
                let Some(ratio) = row.ratio.filter(|ratio| ratio.value > 0.0 && ratio.value.is_finite()) else {
                    continue;
                };
                let new = || Growing { settings, points: Vec::new(), with_other_settings: 0 };
                let series = growing.entry((row.cell.as_str(), baseline)).or_insert_with(new);
                if series.settings == settings {
                    let result = results.len() - 1 - place;
                    series.points.push(Point { result, ratio: ratio.value, low: ratio.low, high: ratio.high });
                } else {
                    series.with_other_settings += 1;
                }
            }
        }
    }
    growing.retain(|(cell, _), _| patterns.choose(cell));
    let series = growing.into_iter().map(|((cell, baseline), mut growing)| {
        growing.points.reverse();
        let ratios: Vec<f64> = growing.points.iter().map(|point| point.ratio).collect();
        Series {
            cell: cell.to_owned(),
            baseline: baseline.to_owned(),
            changes: change_point::find(&ratios),
            points: growing.points,
            with_other_settings: growing.with_other_settings,
        }
    });
    series.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures::{long, summary};
    use crate::results::outline::outline;
    use crate::stats::summary::SCHEMA as SUMMARY;

    /// A result whose `processes` have this ratio, with so many tasks.
    fn result(name: &str, ratio: f64, tasks: u64) -> (String, Outline) {
        let mut scenario = long();
        scenario.settings.insert("tasks".to_owned(), tasks.into());
        for row in scenario.comparisons.iter_mut().flat_map(|comparison| &mut comparison.rows) {
            if row.cell.contains("processes") {
                row.ratio.as_mut().unwrap().value = ratio;
            }
        }
        (name.to_owned(), outline(summary(vec![scenario]).to_json().as_bytes(), SUMMARY).unwrap())
    }

    const PROCESSES: &str = "cpu-bound/model=processes,lock=gil";

    fn ratios(history: &History, machine: usize) -> Vec<f64> {
        let series = history.machines[machine].series.iter().find(|series| series.cell == PROCESSES).unwrap();
        series.points.iter().map(|point| point.ratio).collect()
    }

    fn no_patterns() -> IdPatterns<'static> {
        IdPatterns::new::<String>(&[]).unwrap()
    }

    #[test]
    fn machines_are_kept_apart_and_points_stand_oldest_first() {
        let results = [
            result("2026-11-30T171522Z-3f9c2a1", 3.0, 8),
            result("2026-11-29T171522Z-aaaaaaa", 9.0, 8),
            result("2026-11-28T171522Z-3f9c2a1", 2.0, 8),
        ];
        let history = history(&results, &no_patterns()).unwrap();
        let fingerprints: Vec<&str> = history.machines.iter().map(|machine| machine.fingerprint.as_str()).collect();
        assert_eq!(fingerprints, ["3f9c2a1", "aaaaaaa"]);
        assert_eq!((ratios(&history, 0), ratios(&history, 1)), (vec![2.0, 3.0], vec![9.0]));
        let cells: Vec<&str> = history.machines[0].series.iter().map(|series| series.cell.as_str()).collect();
        assert!(!cells.contains(&"cpu-bound/model=sequential,lock=gil"), "a baseline has no history: {cells:?}");
    }

    #[test]
    fn other_settings_are_another_question() {
        let results = [
            result("2026-11-30T171522Z-3f9c2a1", 3.0, 8),
            result("2026-11-29T171522Z-3f9c2a1", 5.0, 16),
            result("2026-11-28T171522Z-3f9c2a1", 2.0, 8),
        ];
        let history = history(&results, &no_patterns()).unwrap();
        assert_eq!(ratios(&history, 0), [2.0, 3.0]);
        let series = &history.machines[0].series.iter().find(|series| series.cell == PROCESSES).unwrap();
        assert_eq!(series.with_other_settings, 1);
        assert_eq!(series.points[1].result, 2, "the place of its result among three");
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_told() {
        let results = [result("2026-11-30T171522Z-3f9c2a1", 3.0, 8)];
        let wanted = ["cpubound"];
        let error = history(&results, &IdPatterns::new(&wanted).unwrap()).unwrap_err().to_string();
        assert_eq!(error, "the pattern `cpubound` matches no cell; did you mean `cpu-bound`?");
        let wanted = ["*processes*"];
        let found = history(&results, &IdPatterns::new(&wanted).unwrap()).unwrap();
        assert_eq!(found.machines[0].series.len(), 1);
    }
}
