//! A scenario's table: a row for each cell of each comparison, the rows of a comparison in a body of their own.

use std::collections::HashSet;

use maud::{Markup, html};

use super::anchor;
use super::columns::{Column, Kind, Place, columns};
use super::notes::Notes;
use super::runs::Runs;
use super::words::{Words, clean};
use crate::number::grouped;
use crate::report::scenario_table::by_id;
use crate::stats::summary::{ComparisonSummary, ScenarioSummary, Status, Verdict};

/// From so many rows on a table is folded, so that a page of thousands of cells can be scrolled.
const MANY_ROWS: usize = 120;

/// Most rows of one table, but for a comparison that has more: browsers take much longer than twice as long for twice as many.
const PART_ROWS: usize = 400;

/// The table, folded where it is long, and in parts where it is very long.
pub(super) fn table(scenario: &ScenarioSummary, notes: &Notes<'_>) -> Markup {
    let rows: usize = scenario.comparisons.iter().map(|comparison| comparison.rows.len()).sum();
    let mut placed = HashSet::new();
    if rows <= MANY_ROWS {
        return html! {
            @if rows == 0 { p { "No cell was planned." } } @else { (part(scenario, &scenario.comparisons, notes, &mut placed)) }
        };
    }
    let count =
        |comparisons: &[ComparisonSummary]| comparisons.iter().map(|comparison| comparison.rows.len()).sum::<usize>();
    let ends = parts(&scenario.comparisons).into_iter().scan(0, |from, comparisons| {
        let start = *from;
        *from += count(comparisons);
        Some((start, *from, comparisons))
    });
    html! {
        @for (from, until, comparisons) in ends {
            details.long {
                summary { "Rows " (grouped(from as u64 + 1)) " to " (grouped(until as u64)) " of " (grouped(rows as u64)) }
                (part(scenario, comparisons, notes, &mut placed))
            }
        }
    }
}

/// Comparisons that share a table: as many as there is room for, at least one.
fn parts(mut rest: &[ComparisonSummary]) -> Vec<&[ComparisonSummary]> {
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let mut rows = 0;
        let fits = rest.iter().take_while(|comparison| {
            rows += comparison.rows.len();
            rows <= PART_ROWS
        });
        let (part, others) = rest.split_at(fits.count().max(1));
        parts.push(part);
        rest = others;
    }
    parts
}

fn part<'a>(
    scenario: &'a ScenarioSummary,
    comparisons: &'a [ComparisonSummary],
    notes: &Notes<'_>,
    placed: &mut HashSet<&'a str>,
) -> Markup {
    let columns = columns(scenario);
    let drawing = Drawing {
        // The axis that tells the rows of a comparison apart names the row.
        head: columns.iter().rposition(|column| column.kind == Kind::Axis),
        runs: Runs::of(scenario),
        columns,
        notes,
    };
    let by_id = by_id(scenario);
    let fallback = |axis: &str| scenario.settings.get(axis).map(ToString::to_string);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Table of " (clean(&scenario.name)) } {
            table data-model=[fallback("model")] data-lock=[fallback("lock")] {
                caption { "Figures of " (Words(&scenario.name)) "." span.screen { " A median opens to its runs." } }
                thead {
                    tr {
                        @if drawing.head.is_none() { th scope="col" { "cell" } }
                        @for column in &drawing.columns {
                            th scope="col" class=[class(column.kind)] title=[Some(column.help).filter(|help| !help.is_empty())]
                                data-relative[matches!(column.kind, Kind::Main | Kind::Number)] { (Words(&column.header)) }
                        }
                        th scope="col" { "notes" }
                    }
                }
                @for comparison in comparisons {
                    tbody {
                        @for row in &comparison.rows {
                            @if let Some(cell) = by_id.get(row.cell.as_str()) {
                                (drawing.row(&Place { comparison, row, cell }, placed.insert(row.cell.as_str())))
                            }
                        }
                    }
                }
            }
        }
    }
}

struct Drawing<'a> {
    columns: Vec<Column<'a>>,
    head: Option<usize>,
    runs: Runs,
    notes: &'a Notes<'a>,
}

impl Drawing<'_> {
    /// A cell that is in several comparisons has its place in the first.
    fn row(&self, at: &Place<'_>, is_first: bool) -> Markup {
        let place = anchor::cell(&at.cell.id);
        let coordinate = |axis: &str| at.cell.axes.get(axis).map(ToString::to_string);
        html! {
            tr id=[is_first.then_some(&place)] class=[class_of_row(at)] data-model=[coordinate("model")]
                data-lock=[coordinate("lock")] {
                @if self.head.is_none() { th scope="row" { (link(at, &place)) } }
                @for (index, column) in self.columns.iter().enumerate() {
                    @let figure = column.figure(at);
                    @let text = figure.text.as_deref().unwrap_or("–");
                    @if Some(index) == self.head {
                        th scope="row" { (Words(text)) " " (link(at, &place)) }
                    } @else if column.kind == Kind::Axis {
                        td { (Words(text)) }
                    } @else if column.kind == Kind::Verdict {
                        td class=[at.row.verdict.map(Verdict::word)] { (text) }
                    } @else {
                        td class=[class(column.kind)] data-v=[figure.raw] {
                            @if column.kind == Kind::Main { (self.runs.figure(at.cell, &figure)) } @else { (text) }
                        }
                    }
                }
                td { (self.notes.remark(at.cell)) }
            }
        }
    }
}

/// A link to the row itself, which a reader can pass on.
fn link(at: &Place<'_>, place: &str) -> Markup {
    html! { a.self href=(anchor::to(place)) aria-label={ "Link to " (clean(&at.cell.id)) } { "#" } }
}

fn class(kind: Kind) -> Option<&'static str> {
    matches!(kind, Kind::Main | Kind::Number | Kind::Fixed).then_some("num")
}

fn class_of_row(at: &Place<'_>) -> Option<&'static str> {
    match at.cell.status {
        Status::Ok if at.is_baseline() => Some("base"),
        Status::Ok => None,
        _ => Some("failed"),
    }
}
