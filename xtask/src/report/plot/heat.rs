//! Ratios as a map: a row for each workload, a column for each compared value, such as the models.
//!
//! The colour says how far a ratio is from 1, the figure stands in the cell, and a sign says what the ratio is worth. A map of
//! several scenarios names each of them once, above its rows.

mod heads;

use heads::Heads;

use super::super::format::ratio_of;
use super::super::scenario_table::{by_id, coordinate};
use super::figure::{coordinates, missing};
use super::frame::{Frame, MARGIN, TOP, WIDTH};
use super::lettering::{self, SIZE, SMALL, STRONG};
use super::palette::HEAT;
use super::runs::ratio_in_words;
use super::svg::{Anchor, group, hover, line, rect, text};
use crate::stats::summary::{CellSummary, ComparisonRow, ComparisonSummary, Ratio, ScenarioSummary, Summary, Verdict};

/// Most rows and columns in one picture.
const MOST_ROWS: usize = 60;
const MOST_COLUMNS: usize = 12;

/// Most places with a figure in one picture, which keeps the file small. The default matrix has less than 200 of them.
const MOST_PLACES: usize = 240;

/// Fewest workloads and compared values of a scenario that make a map of it: with less the ratios beside the runs say it all.
const LEAST: usize = 3;

/// Height of a row whose name takes one line, of each line more, and of the name of a scenario above its rows.
const ROW: f64 = 22.0;
const LINE: f64 = 13.0;
const GROUP: f64 = 24.0;

/// Least width of a column beside long names, as long as they have some room.
const COLUMN: f64 = 54.0;

/// Room between one scenario and the next.
const GAP: f64 = 6.0;

/// How many times as fast, or as slow, a ratio is from which on it has the next stronger colour.
const STEPS: [f64; 4] = [1.05, 1.25, 2.0, 4.0];

/// One workload: a comparison with its name.
struct Workload<'a> {
    /// What stands beside its row.
    name: String,
    /// Its scenario, where the map has several.
    scenario: Option<&'a str>,
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
        let name = if with_scenario && fixed.is_empty() { scenario.name.clone() } else { fixed };
        let scenario = with_scenario.then_some(scenario.name.as_str());
        Workload { name, scenario, comparison, cells: cells.collect() }
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

impl Workload<'_> {
    /// Whether the name of its scenario is its own.
    fn is_whole_scenario(&self) -> bool {
        self.scenario == Some(self.name.as_str())
    }

    /// Its name where nothing beside it tells the scenario.
    fn full_name(&self) -> String {
        match self.scenario {
            Some(scenario) if !self.is_whole_scenario() => format!("{scenario}: {}", self.name),
            _ => self.name.clone(),
        }
    }
}

/// As many of the workloads as have room in one picture.
fn fitting<'w, 'a>(workloads: &'w [Workload<'a>]) -> &'w [Workload<'a>] {
    let mut places = 0;
    let fits = workloads.iter().take(MOST_ROWS).take_while(|workload| {
        places += workload.cells.len();
        places <= MOST_PLACES
    });
    &workloads[..fits.count().max(1).min(workloads.len())]
}

fn draw(workloads: &[Workload<'_>], columns: &[String], title: &str, prefix: &str, alt: &str) -> Option<String> {
    let shown = &columns[..columns.len().min(MOST_COLUMNS)];
    let rows = fitting(workloads);
    let subtitle = "speed ratio to the baseline of the row: above 1 is faster";
    let mut frame = Frame::new(prefix, title, subtitle, alt);
    let widest = rows.iter().map(|row| lettering::width(&row.name, SIZE)).fold(60.0, f64::max);
    let label_room = widest.min((WIDTH - 2.0 * MARGIN - 12.0 - COLUMN * shown.len() as f64).clamp(200.0, 330.0));
    let left = MARGIN + label_room + 12.0;
    let heads = Heads::of(shown, WIDTH - MARGIN - left)?;
    heads.draw(&mut frame, [left, TOP]);
    let mut y = TOP + heads.height() + 8.0;
    let mut scenario = None;
    for workload in rows {
        if workload.scenario != scenario {
            y += scope(&mut frame, workload, [y, left + heads.width()], scenario.is_none());
            scenario = workload.scenario;
        }
        let lines = lettering::name_lines(&workload.name, SIZE, label_room, 2);
        let more = LINE * (lines.len().max(1) - 1) as f64;
        let height = ROW + more;
        let first = y + height / 2.0 + 4.0 - more / 2.0;
        let class = if workload.is_whole_scenario() { "strong ink" } else { "ink" };
        for (nth, content) in lines.iter().enumerate() {
            let at = [MARGIN + label_room, first + LINE * nth as f64];
            frame.add(hover(text(class, Anchor::End, at, content), &workload.full_name()));
        }
        for (column, name) in shown.iter().enumerate() {
            let place = [left + column as f64 * heads.step + 1.0, y + 1.0, heads.step - 2.0, height - 2.0];
            square(&mut frame, workload, name, place);
        }
        y += height;
    }
    frame.left_out(rows.len(), workloads.len(), "rows");
    frame.left_out(shown.len(), columns.len(), "columns");
    key(&mut frame, [left, y + 12.0]);
    frame.note("▲ faster, ▼ slower, ? cannot be told from the baseline. An empty place was not asked for.");
    Some(frame.finish(y + 36.0))
}

/// What stands above the first row of a scenario: a line, and its name, where the row does not say it. Returns how high
/// that is.
fn scope(frame: &mut Frame, workload: &Workload<'_>, [y, right]: [f64; 2], is_first: bool) -> f64 {
    let Some(scenario) = workload.scenario else { return 0.0 };
    let gap = if is_first { 0.0 } else { GAP };
    frame.add(line("thin grid", [MARGIN, y + gap / 2.0], [right, y + gap / 2.0]));
    if workload.is_whole_scenario() {
        return gap;
    }
    let name = lettering::shorten(scenario, STRONG * SIZE, right - MARGIN);
    frame.add(hover(text("strong ink", Anchor::Start, [MARGIN, y + gap + 16.0], &name), scenario));
    gap + GROUP
}

fn square(frame: &mut Frame, workload: &Workload<'_>, column: &str, place: [f64; 4]) {
    let [x, y, width, height] = place;
    let Some((name, row, cell)) = workload.cells.iter().find(|(value, ..)| value == column) else { return };
    let at = [x + width / 2.0, y + height / 2.0 + 4.0];
    let whole = format!("{}: {name}", workload.full_name());
    if is_baseline(workload, row) && drawable(row).is_some() {
        let word = if lettering::width("baseline", SMALL) <= width { "baseline" } else { "base" };
        frame.add(rect("h4", place));
        frame.add(hover(text("small muted", Anchor::Middle, at, word), &whole));
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
    let sign = row.verdict.and_then(Verdict::sign).map(|sign| format!(" {sign}")).unwrap_or_default();
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
