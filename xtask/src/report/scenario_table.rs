//! Which rows and columns the table of a scenario has.
//!
//! The long form has a row for each cell of each comparison. Where the compared axis has two values,
//! [`pivot`] sets them side by side, and where it has a few and there are many comparisons, so does [`wide`]. All are for tasks and their elapsed time here; [`http`] is for servers.

use std::collections::HashMap;

use super::absent::without_absent;
use super::bars::Bars;
use super::footnotes::Footnotes;
use super::format::{cores, or_unknown};
use super::table::{Cell, Column, Row, Table};
use super::units::{TimeUnit, bytes, range, time};
use super::{findings, heading, http, pivot, standing, wide};
use crate::matrix::axis::Axes;
use crate::stats::summary::{CellSummary, ComparisonRow, ScenarioSummary, Status};

/// Ranks of columns that may be dropped; the highest goes first.
pub(super) mod rank {
    pub const ALWAYS: u8 = 0;
    pub const RANGE: u8 = 1;
    pub const CORES: u8 = 2;
    pub const MEMORY: u8 = 3;
    pub const SETUP: u8 = 4;
}

/// Set-up is worth a column when it took this share of the elapsed time in some cell.
const SETUP_SHARE: f64 = 0.01;

/// The table of a scenario, in the form that reads better.
#[must_use]
pub fn scenario_table(scenario: &ScenarioSummary) -> Table {
    let (scenario, absent) = without_absent(scenario);
    let scenario = &*scenario;
    let parts = match pivot::sides(scenario) {
        _ if http::is_http(scenario) => http::parts(scenario),
        Some(sides) => pivot::parts(scenario, &sides),
        None if wide::reads_better(scenario) => wide::parts(scenario),
        None => long_form(scenario),
    };
    Table {
        title: scenario.name.clone(),
        question: scenario.question.clone(),
        settings: heading::settings(scenario),
        columns: parts.columns,
        groups: parts.groups,
        hints: heading::hints(scenario),
        findings: findings::findings(scenario),
        footnotes: parts.footnotes.into_notes().into_iter().chain(absent).collect(),
        bars: Bars::of(scenario),
    }
}

/// What differs between the two forms.
pub(super) struct Parts<'a> {
    pub columns: Vec<Column>,
    pub groups: Vec<Vec<Row>>,
    pub footnotes: Footnotes<'a>,
}

/// The scenario's cells by id.
pub(super) fn by_id(scenario: &ScenarioSummary) -> HashMap<&str, &CellSummary> {
    scenario.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect()
}

/// The unit in which all times of a scenario can be compared.
pub(super) fn time_unit(scenario: &ScenarioSummary) -> Option<TimeUnit> {
    TimeUnit::for_all(scenario.cells.iter().filter_map(|cell| Some(cell.elapsed_ns.as_ref()?.median)))
}

/// A coordinate as tables show it.
pub(super) fn coordinate(axes: &Axes, name: &str) -> String {
    or_unknown(axes.get(name).map(ToString::to_string))
}

fn long_form(scenario: &ScenarioSummary) -> Parts<'_> {
    let axes = long_axes(scenario);
    let unit = time_unit(scenario);
    let compares = scenario.compare.is_some();
    let with_setup = setup_matters(scenario);
    let setup_unit = TimeUnit::for_all(scenario.cells.iter().filter_map(|cell| Some(cell.setup_ns.as_ref()?.median)));

    let mut columns: Vec<Column> = axes.iter().map(|name| Column::left(*name, rank::ALWAYS)).collect();
    columns.push(Column::right("median", rank::ALWAYS));
    columns.push(Column::right("min–max", rank::RANGE));
    if compares {
        columns.push(Column::right("ratio", rank::ALWAYS));
    }
    columns.push(Column::right("cores", rank::CORES));
    columns.push(Column::right("peak mem", rank::MEMORY));
    if with_setup {
        columns.push(Column::right("set-up", rank::SETUP));
    }
    columns.push(Column::left("notes", rank::ALWAYS));

    let mut footnotes = Footnotes::default();
    let by_id = by_id(scenario);
    let mut row = |row: &ComparisonRow| {
        let cell = *by_id.get(row.cell.as_str())?;
        let elapsed = cell.elapsed_ns.as_ref();
        let mut cells: Vec<Cell> = axes.iter().map(|name| coordinate(&cell.axes, name).into()).collect();
        cells.push(or_unknown(elapsed.map(|spread| time(spread.median, unit))).into());
        cells.push(or_unknown(elapsed.and_then(|spread| range(spread, unit))).into());
        if compares {
            cells.push(standing::cell(Some(row)));
        }
        cells.push(or_unknown(cell.cores_used.map(cores)).into());
        cells.push(or_unknown(cell.usage.peak_rss_bytes.map(bytes)).into());
        if with_setup {
            cells.push(or_unknown(cell.setup_ns.as_ref().map(|spread| time(spread.median, setup_unit))).into());
        }
        cells.push(footnotes.remark(cell));
        Some(Row { cells, is_failed: cell.status != Status::Ok })
    };
    let groups = scenario.comparisons.iter().map(|c| c.rows.iter().filter_map(&mut row).collect()).collect();
    without_empty_notes(Parts { columns, groups, footnotes })
}

/// Leaves the notes column out where no row has a note.
pub(super) fn without_empty_notes(mut parts: Parts<'_>) -> Parts<'_> {
    let is_empty = parts.groups.iter().flatten().all(|row| row.cells.last().is_none_or(|cell| cell.text.is_empty()));
    if is_empty {
        parts.columns.pop();
        for row in parts.groups.iter_mut().flatten() {
            row.cells.pop();
        }
    }
    parts
}

/// The axes in the order of columns: what groups the rows first, the compared axis last.
pub(super) fn long_axes(scenario: &ScenarioSummary) -> Vec<&str> {
    let compared = |name: &str| scenario.compare.as_deref() == Some(name);
    let names = || scenario.axes.iter().map(|axis| axis.name.as_str());
    names().filter(|name| !compared(name)).chain(names().filter(|name| compared(name))).collect()
}

/// Whether set-up takes a noticeable share somewhere, and is not part of the elapsed time already.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
pub(super) fn setup_matters(scenario: &ScenarioSummary) -> bool {
    let share = |cell: &CellSummary| {
        let (setup, elapsed) = (cell.setup_ns.as_ref()?.median, cell.elapsed_ns.as_ref()?.median);
        Some(setup as f64 >= elapsed as f64 * SETUP_SHARE && setup > 0)
    };
    !scenario.include_setup && scenario.cells.iter().filter_map(share).any(|matters| matters)
}
