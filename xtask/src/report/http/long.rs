//! The long forms: a row for each cell of each comparison.

use super::super::footnotes::Footnotes;
use super::super::format::{UNKNOWN, cores, per_second};
use super::super::pivot::arrow;
use super::super::scenario_table::{Parts, by_id, coordinate, long_axes, without_empty_notes};
use super::super::standing;
use super::super::table::{Cell, Column, Row};
use super::super::units::{TimeUnit, time};
use super::{failed, has_errors, has_workers, latency_unit, workers};
use crate::stats::summary::{CellSummary, ComparisonRow, Percentiles, RequestsSummary, ScenarioSummary, Status};

/// What stands in a column; `None` is unknown.
type Text<'a> = Box<dyn Fn(&ComparisonRow, &CellSummary) -> Option<Cell> + 'a>;

/// A column, and what stands in it.
struct Field<'a> {
    column: Column,
    text: Text<'a>,
}

impl<'a> Field<'a> {
    fn number(header: &str, rank: u8, text: impl Fn(&CellSummary) -> Option<String> + 'a) -> Self {
        Self { column: Column::right(header, rank), text: Box::new(move |_, cell| text(cell).map(Cell::from)) }
    }

    fn time(header: &str, rank: u8, unit: Option<TimeUnit>, ns: impl Fn(&CellSummary) -> Option<u64> + 'a) -> Self {
        Self::number(header, rank, move |cell| ns(cell).map(|ns| time(ns, unit)))
    }
}

/// Requests a second, their ratio, latency.
pub(super) fn closed_loop(scenario: &ScenarioSummary) -> Parts<'_> {
    let unit = latency_unit(scenario);
    let throughput = |cell: &CellSummary| Some(per_second(cell.throughput_per_s.as_ref()?.median));
    let range = |cell: &CellSummary| {
        let (min, max) = cell.throughput_per_s.as_ref()?.range()?;
        Some(format!("{}–{}", per_second(min), per_second(max)))
    };
    let mut fields = axes(scenario);
    fields.push(Field::number("req/s", 0, throughput));
    fields.push(Field::number("min–max", 6, range));
    if scenario.compare.is_some() {
        let ratio = |row: &ComparisonRow, _: &CellSummary| Some(standing::cell(Some(row)));
        fields.push(Field { column: Column::right("ratio", 0), text: Box::new(ratio) });
    }
    fields.push(Field::time("p50", 2, unit, latency(|it| it.p50)));
    fields.push(Field::time("p95", 0, unit, latency(|it| it.p95)));
    fields.push(Field::time("p99", 1, unit, latency(|it| it.p99)));
    fields.extend(cost(scenario, 3));
    drawn(scenario, &fields)
}

/// The rate that was asked for and sent, latency from the intended send time, and what the client had to do with it.
pub(super) fn open_loop(scenario: &ScenarioSummary) -> Parts<'_> {
    let unit = latency_unit(scenario);
    let rate = |it: &RequestsSummary| arrow([it.asked_rate_per_s, it.achieved_rate_per_s].map(|it| it.map(per_second)));
    let mut fields = axes(scenario);
    fields.push(Field::number("asked → achieved", 0, move |cell| cell.requests.as_ref().map(rate)));
    fields.push(Field::time("p50", 1, unit, latency(|it| it.p50)));
    fields.push(Field::time("p95", 2, unit, latency(|it| it.p95)));
    fields.push(Field::time("p99", 0, unit, latency(|it| it.p99)));
    fields.push(Field::time("service p99", 3, unit, |cell| cell.service_ns?.p99));
    // Far smaller than latency where all is well, so each has its own unit.
    fields.push(Field::time("lag p99", 4, None, |cell| cell.send_lag_ns?.p99));
    fields.extend(cost(scenario, 5));
    drawn(scenario, &fields)
}

fn axes(scenario: &ScenarioSummary) -> Vec<Field<'_>> {
    let field = |name| Field {
        column: Column::left(name, 0),
        text: Box::new(move |_: &ComparisonRow, cell: &CellSummary| Some(coordinate(&cell.axes, name).into())),
    };
    long_axes(scenario).into_iter().map(field).collect()
}

fn latency(of: fn(Percentiles) -> Option<u64>) -> impl Fn(&CellSummary) -> Option<u64> {
    move |cell| of(cell.latency_ns?)
}

/// Who answered, what it took, and what went wrong. Ranks begin with the one given.
fn cost(scenario: &ScenarioSummary, rank: u8) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    if has_workers(scenario) {
        fields.push(Field::number("by worker", rank, |cell| Some(workers(cell))));
    }
    fields.push(Field::number("server", rank + 1, |cell| cell.cores_used.map(cores)));
    fields.push(Field::number("client", rank + 2, |cell| cell.client?.cores_used.map(cores)));
    if has_errors(scenario) {
        fields.push(Field::number("errors", 0, failed));
    }
    fields
}

fn drawn<'a>(scenario: &'a ScenarioSummary, fields: &[Field<'_>]) -> Parts<'a> {
    let mut columns: Vec<Column> = fields.iter().map(|field| field.column.clone()).collect();
    columns.push(Column::left("notes", 0));
    let mut footnotes = Footnotes::default();
    let by_id = by_id(scenario);
    let mut row = |row: &ComparisonRow| {
        let cell = *by_id.get(row.cell.as_str())?;
        let text = |field: &Field<'_>| (field.text)(row, cell).unwrap_or_else(|| UNKNOWN.to_owned().into());
        let mut cells: Vec<Cell> = fields.iter().map(text).collect();
        cells.push(footnotes.remark(cell));
        Some(Row { cells, is_failed: cell.status != Status::Ok })
    };
    let groups = scenario.comparisons.iter().map(|c| c.rows.iter().filter_map(&mut row).collect()).collect();
    without_empty_notes(Parts { columns, groups, footnotes })
}
