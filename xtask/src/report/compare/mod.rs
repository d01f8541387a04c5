//! [`ResultComparison`] → tables for people, CSV and JSON.
//!
//! | file | what lives here |
//! | --- | --- |
//! | here | the tables: the changes, what was not compared, what differs; and the sentence that closes them |
//! | [`csv`] | the same as comma-separated values |

pub mod csv;

use super::bars::Bars;
use super::format::{UNKNOWN, or_unknown, per_second, ratio, significant};
use super::table::{Cell, Column, Row, Table};
use super::units::time;
use crate::number::counted;
use crate::stats::compare::facts::About;
use crate::stats::compare::{Basis, Change, Estimate, ResultComparison, Side, Unit};
use crate::stats::summary::{Bound, Verdict};

/// What a window has patience for.
pub const MOST_ROWS: usize = 100;

/// Ids named for one reason; the others are counted.
const NAMED: usize = 3;

/// The tables of a comparison. All resolved changes are in them, and of the others as many as `most` allows, the most
/// changed first.
#[must_use]
pub fn tables(comparison: &ResultComparison, most: Option<usize>) -> Vec<Table> {
    [Some(changes(comparison, most)), not_compared(comparison), differences(comparison)].into_iter().flatten().collect()
}

/// What a reader should know, and what came of it: sentences, the last of which sums up.
#[must_use]
pub fn sentences(comparison: &ResultComparison) -> Vec<String> {
    let mut sentences = comparison.notes.clone();
    let cells = comparison.changes.len();
    let left = comparison.not_compared.len();
    let left =
        if left == 0 { String::new() } else { format!("; {} not compared", counted(left as u64, "cell", "cells")) };
    let Some(missed) = comparison.missed_by_chance() else {
        sentences.push(match cells {
            0 => format!("Nothing could be compared{left}."),
            _ => format!(
                "{} side by side{left}. A side without intervals gives no verdict.",
                counted(cells as u64, "cell", "cells")
            ),
        });
        return sentences;
    };
    let [slower, faster, unresolved] =
        [Verdict::Slower, Verdict::Faster, Verdict::Unresolved].map(|verdict| comparison.count(verdict));
    sentences.push(format!(
        "Of {} intervals {} miss the truth by chance alone: look for a change in several cells, or measure again.",
        counted(cells as u64, "cell's", "cells'"),
        if missed < 0.95 { "fewer than 1".to_owned() } else { format!("about {missed:.0}") },
    ));
    sentences.push(format!(
        "{slower} of {} slower, {faster} faster, {unresolved} unresolved{left}.",
        counted(cells as u64, "cell", "cells")
    ));
    sentences
}

fn changes(comparison: &ResultComparison, most: Option<usize>) -> Table {
    let ResultComparison { base, new, basis, .. } = comparison;
    let mut order: Vec<&Change> = comparison.changes.iter().collect();
    let resolved = |change: &Change| matches!(change.verdict, Some(Verdict::Faster | Verdict::Slower));
    let size = |change: &Change| change.change.value.ln().abs();
    // A table of two machines is read along the matrix: nothing in it is news.
    if !(base.is_published || new.is_published) {
        order.sort_by(|a, b| (resolved(b), size(b)).partial_cmp(&(resolved(a), size(a))).expect("ratios are above 0"));
    }
    let kept = order.iter().filter(|change| resolved(change)).count().max(most.unwrap_or(usize::MAX));
    let hidden = order.len().saturating_sub(kept);
    order.truncate(kept);
    let several = order.windows(2).any(|pair| pair[0].cell == pair[1].cell);
    let row =
        |change: &&Change| Row { cells: cells(change, several), is_failed: change.verdict == Some(Verdict::Slower) };
    let what = match basis {
        Basis::Speed => "speeds",
        Basis::Ratio => "ratios of each cell to its own baseline",
    };
    let more = match hidden {
        0 => String::new(),
        hidden => format!(" · {} more unresolved: --all shows them", counted(hidden as u64, "cell is", "cells are")),
    };
    let columns = vec![
        Column::left("cell", 0),
        Column::right(header("base", base), 2),
        Column::right(header("new", new), 2),
        Column::right(if base.is_published || new.is_published { "difference" } else { "change" }, 0),
        Column::right("interval", 1),
        Column::right("floor", 3),
        Column::left("verdict", 0),
    ];
    let mut table = Table {
        title: format!("{} → {}", base.name, new.name),
        question: None,
        settings: format!("{} → {} · {what}{more}", machine(base), machine(new)),
        columns,
        groups: vec![order.iter().map(row).collect()],
        hints: Vec::new(),
        findings: Vec::new(),
        footnotes: Vec::new(),
        bars: Bars::default(),
    };
    // A column that says nothing takes room from one that does.
    let is_empty: Vec<bool> = (0..table.columns.len())
        .map(|index| table.rows().all(|row| row.cells[index].text == UNKNOWN || row.cells[index].text.is_empty()))
        .collect();
    let empty: Vec<String> =
        table.columns.iter().zip(is_empty).filter(|(_, is)| *is).map(|(column, _)| column.header.clone()).collect();
    table.retain_columns(|column| !empty.contains(&column.header));
    table
}

fn header(what: &str, side: &Side) -> String {
    let what = if side.is_published { "published" } else { what };
    match side.cpus {
        Some(cpus) => format!("{what}, {}", counted(u64::from(cpus), "core", "cores")),
        None => what.to_owned(),
    }
}

fn machine(side: &Side) -> String {
    match side.cpus {
        Some(cpus) => format!("{}, {}", side.machine, counted(u64::from(cpus), "core", "cores")),
        None => side.machine.clone(),
    }
}

fn cells(change: &Change, several: bool) -> Vec<Cell> {
    // A cell that is in several comparisons has a row for each of its baselines.
    let cell = match &change.baseline {
        Some(baseline) if several => format!("{} over {baseline}", change.cell),
        _ => change.cell.clone(),
    };
    let interval = change.change.low.zip(change.change.high).map(|(low, high)| format!("{} to {}", by(low), by(high)));
    let verdict = change.verdict.map(|verdict| verdict.word().to_owned());
    let floor = change.floor.map(|floor| format!("{} %", significant(floor * 100.0, 2)));
    let sign = match change.change.bound {
        None => "",
        Some(Bound::AtLeast) => "≥",
        Some(Bound::AtMost) => "≤",
    };
    vec![
        cell.into(),
        value(change.unit, &change.base).into(),
        value(change.unit, &change.new).into(),
        format!("{sign}{}", by(change.change.value)).into(),
        or_unknown(interval).into(),
        or_unknown(floor).into(),
        or_unknown(verdict).into(),
    ]
}

/// A change of speed: `+3.1 %`, `-40 %`; from a factor of two on, `2.31×`.
fn by(change: f64) -> String {
    if (0.5..2.0).contains(&change) {
        let percent = (change - 1.0) * 100.0;
        // Rounding makes no change of what is none, and no sign of it.
        let text = format!("{percent:+.1} %");
        if text == "-0.0 %" { "+0.0 %".to_owned() } else { text }
    } else {
        format!("{}×", ratio(change))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nanoseconds above 0")]
fn value(unit: Unit, estimate: &Estimate) -> String {
    match unit {
        Unit::Ns => time(estimate.value.round() as u64, None),
        Unit::PerS => format!("{}/s", per_second(estimate.value)),
        Unit::Ratio => match estimate.low.zip(estimate.high) {
            Some((low, high)) => format!("{} ({}–{})", ratio(estimate.value), ratio(low), ratio(high)),
            None => ratio(estimate.value),
        },
    }
}

fn not_compared(comparison: &ResultComparison) -> Option<Table> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut sorted: Vec<_> = comparison.not_compared.iter().collect();
    sorted.sort_by_key(|it| it.why);
    for left in sorted {
        match groups.iter_mut().find(|(reason, _)| *reason == left.reason) {
            Some((_, cells)) => cells.push(&left.cell),
            None => groups.push((&left.reason, vec![&left.cell])),
        }
    }
    let row = |(reason, cells): &(&str, Vec<&str>)| {
        let mut shown = cells[..cells.len().min(NAMED)].join(" ");
        if cells.len() > NAMED {
            shown += &format!(" and {} more", cells.len() - NAMED);
        }
        plain_row([(*reason).to_owned(), cells.len().to_string(), shown])
    };
    plain_table(
        "Not compared",
        [Column::left("why", 0), Column::right("cells", 0), Column::left("which", 1)],
        groups.iter().map(row).collect(),
    )
}

fn differences(comparison: &ResultComparison) -> Option<Table> {
    let about = |about| match about {
        About::Machine => "machine",
        About::Matrix => "matrix",
        About::Program => "software",
    };
    let rows = comparison.differences.iter().map(|it| {
        plain_row([
            format!("{}: {}", about(it.about), it.what),
            or_unknown(it.base.clone()),
            or_unknown(it.new.clone()),
        ])
    });
    plain_table(
        "What differs",
        [Column::left("what", 0), Column::left("base", 0), Column::left("new", 0)],
        rows.collect(),
    )
}

fn plain_row(cells: [String; 3]) -> Row {
    Row { cells: cells.into_iter().map(Cell::from).collect(), is_failed: false }
}

fn plain_table(title: &str, columns: [Column; 3], rows: Vec<Row>) -> Option<Table> {
    (!rows.is_empty()).then(|| Table {
        title: title.to_owned(),
        question: None,
        settings: String::new(),
        columns: columns.into(),
        groups: vec![rows],
        hints: Vec::new(),
        findings: Vec::new(),
        footnotes: Vec::new(),
        bars: Bars::default(),
    })
}

/// The comparison as JSON: readable, ends in a line feed.
#[must_use]
pub fn json(comparison: &ResultComparison) -> String {
    serde_json::to_string_pretty(comparison).expect("a comparison has string keys only") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_in_per_cent_up_to_a_factor_of_two() {
        let cases = [
            (1.0, "+0.0 %"),
            (0.9999, "+0.0 %"),
            (0.95, "-5.0 %"),
            (1.031, "+3.1 %"),
            (0.5, "-50.0 %"),
            (2.31, "2.31×"),
            (0.25, "0.25×"),
        ];
        for (change, text) in cases {
            assert_eq!(by(change), text);
        }
    }
}
