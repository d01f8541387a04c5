//! Plan and records → summary.

use std::collections::HashMap;
use std::time::SystemTime;

use super::cell::summarise_cell;
use super::conclusion::{Compared, conclude};
use super::floor::{self, KnownFloors};
use super::ratio::{self, Speed};
use super::records::{Sorted, sort};
use super::scaling;
use super::settings;
use super::summary::{
    CellSummary, ComparisonRow, ComparisonSummary, NoiseFloor, Ratio, SCHEMA, ScenarioSummary, Summary, Verdict,
};
use super::verdict::verdict;
use super::verify::wrong_checksums;
use crate::engine::failure::Failure;
use crate::matrix::plan::{Cell, Comparison, Order, Plan, Scenario, Work, twin_id};
use crate::results::record::Record;

/// When a matrix ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunTimes {
    /// When the first repetition began.
    pub started: SystemTime,
    /// When the last one ended.
    pub ended: SystemTime,
    /// From the one to the other, by a clock that nobody sets, without the gaps of a resumed run.
    pub wall_ns: u64,
    /// How much of that went into making things ready between scenarios, while nothing was measured: building, counting.
    pub prepared_ns: u64,
    /// Whether every planned repetition was tried.
    pub complete: bool,
}

/// Sums up what was recorded of a plan. Records of cells that are neither in the plan nor twins of its baselines are left
/// aside. `known` are the noise floors for comparisons whose A/A pass is not among the records.
#[must_use]
pub fn summarise(plan: &Plan, records: &[Record], times: &RunTimes, known: &KnownFloors) -> Summary {
    let sorted = sort(records);
    let wrong = wrong_checksums(plan, &sorted);
    let ended = humantime::format_rfc3339_seconds(times.ended).to_string();
    let around = Around { cores: plan.cores, sorted: &sorted, wrong: &wrong, known, ended: &ended };
    Summary {
        schema: SCHEMA,
        complete: times.complete,
        started: humantime::format_rfc3339_seconds(times.started).to_string(),
        ended: ended.clone(),
        wall_ns: times.wall_ns,
        prepared_ns: times.prepared_ns,
        measured_ns: sorted.measured_ns,
        warmup_ns: sorted.warmup_ns,
        machine: sorted.machine,
        scenarios: plan.scenarios.iter().map(|scenario| summarise_scenario(scenario, &around)).collect(),
    }
}

/// What all scenarios are summed up with.
struct Around<'a> {
    cores: u32,
    sorted: &'a Sorted<'a>,
    wrong: &'a HashMap<&'a str, Failure>,
    known: &'a KnownFloors,
    /// When the run ended, RFC 3339 in UTC.
    ended: &'a str,
}

impl Around<'_> {
    fn cell(&self, scenario: &Scenario, cell: &Cell) -> CellSummary {
        let id = cell.id.as_str();
        summarise_cell(scenario, cell, self.cores, self.sorted.cells.get(id), self.wrong.get(id))
    }

    /// The noise floor of a comparison: its own A/A pass's, else what is known from earlier.
    fn floor(&self, scenario: &Scenario, comparison: &Comparison, cells: &[CellSummary]) -> Option<NoiseFloor> {
        let measured = || {
            let baseline = comparison.baseline?;
            let twin = Cell { id: twin_id(&cells[baseline].id), ..scenario.cells[baseline].clone() };
            self.sorted.cells.get(twin.id.as_str())?;
            let speed = Speed::of(&twin.work)?;
            floor::measure(&cells[baseline], &self.cell(scenario, &twin), speed, self.ended)
        };
        measured().or_else(|| self.known.of(&scenario.name, &comparison.fixed).cloned())
    }
}

fn summarise_scenario(scenario: &Scenario, around: &Around<'_>) -> ScenarioSummary {
    let mut cells: Vec<CellSummary> = scenario.cells.iter().map(|cell| around.cell(scenario, cell)).collect();
    let comparisons: Vec<ComparisonSummary> = scenario
        .comparisons
        .iter()
        .map(|comparison| compare(scenario, comparison, &cells, around.floor(scenario, comparison, &cells)))
        .collect();
    let ratios = common(&comparisons, |row| row.ratio);
    let verdicts = common(&comparisons, |row| row.verdict);
    for cell in &mut cells {
        cell.ratio = ratios.get(cell.id.as_str()).copied().flatten();
        cell.verdict = verdicts.get(cell.id.as_str()).copied().flatten();
    }
    ScenarioSummary {
        name: scenario.name.clone(),
        kind: match scenario.cells.first().map(|cell| &cell.work) {
            Some(Work::Http(_)) => "http",
            Some(Work::Batch(_)) | None => "batch",
        }
        .to_owned(),
        question: scenario.question.clone(),
        compare: scenario.compare.clone(),
        include_setup: scenario.include_setup,
        warmups: scenario.schedule.warmups,
        runs: scenario.schedule.runs,
        order: match scenario.schedule.order {
            Order::Interleaved => "interleaved",
            Order::Sequential => "sequential",
        }
        .to_owned(),
        axes: scenario.axes.clone(),
        settings: settings::shared(scenario),
        scaling: scaling::scaling(scenario, &cells),
        cells,
        comparisons,
    }
}

fn compare(
    scenario: &Scenario,
    comparison: &Comparison,
    cells: &[CellSummary],
    floor: Option<NoiseFloor>,
) -> ComparisonSummary {
    let baseline = comparison.baseline.map(|index| &cells[index]);
    let compared: Vec<(&CellSummary, Option<Speed>)> =
        comparison.cells.iter().map(|&index| (&cells[index], Speed::of(&scenario.cells[index].work))).collect();
    let mut summary = ComparisonSummary {
        fixed: comparison.fixed.clone(),
        baseline: baseline.map(|cell| cell.id.clone()),
        rows: Vec::new(),
        floor,
        conclusion: None,
    };
    let floor = summary.floor_share();
    let row = |&(cell, speed): &(&CellSummary, Option<Speed>)| {
        let ratio = baseline.and_then(|baseline| ratio::ratio(baseline, cell, speed?));
        let is_baseline = baseline.is_some_and(|baseline| baseline.id == cell.id);
        let said = |ratio: &Ratio| if is_baseline { Verdict::Baseline } else { verdict(ratio, floor) };
        ComparisonRow { cell: cell.id.clone(), ratio, verdict: ratio.as_ref().map(said) }
    };
    summary.rows = compared.iter().map(row).collect();
    summary.conclusion = scenario
        .compare
        .as_deref()
        .and_then(|axis| conclude(&Compared { axis, cells: &compared, rows: &summary.rows, baseline, floor }));
    summary
}

/// By cell id: what stands in its row, where all comparisons that it is in say the same.
fn common<T: Copy + PartialEq>(
    comparisons: &[ComparisonSummary],
    of: impl Fn(&ComparisonRow) -> Option<T>,
) -> HashMap<&str, Option<T>> {
    let mut found: HashMap<&str, Option<T>> = HashMap::new();
    for row in comparisons.iter().flat_map(|comparison| &comparison.rows) {
        let value = of(row);
        let common = found.entry(&row.cell).or_insert(value);
        if *common != value {
            *common = None;
        }
    }
    found
}

#[cfg(test)]
mod tests;
