//! The form with the compared values side by side, as the articles print it: task, 1 loop, 4 loops, ratio.

use std::collections::HashMap;

use super::footnotes::Footnotes;
use super::format::{UNKNOWN, cores, or_unknown};
use super::scenario_table::{Parts, by_id, coordinate, rank, time_unit, without_empty_notes};
use super::standing;
use super::table::{Cell, Column, Row};
use super::units::{TimeUnit, bytes, time, time_with_range};
use crate::matrix::axis::AxisValue;
use crate::stats::summary::{CellSummary, ComparisonSummary, ScenarioSummary, Status};

/// The two compared values, the baseline first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sides<'a> {
    pub compare: &'a str,
    pub values: [&'a AxisValue; 2],
}

/// The two sides, where a scenario reads better with them side by side: its compared axis has exactly two values, every
/// cell has one of them, there is another axis to make rows of, and the same side is the baseline everywhere.
pub(super) fn sides(scenario: &ScenarioSummary) -> Option<Sides<'_>> {
    let compare = scenario.compare.as_deref()?;
    let axis = scenario.axes.iter().find(|axis| axis.name == compare)?;
    let [first, second] = axis.values.as_slice() else { return None };
    let by_id = by_id(scenario);
    let mut baselines = scenario
        .comparisons
        .iter()
        .filter_map(|comparison| by_id.get(comparison.baseline.as_deref()?)?.axes.get(compare));
    let baseline = baselines.next().unwrap_or(first);
    let reads_better = scenario.axes.len() > 1
        && scenario.cells.iter().all(|cell| cell.axes.contains_key(compare))
        && baselines.all(|other| other == baseline);
    let values = if baseline == second { [second, first] } else { [first, second] };
    reads_better.then_some(Sides { compare, values })
}

pub(super) fn parts<'a>(scenario: &'a ScenarioSummary, sides: &Sides<'a>) -> Parts<'a> {
    let axes: Vec<&str> =
        scenario.axes.iter().map(|axis| axis.name.as_str()).filter(|name| *name != sides.compare).collect();
    let mut columns: Vec<Column> = axes.iter().map(|name| Column::left(*name, rank::ALWAYS)).collect();
    columns.extend(sides.values.map(|value| Column::right(format!("{}={value}", sides.compare), rank::ALWAYS)));
    columns.push(Column::right("cores", rank::CORES));
    columns.push(Column::right("peak mem", rank::MEMORY));
    columns.push(Column::right("ratio", rank::ALWAYS));
    columns.push(Column::left("notes", rank::ALWAYS));

    let unit = time_unit(scenario);
    let by_id = by_id(scenario);
    let mut footnotes = Footnotes::default();
    let mut row = |comparison: &ComparisonSummary| {
        let pair = pair(comparison, sides, &by_id);
        let mut cells: Vec<Cell> = axes.iter().map(|name| fixed(comparison, &pair, name).into()).collect();
        cells.extend(pair.map(|cell| elapsed(cell, unit)));
        cells.push(arrow(pair.map(|cell| cell.and_then(|cell| cell.cores_used).map(cores))).into());
        cells.push(arrow(pair.map(|cell| cell.and_then(|cell| cell.usage.peak_rss_bytes).map(bytes))).into());
        cells.push(ratio_between(comparison, &pair));
        cells.push(remarks(&pair, sides, &mut footnotes));
        Row { cells, is_failed: pair.iter().flatten().any(|cell| cell.status != Status::Ok) }
    };
    let groups = grouped(scenario, &mut row);
    without_empty_notes(Parts { columns, groups, footnotes })
}

/// A row for each comparison, in groups that are read together.
pub(super) fn grouped(scenario: &ScenarioSummary, mut row: impl FnMut(&ComparisonSummary) -> Row) -> Vec<Vec<Row>> {
    let mut groups: Vec<(String, Vec<Row>)> = Vec::new();
    for comparison in &scenario.comparisons {
        let (key, row) = (group(comparison, scenario), row(comparison));
        match groups.last_mut() {
            Some((last, rows)) if *last == key => rows.push(row),
            _ => groups.push((key, vec![row])),
        }
    }
    groups.into_iter().map(|(_, rows)| rows).collect()
}

/// The ratio of the second side to the first.
pub(super) fn ratio_between(comparison: &ComparisonSummary, pair: &Pair<'_>) -> Cell {
    standing::cell(pair[1].and_then(|cell| comparison.rows.iter().find(|row| row.cell == cell.id)))
}

/// The cells of a comparison, one for each side.
pub(super) type Pair<'a> = [Option<&'a CellSummary>; 2];

/// Finds the two cells of a comparison.
pub(super) fn pair<'a>(
    comparison: &ComparisonSummary,
    sides: &Sides<'_>,
    by_id: &HashMap<&str, &'a CellSummary>,
) -> Pair<'a> {
    sides.values.map(|value| {
        let cells = comparison.rows.iter().filter_map(|row| by_id.get(row.cell.as_str()).copied());
        cells.into_iter().find(|cell| cell.axes.get(sides.compare) == Some(value))
    })
}

/// A fixed coordinate: of the comparison, or of its cells where the comparison does not name it.
pub(super) fn fixed(comparison: &ComparisonSummary, pair: &Pair<'_>, name: &str) -> String {
    let of_cells = || pair.iter().flatten().find_map(|cell| cell.axes.get(name));
    comparison.fixed.get(name).or_else(of_cells).map_or_else(|| UNKNOWN.to_owned(), ToString::to_string)
}

/// The median with its range, which gives way where there is little room.
fn elapsed(cell: Option<&CellSummary>, unit: Option<TimeUnit>) -> Cell {
    let Some(spread) = cell.and_then(|cell| cell.elapsed_ns.as_ref()) else { return UNKNOWN.to_owned().into() };
    Cell { text: time_with_range(spread, unit), short: Some(time(spread.median, unit)) }
}

/// `1.0 → 2.0` and `9.5 → 12.3 MiB`; one sign where neither is known.
pub(super) fn arrow(pair: [Option<String>; 2]) -> String {
    let [Some(from), Some(to)] = &pair else {
        return match pair {
            [None, None] => UNKNOWN.to_owned(),
            [from, to] => format!("{} → {}", or_unknown(from), or_unknown(to)),
        };
    };
    let common_unit =
        from.split_once(' ').filter(|(_, unit)| to.split_once(' ').is_some_and(|(_, other)| other == *unit));
    format!("{} → {to}", common_unit.map_or(from.as_str(), |(number, _)| number))
}

/// What there is to say of both cells, each with its value in front.
pub(super) fn remarks<'a>(pair: &Pair<'a>, sides: &Sides<'_>, footnotes: &mut Footnotes<'a>) -> Cell {
    let said: Vec<(String, Cell)> = pair
        .iter()
        .flatten()
        .map(|cell| (coordinate(&cell.axes, sides.compare), footnotes.remark(cell)))
        .filter(|(_, remark)| !remark.text.is_empty())
        .collect();
    let join = |text: fn(&Cell) -> &str| {
        said.iter().map(|(value, remark)| format!("{value}: {}", text(remark))).collect::<Vec<_>>().join("; ")
    };
    Cell { text: join(|cell| &cell.text), short: Some(join(|cell| cell.short.as_ref().unwrap_or(&cell.text))) }
}

/// Rows that share the value of the axis that changes slowest form a group. With one fixed axis all rows do.
fn group(comparison: &ComparisonSummary, scenario: &ScenarioSummary) -> String {
    let fixed: Vec<&str> = scenario
        .axes
        .iter()
        .filter(|axis| axis.values.len() > 1 && Some(axis.name.as_str()) != scenario.compare.as_deref())
        .map(|axis| axis.name.as_str())
        .collect();
    match fixed.as_slice() {
        [slowest, _, ..] => coordinate(&comparison.fixed, slowest),
        _ => String::new(),
    }
}
