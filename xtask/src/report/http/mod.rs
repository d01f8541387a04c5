//! Tables of `http` scenarios: requests a second and latency, in three forms.
//!
//! | file | what lives here |
//! | --- | --- |
//! | `long` | a row for each server: closed loops in one form, open loops in another |
//! | `pivot` | closed loops with the two compared values side by side, as the second article prints them |
//!
//! Of the ranks of their columns the highest is dropped first where there is little room, and 0 never.

mod long;
mod pivot;

#[cfg(test)]
mod tests;

use super::format::{by_worker, or_unknown};
use super::pivot::sides;
use super::scenario_table::Parts;
use super::table::Hint;
use super::units::TimeUnit;
use crate::stats::summary::{CellSummary, RequestsSummary, ScenarioSummary};

/// Whether the scenario loads servers.
pub(super) fn is_http(scenario: &ScenarioSummary) -> bool {
    scenario.kind == "http"
}

/// Whether requests are sent by the clock. The settings tell where no cell has figures.
pub(super) fn is_open(scenario: &ScenarioSummary) -> bool {
    let is_asked = |cell: &CellSummary| cell.requests.as_ref().is_some_and(|it| it.asked_rate_per_s.is_some());
    ["rate", "duration", "arrivals"].iter().any(|key| scenario.settings.contains_key(*key))
        || scenario.cells.iter().any(is_asked)
}

/// Rows and columns, in the form that suits. An open loop has no ratio to put between two sides.
pub(super) fn parts(scenario: &ScenarioSummary) -> Parts<'_> {
    match sides(scenario) {
        _ if is_open(scenario) => long::open_loop(scenario),
        Some(sides) => pivot::closed_loop(scenario, &sides),
        None => long::closed_loop(scenario),
    }
}

/// How to read the columns.
pub(super) fn hints(scenario: &ScenarioSummary) -> Vec<Hint> {
    let mut rows = scenario.comparisons.iter().flat_map(|comparison| &comparison.rows);
    let held_back = rows.any(|row| row.ratio.is_some_and(|ratio| ratio.bound.is_some()));
    let open = is_open(scenario);
    let hints = [
        (held_back, "ratio", "≥, ≤: the client held one side back"),
        (open, "p99", "p50 to p99: from the intended send time"),
        (open, "service p99", "service: from the real one"),
        (open, "lag p99", "lag: how late the client sent"),
        (true, "server", "server: cores it used"),
        (true, "client", "client: cores it used"),
    ];
    let applying = hints.into_iter().filter(|(applies, ..)| *applies);
    applying.map(|(_, header, text)| Hint { header, text: text.to_owned() }).collect()
}

/// Whether any cell has this.
fn has(scenario: &ScenarioSummary, it: impl Fn(&CellSummary) -> bool) -> bool {
    scenario.cells.iter().any(it)
}

pub(super) fn has_errors(scenario: &ScenarioSummary) -> bool {
    has(scenario, |cell| cell.requests.as_ref().is_some_and(|requests| requests.failed() > 0))
}

pub(super) fn has_workers(scenario: &ScenarioSummary) -> bool {
    has(scenario, |cell| cell.by_worker.is_some())
}

/// The unit in which all latencies of a scenario can be compared.
pub(super) fn latency_unit(scenario: &ScenarioSummary) -> Option<TimeUnit> {
    let figures = scenario.cells.iter().filter_map(|cell| cell.latency_ns);
    TimeUnit::for_all(figures.flat_map(|it| [it.p50, it.p95, it.p99]).flatten())
}

pub(super) fn failed(cell: &CellSummary) -> Option<String> {
    cell.requests.as_ref().map(RequestsSummary::failed).map(crate::number::grouped)
}

pub(super) fn workers(cell: &CellSummary) -> String {
    or_unknown(cell.by_worker.as_deref().map(by_worker))
}
