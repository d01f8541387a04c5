//! What a person may conclude from a comparison: the fastest, what cannot be told from it, and which of these to take.
//! The words are in `sentence`.

mod sentence;

use super::holm;
use super::ratio::{self, Speed, median_speed};
use super::simplicity::rank;
use super::summary::{CellSummary, ComparisonRow, Conclusion, Flag, Ratio, Verdict};
use super::verdict::{Unresolved, judge};

/// A comparison whose cells have their figures, and whose rows have their ratios and verdicts.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The compared axis.
    pub axis: &'a str,
    /// The cells in the order of the axis, with what their speed is taken from.
    pub cells: &'a [(&'a CellSummary, Option<Speed>)],
    /// The rows, one a cell.
    pub rows: &'a [ComparisonRow],
    /// The cell that ratios are taken against, where there is one.
    pub baseline: Option<&'a CellSummary>,
    /// The noise floor, as a share.
    pub floor: f64,
}

/// What the sentence is about.
struct Findings<'a> {
    of: &'a Compared<'a>,
    fastest: &'a CellSummary,
    /// The fastest and those that cannot be told from it, in the order of the axis.
    group: Vec<&'a CellSummary>,
    /// Those of the group that one may choose from: where any of them is faster than the baseline, a cell that is not told
    /// from the baseline is no choice, however wide the interval that hides it among the fastest.
    choice: Vec<&'a CellSummary>,
    /// How many cells have a speed.
    measured: usize,
    simplest: Option<&'a CellSummary>,
    least_memory: Option<&'a CellSummary>,
    /// The fastest to the baseline.
    ratio: Option<Ratio>,
    /// Whether nothing could be told from the fastest for want of runs.
    too_few_runs: bool,
    /// Whether a counted run was disturbed in half of the cells or more.
    disturbed: bool,
}

/// Concludes; `None` where less than two cells have a speed that can be compared.
///
/// The fastest is the one with the best median. Others are held against it and not against the baseline, each with its own
/// interval and the same floor: that two cells are both faster than the baseline says nothing of the two.
#[must_use]
pub fn conclude(of: &Compared<'_>) -> Option<Conclusion> {
    let speed = of.cells.iter().find_map(|(_, speed)| *speed)?;
    let measured: Vec<(&CellSummary, f64)> = of
        .cells
        .iter()
        .filter(|(_, own)| *own == Some(speed))
        .filter_map(|(cell, _)| Some((*cell, median_speed(cell, speed)?)))
        .collect();
    if measured.len() < 2 {
        return None;
    }
    // At a tie the first.
    let (fastest, _) = measured.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    let against = |cell: &CellSummary| match ratio::ratio(fastest, cell, speed) {
        Some(ratio) => judge(&ratio, of.floor),
        None => Err(Unresolved::HeldBack),
    };
    let others: Vec<(&CellSummary, Result<Verdict, Unresolved>)> =
        measured.iter().filter(|(cell, _)| cell.id != fastest.id).map(|(cell, _)| (*cell, against(cell))).collect();
    let is_apart = |id: &str| others.iter().any(|(cell, judged)| cell.id == id && judged.is_ok());
    let group: Vec<&CellSummary> = measured.iter().map(|(cell, _)| *cell).filter(|cell| !is_apart(&cell.id)).collect();
    let choice = choice(of, &group);
    let findings = Findings {
        of,
        fastest,
        measured: measured.len(),
        simplest: simplest(&choice, of.axis),
        least_memory: least_memory(&choice),
        ratio: of.rows.iter().find(|row| row.cell == fastest.id).and_then(|row| row.ratio),
        too_few_runs: others.iter().all(|(_, judged)| *judged == Err(Unresolved::TooFewRuns)),
        disturbed: 2 * measured.iter().filter(|(cell, _)| is_disturbed(cell)).count() >= measured.len(),
        group,
        choice,
    };
    let id = |cell: &CellSummary| cell.id.clone();
    Some(Conclusion {
        sentence: sentence::sentence(&findings),
        fastest: id(fastest),
        not_told_apart: findings.group.iter().filter(|cell| cell.id != fastest.id).map(|cell| id(cell)).collect(),
        simplest: findings.simplest.map(id),
        least_memory: findings.least_memory.map(id),
        not_after_holm: not_after_holm(of),
    })
}

/// What one may choose from a group. What the load generator held back may be faster than it seems: it stays.
fn choice<'a>(of: &Compared<'_>, group: &[&'a CellSummary]) -> Vec<&'a CellSummary> {
    let row = |cell: &CellSummary| of.rows.iter().find(|row| row.cell == cell.id);
    let is = |cell: &CellSummary, verdict| row(cell).is_some_and(|row| row.verdict == Some(verdict));
    let held_back = |cell: &CellSummary| row(cell).and_then(|row| row.ratio).is_some_and(|ratio| ratio.bound.is_some());
    if !group.iter().any(|cell| is(cell, Verdict::Faster)) {
        return group.to_vec();
    }
    group.iter().copied().filter(|cell| is(cell, Verdict::Faster) || held_back(cell)).collect()
}

fn is_disturbed(cell: &CellSummary) -> bool {
    cell.flags.contains(&Flag::Disturbed)
}

/// The simplest, where all have a rank.
fn simplest<'a>(group: &[&'a CellSummary], axis: &str) -> Option<&'a CellSummary> {
    let ranked: Option<Vec<(u64, &CellSummary)>> =
        group.iter().map(|cell| Some((rank(axis, cell.axes.get(axis)?)?, *cell))).collect();
    ranked?.into_iter().min_by_key(|(rank, _)| *rank).map(|(_, cell)| cell)
}

/// The one that needs the least memory, where all know theirs.
fn least_memory<'a>(group: &[&'a CellSummary]) -> Option<&'a CellSummary> {
    let known: Option<Vec<(u64, &CellSummary)>> =
        group.iter().map(|cell| Some((cell.usage.peak_rss_bytes?, *cell))).collect();
    known?.into_iter().min_by_key(|(bytes, _)| *bytes).map(|(_, cell)| cell)
}

/// The cells whose verdict does not stand with Holm's correction for the number of rows that are held against the baseline.
fn not_after_holm(of: &Compared<'_>) -> Vec<String> {
    let Some(baseline) = of.baseline else { return Vec::new() };
    let tested: Vec<(&ComparisonRow, f64)> = of
        .rows
        .iter()
        .zip(of.cells)
        .filter_map(|(row, (cell, own))| Some((row, ratio::p_value(baseline, cell, (*own)?)?)))
        .collect();
    let p_values: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    let standing = holm::standing(&p_values);
    let has_direction = |row: &ComparisonRow| matches!(row.verdict, Some(Verdict::Faster | Verdict::Slower));
    let fallen = tested.iter().zip(standing).filter(|((row, _), stands)| !stands && has_direction(row));
    fallen.map(|((row, _), _)| row.cell.clone()).collect()
}

#[cfg(test)]
mod tests;
