//! [`History`] → tables for people, CSV and JSON.

use csv::{Terminator, WriterBuilder};

use super::bars::Bars;
use super::format::{UNKNOWN, ratio};
use super::sparkline::sparkline;
use super::table::{Cell, Column, Hint, Row, Table};
use crate::number::counted;
use crate::results::name::date;
use crate::stats::history::{ChangePoint, History, MachineHistory, Series};

/// Points in a line of a table.
const POINTS: usize = 30;

/// How to read the last column.
const RULE: &str = "changed: where the series changed for good, by Pettitt's test at 1 % a cell; it takes ten results";

/// The table of one machine, which `machine` describes.
#[must_use]
pub fn table(history: &MachineHistory, machine: &str, ascii: bool) -> Table {
    let several = history.series.windows(2).any(|pair| pair[0].cell == pair[1].cell);
    let row = |series: &Series| Row { cells: cells(history, series, ascii, several), is_failed: false };
    let (first, last) = (history.results.first(), history.results.last());
    let span = first.zip(last).map(|(first, last)| format!(", {} to {}", date(first), date(last)));
    Table {
        bars: Bars::default(),
        findings: Vec::new(),
        title: format!("{machine} ({})", history.fingerprint),
        question: None,
        settings: format!(
            "{}{} · speed relative to the baseline, the newest on the right",
            counted(history.results.len() as u64, "result", "results"),
            span.unwrap_or_default()
        ),
        columns: vec![
            Column::left("cell", 0),
            Column::left("ratios", 1),
            Column::right("n", 2),
            Column::right("newest", 0),
            Column::right("min–max", 3),
            Column::left("changed", 0),
        ],
        groups: vec![history.series.iter().map(row).collect()],
        hints: vec![Hint { header: "changed", text: RULE.to_owned() }],
        footnotes: Vec::new(),
    }
}

fn cells(history: &MachineHistory, series: &Series, ascii: bool, several: bool) -> Vec<Cell> {
    let ratios: Vec<f64> = series.points.iter().map(|point| point.ratio).collect();
    let cell = if several { format!("{} over {}", series.cell, series.baseline) } else { series.cell.clone() };
    let newest = series.points.last().map_or_else(
        || UNKNOWN.to_owned(),
        |point| {
            let interval = point.low.zip(point.high).map(|(low, high)| format!(" ({}–{})", ratio(low), ratio(high)));
            // A cell that the newest result lacks is not newest there.
            let age = if point.result + 1 < history.results.len() { " earlier" } else { "" };
            format!("{}{}{age}", ratio(point.ratio), interval.unwrap_or_default())
        },
    );
    let range = ratios.iter().copied().reduce(f64::min).zip(ratios.iter().copied().reduce(f64::max));
    let range = range.filter(|_| ratios.len() > 1).map(|(min, max)| format!("{}–{}", ratio(min), ratio(max)));
    let mut number = ratios.len().to_string();
    if series.with_other_settings > 0 {
        number += &format!(" (+{} with other settings)", series.with_other_settings);
    }
    let changes: Vec<String> = series.changes.iter().map(|change| changed(history, series, change)).collect();
    vec![
        cell.into(),
        sparkline(&ratios, POINTS, ascii).into(),
        number.into(),
        newest.into(),
        range.unwrap_or_else(|| UNKNOWN.to_owned()).into(),
        changes.join("; ").into(),
    ]
}

/// `2026-11-30 17:15:22: 1.95 → 1.71`.
fn changed(history: &MachineHistory, series: &Series, change: &ChangePoint) -> String {
    format!("{}: {} → {}", date(result(history, series, change.at)), ratio(change.before), ratio(change.after))
}

fn result<'a>(history: &'a MachineHistory, series: &Series, point: usize) -> &'a str {
    history.results.get(series.points[point].result).map_or("", String::as_str)
}

/// The history as CSV: a row for each point; `changed` has the ratio that held before where one begins that holds after.
#[must_use]
pub fn csv(history: &History) -> String {
    let infallible = "writing to memory cannot fail, and all rows have the header's columns";
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let header = ["machine", "cell", "baseline", "result", "ratio", "low", "high", "changed_from", "changed_to"];
    writer.write_record(header).expect(infallible);
    let text = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for machine in &history.machines {
        for series in &machine.series {
            for (index, point) in series.points.iter().enumerate() {
                let change = series.changes.iter().find(|change| change.at == index);
                writer
                    .write_record([
                        machine.fingerprint.clone(),
                        series.cell.clone(),
                        series.baseline.clone(),
                        result(machine, series, index).to_owned(),
                        point.ratio.to_string(),
                        text(point.low),
                        text(point.high),
                        text(change.map(|change| change.before)),
                        text(change.map(|change| change.after)),
                    ])
                    .expect(infallible);
            }
        }
    }
    String::from_utf8(writer.into_inner().expect(infallible)).expect("all fields are strings")
}

/// The history as JSON: readable, ends in a line feed.
#[must_use]
pub fn json(history: &History) -> String {
    serde_json::to_string_pretty(history).expect("a history has string keys only") + "\n"
}
