//! A runtime that is not installed: one line below the table instead of a row for each of its cells, which would all say
//! the same.

use std::borrow::Cow;

use super::table::Footnote;
use crate::matrix::axis::AxisValue;
use crate::number::counted;
use crate::stats::summary::{CellSummary, ScenarioSummary, Status};

const AXIS: &str = "runtime";

/// The scenario without the rows of absent runtimes, and a note for each of them. Where no runtime is there, the rows
/// stay.
pub(super) fn without_absent(scenario: &ScenarioSummary) -> (Cow<'_, ScenarioSummary>, Vec<Footnote>) {
    let runtimes = scenario.axes.iter().find(|axis| axis.name == AXIS).map_or(&[][..], |axis| &axis.values);
    let absent: Vec<(&AxisValue, Vec<&CellSummary>)> = runtimes
        .iter()
        .map(|runtime| (runtime, cells_of(scenario, runtime)))
        .filter(|(_, cells)| cells.len() > 1 && is_absent(cells))
        .collect();
    if absent.is_empty() || absent.len() == runtimes.len() {
        return (Cow::Borrowed(scenario), Vec::new());
    }
    let notes = absent
        .iter()
        .map(|(runtime, cells)| Footnote {
            mark: "–".to_owned(),
            subject: format!("{AXIS}={runtime}, {}", counted(cells.len() as u64, "cell", "cells")),
            text: format!("skipped: {}", cells[0].reason.as_deref().unwrap_or("not installed")),
            stderr_tail: Vec::new(),
        })
        .collect();
    let mut shorter = scenario.clone();
    let gone = |cell: &CellSummary| absent.iter().any(|(runtime, _)| cell.axes.get(AXIS) == Some(*runtime));
    let left: std::collections::HashSet<&str> =
        scenario.cells.iter().filter(|cell| !gone(cell)).map(|cell| cell.id.as_str()).collect();
    shorter.cells.retain(|cell| left.contains(cell.id.as_str()));
    for comparison in &mut shorter.comparisons {
        comparison.rows.retain(|row| left.contains(row.cell.as_str()));
    }
    shorter.comparisons.retain(|comparison| !comparison.rows.is_empty());
    for axis in &mut shorter.axes {
        axis.values.retain(|value| shorter.cells.iter().any(|cell| cell.axes.get(&axis.name) == Some(value)));
    }
    shorter.axes.retain(|axis| !axis.values.is_empty());
    (Cow::Owned(shorter), notes)
}

fn cells_of<'a>(scenario: &'a ScenarioSummary, runtime: &AxisValue) -> Vec<&'a CellSummary> {
    scenario.cells.iter().filter(|cell| cell.axes.get(AXIS) == Some(runtime)).collect()
}

/// Whether all were skipped for one reason.
fn is_absent(cells: &[&CellSummary]) -> bool {
    cells.iter().all(|cell| cell.status == Status::Skipped && cell.reason == cells[0].reason)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixtures::{axis, comparison, failed, measured, scenario};
    use super::super::{Terminal, scenario_table::scenario_table};
    use super::*;

    fn cells(ruby: Status) -> ScenarioSummary {
        let mut cells = Vec::new();
        for runtime in ["rust", "python3.14t", "ruby"] {
            for model in ["sequential", "threads"] {
                let id = format!("s/runtime={runtime},model={model}");
                let axes = [("runtime", runtime), ("model", model)];
                cells.push(match runtime {
                    "rust" => measured(&id, &axes, &[100, 101, 102]),
                    "ruby" => failed(&id, &axes, ruby, &format!("no Ruby for {model}")),
                    _ => failed(&id, &axes, Status::Skipped, "python3.14t is not on the PATH; to install it: uv"),
                });
            }
        }
        let axes = vec![axis("runtime", &["rust", "python3.14t", "ruby"]), axis("model", &["sequential", "threads"])];
        let mut scenario = scenario("s", "model", axes, cells);
        scenario.comparisons = ["rust", "python3.14t", "ruby"]
            .map(|runtime| {
                let ids = ["sequential", "threads"].map(|model| format!("s/runtime={runtime},model={model}"));
                comparison(&[("runtime", runtime)], &[(&ids[0], 1.0), (&ids[1], 1.0)])
            })
            .to_vec();
        scenario
    }

    #[test]
    fn an_absent_runtime_has_one_line_and_no_rows() {
        let table = scenario_table(&cells(Status::Failed));
        let text = Terminal::default().table(&table);
        let rows: Vec<&str> = text.lines().filter(|line| line.contains("python3.14t")).collect();
        expect![[r#"
            [
                "– runtime=python3.14t, 2 cells: skipped: python3.14t is not on the PATH; to install it: uv",
            ]
        "#]]
        .assert_debug_eq(&rows);
        assert_eq!(text.lines().filter(|line| line.contains("failed")).count(), 1, "other failures stay: {text}");
    }

    #[test]
    fn cells_that_are_skipped_for_different_reasons_stay() {
        let scenario = cells(Status::Skipped);
        let (shorter, notes) = without_absent(&scenario);
        assert_eq!((shorter.cells.len(), notes.len()), (4, 1));
    }

    #[test]
    fn where_nothing_is_there_the_rows_stay() {
        let mut scenario = cells(Status::Skipped);
        scenario.axes[0].values.truncate(2);
        scenario.axes[0].values.remove(0);
        let (same, notes) = without_absent(&scenario);
        assert_eq!((same.cells.len(), notes.len()), (6, 0));
    }
}
