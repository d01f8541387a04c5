//! `results/index.html`: machine by machine, the history of the headline ratios, then the results, newest first.

use maud::{Markup, html};

use super::headline::headlines;
use super::{HEADLINES, Machine, outcome, page_of, tables};
use crate::number::{counted, ratio, ratio_interval};
use crate::report::page::shell;
use crate::report::page::words::{Words, clean};
use crate::report::plot::sparkline;
use crate::results::index::Entry;
use crate::results::name::date;
use crate::stats::history::{MachineHistory, Series};

/// From so many rows on a table is folded.
const MANY_ROWS: usize = 40;

/// The page.
#[must_use]
pub fn page(machines: &[Machine<'_>]) -> String {
    let results: usize = machines.iter().map(|machine| machine.results.len()).sum();
    let header = html! {
        h1 { "Results" }
        p {
            (counted(results as u64, "run", "runs")) " of the matrix on " (counted(machines.len() as u64, "machine", "machines"))
            ". Ratios of different machines are not compared."
        }
        p { (HEADLINES) }
        nav aria-label="Machines" {
            @for machine in machines { a href={ "#machine-" (machine.fingerprint) } { (Words(&machine.name)) } " " }
        }
    };
    let main = html! {
        @if machines.is_empty() { p { "There is no result yet. " code { "cargo xtask matrix" } " makes one." } }
        @for machine in machines { (section(machine)) }
    };
    let footer = html! { code { "cargo xtask history" } " shows every ratio, and " code { "cargo xtask compare" } " two results." };
    shell("Parallax: results", &header, &main, &footer).into_string()
}

fn section(machine: &Machine<'_>) -> Markup {
    let place = format!("machine-{}", machine.fingerprint);
    html! {
        section.scenario aria-labelledby=(place) {
            h2 id=(place) { (Words(&machine.name)) " (" (machine.fingerprint) ")" }
            @if let Some(history) = machine.history { (ratios(history)) }
            h3 { "Results" }
            (folded(machine.results.len(), "result", "results", &results(&machine.results)))
        }
    }
}

fn folded(rows: usize, one: &str, many: &str, table: &Markup) -> Markup {
    html! {
        @if rows > MANY_ROWS {
            details.long { summary { (counted(rows as u64, one, many)) } (table) }
        } @else { (table) }
    }
}

fn ratios(history: &MachineHistory) -> Markup {
    let all = headlines(history);
    let table = html! {
        div.scroll tabindex="0" role="region" aria-label={ "Headline ratios of " (history.fingerprint) } {
            table {
                caption { "The newest ratio with its interval, and all that are known, the newest at the right." }
                thead {
                    tr {
                        @for head in ["cell and baseline", "newest", "history", "min–max", "n", "changed for good"] {
                            th scope="col" { (head) }
                        }
                    }
                }
                tbody { @for series in &all { (headline(history, series)) } }
            }
        }
    };
    html! {
        @if !all.is_empty() {
            h3 { "Headline ratios" }
            (folded(all.len(), "headline ratio", "headline ratios", &table))
        }
    }
}

fn headline(history: &MachineHistory, series: &Series) -> Markup {
    let values: Vec<f64> = series.points.iter().map(|point| point.ratio).collect();
    let (low, high) =
        values.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
    let newest = series.points.last();
    let result = |point: usize| series.points.get(point).and_then(|point| history.results.get(point.result));
    html! {
        tr {
            th scope="row" { (Words(&series.cell)) br; span.or { "over " (Words(&series.baseline)) } }
            td.num {
                @if let Some(point) = newest {
                    (ratio(point.ratio))
                    @if let Some((low, high)) = point.low.zip(point.high) { " (" (ratio_interval(low, high)) ")" }
                    @if point.result + 1 < history.results.len() { " earlier" }
                }
            }
            td {
                @let said = format!("{}, from {} to {}", counted(values.len() as u64, "ratio", "ratios"), ratio(low), ratio(high));
                (sparkline(&values, &clean(&said)))
            }
            td.num { @if values.len() > 1 { (ratio(low)) "–" (ratio(high)) } @else { "–" } }
            td.num {
                (values.len())
                @if series.with_other_settings > 0 { " (+" (series.with_other_settings) " with other settings)" }
            }
            td {
                @for change in &series.changes {
                    p { (result(change.at).map_or_else(String::new, |name| date(name))) ": " (ratio(change.before)) " → " (ratio(change.after)) }
                }
            }
        }
    }
}

fn results(entries: &[&Entry]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Results" {
            table {
                caption { "Newest first." }
                thead {
                    tr {
                        @for head in ["result", "read", "commit", "complete", "scenarios", "cells"] { th scope="col" { (head) } }
                    }
                }
                tbody {
                    @for entry in entries {
                        @let [commit, complete, scenarios, cells] = outcome(entry);
                        tr {
                            th scope="row" { (date(&entry.name)) }
                            td {
                                @if let Some(page) = page_of(entry) { a href=(page) aria-label={ "Page of " (date(&entry.name)) } { "page" } ", " }
                                a href=(tables(entry)) aria-label={ "Tables of " (date(&entry.name)) } { @if entry.has_tables { "tables" } @else { "samples" } }
                            }
                            td { (Words(&commit)) }
                            td { (complete) }
                            td.num { (scenarios) }
                            td { (cells) }
                        }
                    }
                }
            }
        }
    }
}
