//! Ratios as a map: a row for each workload, a column for each compared value, such as the models.
//!
//! The colour says how far a ratio is from 1, the figure stands in the cell, and a sign says what the ratio is worth.

use super::super::format::ratio_of;
use super::super::scenario_table::{by_id, coordinate};
use super::super::standing::sign;
use super::figure::{coordinates, missing};
use super::frame::{Frame, MARGIN, TOP, WIDTH};
use super::lettering::{self, SIZE, SMALL};
use super::palette::HEAT;
use super::runs::ratio_in_words;
use super::svg::{Anchor, group, hover, line, rect, text};
use crate::stats::summary::{CellSummary, ComparisonRow, ComparisonSummary, Ratio, ScenarioSummary, Summary, Verdict};

/// Most rows and columns in one picture.
const MOST_ROWS: usize = 36;
const MOST_COLUMNS: usize = 12;

/// Most places in one picture, which keeps the file small.
const MOST_PLACES: usize = 220;

/// Fewest workloads and compared values of a scenario that make a map of it: with less the ratios beside the runs say it all.
const LEAST: usize = 3;

const ROW: f64 = 30.0;

/// How many times as fast, or as slow, a ratio is from which on it has the next stronger colour.
const STEPS: [f64; 4] = [1.05, 1.25, 2.0, 4.0];

/// One workload: a comparison with its name.
struct Workload<'a> {
    name: String,
    comparison: &'a ComparisonSummary,
    /// Compared value, standing and cell.
    cells: Vec<(String, &'a ComparisonRow, &'a CellSummary)>,
}

/// The map of one scenario; `None` where it has few comparisons or compared values, or no ratio.
pub(super) fn heat(scenario: &ScenarioSummary, prefix: &str, alt: &str) -> Option<String> {
    let compare = scenario.compare.as_deref()?;
    let workloads = workloads(scenario, compare, false);
    let columns =
        columns(&workloads, scenario.axes.iter().filter(|axis| axis.name == compare).flat_map(|axis| &axis.values));
    (workloads.len() >= LEAST && columns.len() >= LEAST).then_some(())?;
    draw(&workloads, &columns, &format!("{}: ratios", scenario.name), prefix, alt)
}

/// The map of all scenarios that compare models; `None` where there are less than two such workloads.
pub(super) fn models(summary: &Summary, prefix: &str, alt: &str) -> Option<String> {
    let scenarios = summary.scenarios.iter().filter(|scenario| scenario.compare.as_deref() == Some("model"));
    let workloads: Vec<Workload<'_>> = scenarios.flat_map(|scenario| workloads(scenario, "model", true)).collect();
    let order: Vec<crate::matrix::axis::AxisValue> = super::series::models().map(Into::into).collect();
    let columns = columns(&workloads, order.iter());
    (workloads.len() > 1).then_some(())?;
    draw(&workloads, &columns, "Which model for which work?", prefix, alt)
}

fn workloads<'a>(scenario: &'a ScenarioSummary, compare: &str, with_scenario: bool) -> Vec<Workload<'a>> {
    let by_id = by_id(scenario);
    let workload = |comparison: &'a ComparisonSummary| {
        let cells = comparison.rows.iter().filter_map(|row| {
            let cell = *by_id.get(row.cell.as_str())?;
            Some((coordinate(&cell.axes, compare), row, cell))
        });
        let fixed = coordinates(&comparison.fixed);
        let name = match (with_scenario, fixed.is_empty()) {
            (true, true) => scenario.name.clone(),
            (true, false) => format!("{}: {fixed}", scenario.name),
            (false, _) => fixed,
        };
        Workload { name, comparison, cells: cells.collect() }
    };
    let all = scenario.comparisons.iter().map(workload);
    // A row without any ratio beside its baseline says nothing.
    all.filter(|workload| {
        workload.cells.iter().any(|(_, row, _)| drawable(row).is_some() && !is_baseline(workload, row))
    })
    .collect()
}

/// The compared values that some workload has, in the order given; others behind them.
fn columns<'a>(
    workloads: &[Workload<'_>],
    order: impl Iterator<Item = &'a crate::matrix::axis::AxisValue>,
) -> Vec<String> {
    let has = |name: &String| workloads.iter().any(|workload| workload.cells.iter().any(|(value, ..)| value == name));
    let mut columns: Vec<String> = order.map(ToString::to_string).filter(has).collect();
    for (value, ..) in workloads.iter().flat_map(|workload| &workload.cells) {
        if !columns.contains(value) {
            columns.push(value.clone());
        }
    }
    columns
}

fn drawable(row: &ComparisonRow) -> Option<Ratio> {
    row.ratio.filter(|ratio| ratio.value.is_finite() && ratio.value > 0.0)
}

fn is_baseline(workload: &Workload<'_>, row: &ComparisonRow) -> bool {
    workload.comparison.baseline.as_deref() == Some(row.cell.as_str())
}

fn draw(workloads: &[Workload<'_>], columns: &[String], title: &str, prefix: &str, alt: &str) -> Option<String> {
    let shown = &columns[..columns.len().min(MOST_COLUMNS)];
    let rows = &workloads[..workloads.len().min(MOST_ROWS).min(MOST_PLACES / shown.len().max(1))];
    let subtitle = "speed ratio to the baseline of the row: above 1 is faster";
    let mut frame = Frame::new(prefix, title, subtitle, alt);
    let widest = rows.iter().map(|row| lettering::width(&row.name, SIZE)).fold(60.0, f64::max);
    let label_room = widest.min(if shown.len() > 5 { 240.0 } else { 330.0 });
    let left = MARGIN + label_room + 12.0;
    let step = ((WIDTH - MARGIN - left) / shown.len().max(1) as f64).min(110.0);
    let heads: Vec<Vec<String>> = shown.iter().map(|name| lettering::lines(name, SMALL, step - 8.0, 3)).collect();
    let head = 14.0 * heads.iter().map(Vec::len).max()? as f64;
    let top = TOP + head + 8.0;
    for (index, lines) in heads.iter().enumerate() {
        for (nth, content) in lines.iter().enumerate() {
            let at = [left + (index as f64 + 0.5) * step, TOP + head - 14.0 * (lines.len() - 1 - nth) as f64];
            frame.add(hover(text("small strong ink", Anchor::Middle, at, content), &shown[index]));
        }
    }
    for (index, workload) in rows.iter().enumerate() {
        let y = top + index as f64 * ROW;
        let lines = lettering::lines(&workload.name, SIZE, label_room, 2);
        let first = y + ROW / 2.0 + 4.0 - 6.5 * (lines.len().max(1) - 1) as f64;
        for (nth, content) in lines.iter().enumerate() {
            let at = [MARGIN + label_room, first + 13.0 * nth as f64];
            frame.add(hover(text("ink", Anchor::End, at, content), &workload.name));
        }
        for (column, name) in shown.iter().enumerate() {
            let place = [left + column as f64 * step + 1.0, y + 1.0, step - 2.0, ROW - 2.0];
            square(&mut frame, workload, name, place);
        }
    }
    let mut bottom = top + rows.len() as f64 * ROW;
    frame.left_out(rows.len(), workloads.len(), "rows");
    frame.left_out(shown.len(), columns.len(), "columns");
    key(&mut frame, [left, bottom + 12.0]);
    bottom += 36.0;
    frame.note("▲ faster, ▼ slower, ? cannot be told from the baseline. An empty place was not asked for.");
    Some(frame.finish(bottom))
}

fn square(frame: &mut Frame, workload: &Workload<'_>, column: &str, place: [f64; 4]) {
    let [x, y, width, height] = place;
    let Some((name, row, cell)) = workload.cells.iter().find(|(value, ..)| value == column) else { return };
    let at = [x + width / 2.0, y + height / 2.0 + 4.0];
    let whole = format!("{}: {name}", workload.name);
    if is_baseline(workload, row) && drawable(row).is_some() {
        frame.add(rect("h4", place));
        frame.add(hover(text("small muted", Anchor::Middle, at, &lettering::cut("baseline", SMALL, width)), &whole));
        return;
    }
    let Some(ratio) = drawable(row) else {
        let why = missing(cell);
        frame.add(line("thin axis", [x, y + height], [x + width, y]));
        let word = lettering::cut(super::super::footnotes::status_word(cell.status), SMALL, width);
        frame.add(hover(text("small muted", Anchor::Middle, at, &word), &format!("{whole}: {why}")));
        return;
    };
    let said = ratio_in_words(&whole, &ratio, row.verdict);
    let sign = row.verdict.and_then(sign).map(|sign| format!(" {sign}")).unwrap_or_default();
    let ground = rect(&format!("h{}", level(&ratio, row.verdict)), place);
    let figure = text("ink", Anchor::Middle, at, &format!("{}{sign}", ratio_of(&ratio)));
    frame.add(hover(group("", [ground, figure]), &said));
}

/// The colour of a ratio: 4 is "as fast", 8 much faster, 0 much slower.
fn level(ratio: &Ratio, verdict: Option<Verdict>) -> usize {
    const MIDDLE: usize = HEAT.len() / 2;
    if verdict == Some(Verdict::Unresolved) {
        return MIDDLE;
    }
    let times = ratio.value.max(1.0 / ratio.value);
    let steps = STEPS.iter().filter(|step| times >= **step).count();
    if ratio.value >= 1.0 { MIDDLE + steps } else { MIDDLE - steps }
}

fn key(frame: &mut Frame, [x, y]: [f64; 2]) {
    const WIDE: f64 = 52.0;
    let names = ["÷4", "÷2", "÷1.25", "÷1.05", "1", "×1.05", "×1.25", "×2", "×4"];
    for (index, name) in names.into_iter().enumerate() {
        let left = x + index as f64 * WIDE;
        frame.add(rect(&format!("h{index}"), [left, y, WIDE - 2.0, 12.0]));
        frame.add(text("small muted", Anchor::Middle, [left + WIDE / 2.0 - 1.0, y + 26.0], name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_and_its_inverse_have_opposite_colours() {
        let level = |value: f64, verdict| {
            super::level(&Ratio { value, low: None, high: None, confidence: None, bound: None }, verdict)
        };
        assert_eq!([1.0, 1.04, 1.3, 3.0, 9.0].map(|value| level(value, None)), [4, 4, 6, 7, 8]);
        assert_eq!([0.97, 1.0 / 1.3, 1.0 / 3.0, 0.1].map(|value| level(value, None)), [4, 2, 1, 0]);
        assert_eq!(level(1.3, Some(Verdict::Unresolved)), 4);
    }
}
