//! A comparison as CSV: a row for each cell that was compared and for each that was not, raw numbers, empty where nothing
//! is known.

use csv::{Terminator, WriterBuilder};

use crate::stats::compare::{Change, NotCompared, ResultComparison, Unit};

const HEADER: [&str; 16] = [
    "cell",
    "baseline",
    "unit",
    "base",
    "base_low",
    "base_high",
    "new",
    "new_low",
    "new_high",
    "change",
    "change_low",
    "change_high",
    "confidence",
    "floor",
    "verdict",
    "not_compared",
];

/// The text.
#[must_use]
pub fn csv(comparison: &ResultComparison) -> String {
    let infallible = "writing to memory cannot fail, and all rows have the header's columns";
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(HEADER).expect(infallible);
    for change in &comparison.changes {
        writer.write_record(row(change)).expect(infallible);
    }
    for NotCompared { cell, reason, .. } in &comparison.not_compared {
        let mut row: [String; HEADER.len()] = Default::default();
        row[0].clone_from(cell);
        row[HEADER.len() - 1].clone_from(reason);
        writer.write_record(row).expect(infallible);
    }
    String::from_utf8(writer.into_inner().expect(infallible)).expect("all fields are strings")
}

fn row(change: &Change) -> [String; HEADER.len()] {
    let text = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let unit = match change.unit {
        Unit::Ns => "ns",
        Unit::PerS => "per_s",
        Unit::Ratio => "ratio",
    };
    [
        change.cell.clone(),
        change.baseline.clone().unwrap_or_default(),
        unit.to_owned(),
        change.base.value.to_string(),
        text(change.base.low),
        text(change.base.high),
        change.new.value.to_string(),
        text(change.new.low),
        text(change.new.high),
        change.change.value.to_string(),
        text(change.change.low),
        text(change.change.high),
        text(change.change.confidence),
        text(change.floor),
        change.verdict.map(|verdict| verdict.word().to_owned()).unwrap_or_default(),
        String::new(),
    ]
}
