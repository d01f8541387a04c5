//! The form with the compared values side by side, as the second article prints its sweep: work, requests a second of 1
//! loop and of 4, their ratio, the 95th percentile of each.

use super::super::footnotes::Footnotes;
use super::super::format::{cores, or_unknown, per_second};
use super::super::pivot::{Pair, Sides, arrow, fixed, grouped, pair, ratio_between, remarks};
use super::super::scenario_table::{Parts, by_id, without_empty_notes};
use super::super::table::{Cell, Column, Row};
use super::super::units::{TimeUnit, time};
use super::{failed, has_errors, has_workers, latency_unit, workers};
use crate::stats::summary::{CellSummary, ComparisonSummary, Percentiles, ScenarioSummary, Status};

/// Requests a second of both sides, their ratio, latency.
pub(super) fn closed_loop<'a>(scenario: &'a ScenarioSummary, sides: &Sides<'a>) -> Parts<'a> {
    let axes: Vec<&str> =
        scenario.axes.iter().map(|axis| axis.name.as_str()).filter(|name| *name != sides.compare).collect();
    let (with_workers, with_errors) = (has_workers(scenario), has_errors(scenario));
    let mut columns: Vec<Column> = axes.iter().map(|name| Column::left(*name, 0)).collect();
    columns.extend(sides.values.map(|value| Column::right(format!("req/s {}={value}", sides.compare), 0)));
    columns.push(Column::right("ratio", 0));
    columns.extend(sides.values.map(|value| Column::right(format!("p95 {value}"), 1)));
    columns.push(Column::right("p50", 6));
    columns.push(Column::right("p99", 2));
    if with_workers {
        columns.push(Column::right("by worker", 4));
    }
    columns.push(Column::right("server", 3));
    columns.push(Column::right("client", 5));
    if with_errors {
        columns.push(Column::right("errors", 0));
    }
    columns.push(Column::left("notes", 0));

    let unit = latency_unit(scenario);
    let by_id = by_id(scenario);
    let mut footnotes = Footnotes::default();
    let row = |comparison: &ComparisonSummary| {
        let pair = pair(comparison, sides, &by_id);
        let mut cells: Vec<Cell> = axes.iter().map(|name| fixed(comparison, &pair, name).into()).collect();
        let throughput = each(&pair, |cell| Some(per_second(cell.throughput_per_s.as_ref()?.median)));
        cells.extend(throughput.map(|it| Cell::from(or_unknown(it))));
        cells.push(ratio_between(comparison, &pair));
        let mut texts: Vec<String> = Vec::new();
        texts.extend(latency(&pair, unit, |it| it.p95).map(or_unknown));
        texts.push(arrow(latency(&pair, unit, |it| it.p50)));
        texts.push(arrow(latency(&pair, unit, |it| it.p99)));
        if with_workers {
            texts.push(arrow(each(&pair, |cell| cell.by_worker.is_some().then(|| workers(cell)))));
        }
        texts.push(arrow(each(&pair, |cell| cell.cores_used.map(cores))));
        texts.push(arrow(each(&pair, |cell| cell.client?.cores_used.map(cores))));
        if with_errors {
            texts.push(arrow(each(&pair, failed)));
        }
        cells.extend(texts.into_iter().map(Cell::from));
        cells.push(remarks(&pair, sides, &mut footnotes));
        Row { cells, is_failed: pair.iter().flatten().any(|cell| cell.status != Status::Ok) }
    };
    let groups = grouped(scenario, row);
    without_empty_notes(Parts { columns, groups, footnotes })
}

/// A figure of each side.
fn each(pair: &Pair<'_>, figure: impl Fn(&CellSummary) -> Option<String>) -> [Option<String>; 2] {
    pair.map(|cell| cell.and_then(&figure))
}

fn latency(pair: &Pair<'_>, unit: Option<TimeUnit>, of: fn(Percentiles) -> Option<u64>) -> [Option<String>; 2] {
    each(pair, |cell| Some(time(of(cell.latency_ns?)?, unit)))
}
