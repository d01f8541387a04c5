//! The form with a few compared values side by side and a row for each comparison, as the third article prints its
//! table: operation, 1 thread, 4 threads, 4 processes. Beside the times stand the ratios to the baseline, and what
//! holds the cells back.

use super::footnotes::{Footnotes, limit_word};
use super::format::{UNKNOWN, or_unknown};
use super::scenario_table::{Parts, by_id, rank, without_empty_notes};
use super::standing;
use super::table::{Cell, Column, Row};
use super::units::{time, time_with_range};
use crate::matrix::axis::{Axis, AxisValue};
use crate::stats::summary::{CellSummary, ComparisonSummary, ScenarioSummary, Status};

/// So many values fit side by side on a page.
const MOST_VALUES: usize = 5;

/// Whether a scenario reads better with its compared values side by side: there are three or a few more, every cell has
/// one of them, and there are more comparisons than values.
pub(super) fn reads_better(scenario: &ScenarioSummary) -> bool {
    let Some(axis) = compared(scenario) else { return false };
    let values = axis.values.len();
    (3..=MOST_VALUES).contains(&values)
        && scenario.comparisons.len() > values
        && scenario.cells.iter().all(|cell| cell.axes.contains_key(&axis.name))
}

fn compared(scenario: &ScenarioSummary) -> Option<&Axis> {
    let compare = scenario.compare.as_deref()?;
    scenario.axes.iter().find(|axis| axis.name == compare)
}

pub(super) fn parts(scenario: &ScenarioSummary) -> Parts<'_> {
    let by_id = by_id(scenario);
    let no_axis = Axis { name: String::new(), values: Vec::new() };
    let compared = compared(scenario).unwrap_or(&no_axis);
    let fixed: Vec<&Axis> = scenario.axes.iter().filter(|axis| axis.name != compared.name).collect();
    // A scenario states a number of tasks, or its cells have found their own.
    let with_tasks = scenario.settings.get("tasks").is_none_or(|tasks| matches!(tasks, AxisValue::Text(_)));
    let with_limits = scenario.cells.iter().any(|cell| cell.limited_by.is_some());
    let baseline =
        scenario.comparisons.iter().find_map(|it| by_id.get(it.baseline.as_deref()?)?.axes.get(&compared.name));
    let others: Vec<&AxisValue> = compared.values.iter().filter(|value| Some(*value) != baseline).collect();

    let mut columns: Vec<Column> = fixed.iter().map(|axis| Column::left(&axis.name, rank::ALWAYS)).collect();
    if with_tasks {
        columns.push(Column::right("tasks", rank::SETUP));
    }
    columns.extend(compared.values.iter().map(|value| Column::right(value.to_string(), rank::ALWAYS)));
    columns.extend(others.iter().map(|value| Column::right(format!("ratio {value}"), rank::ALWAYS)));
    if with_limits {
        columns.push(Column::left("limited by", rank::CORES));
    }
    columns.push(Column::left("notes", rank::ALWAYS));

    let mut footnotes = Footnotes::default();
    let mut row = |comparison: &ComparisonSummary| {
        let cells: Vec<&CellSummary> =
            comparison.rows.iter().filter_map(|row| by_id.get(row.cell.as_str()).copied()).collect();
        let of = |value: &AxisValue| cells.iter().copied().find(|cell| cell.axes.get(&compared.name) == Some(value));
        let in_order: Vec<Option<&CellSummary>> = compared.values.iter().map(of).collect();
        let mut texts: Vec<Cell> = fixed
            .iter()
            .map(|axis| or_unknown(comparison.fixed.get(&axis.name).map(ToString::to_string)).into())
            .collect();
        if with_tasks {
            texts.push(tasks(&in_order).into());
        }
        texts.extend(in_order.iter().map(|cell| elapsed(*cell)));
        texts.extend(others.iter().map(|value| {
            let row = of(value).and_then(|cell| comparison.rows.iter().find(|row| row.cell == cell.id));
            standing::cell(row)
        }));
        if with_limits {
            texts.push(limits(&in_order).into());
        }
        texts.push(remarks(&in_order, &compared.name, &mut footnotes));
        Row { cells: texts, is_failed: cells.iter().any(|cell| cell.status != Status::Ok) }
    };
    let groups = grouped(scenario, &fixed, &mut row);
    without_empty_notes(Parts { columns, groups, footnotes })
}

/// Rows that share the value of the first axis with several values form a group, where there is another such axis.
fn grouped(
    scenario: &ScenarioSummary,
    fixed: &[&Axis],
    mut row: impl FnMut(&ComparisonSummary) -> Row,
) -> Vec<Vec<Row>> {
    let several: Vec<&&Axis> = fixed.iter().filter(|axis| axis.values.len() > 1).collect();
    let key = |comparison: &ComparisonSummary| match several.as_slice() {
        [slowest, _, ..] => comparison.fixed.get(&slowest.name).cloned(),
        _ => None,
    };
    let mut groups: Vec<(Option<AxisValue>, Vec<Row>)> = Vec::new();
    for comparison in &scenario.comparisons {
        let (key, row) = (key(comparison), row(comparison));
        match groups.last_mut() {
            Some((last, rows)) if *last == key => rows.push(row),
            _ => groups.push((key, vec![row])),
        }
    }
    groups.into_iter().map(|(_, rows)| rows).collect()
}

/// The number of tasks, which is the same in all cells of a comparison.
fn tasks(cells: &[Option<&CellSummary>]) -> String {
    or_unknown(cells.iter().flatten().find_map(|cell| cell.tasks).map(|tasks| tasks.to_string()))
}

/// The median with its range, which gives way where there is little room; each time in its own unit, as rows differ.
fn elapsed(cell: Option<&CellSummary>) -> Cell {
    let Some(spread) = cell.and_then(|cell| cell.elapsed_ns.as_ref()) else { return UNKNOWN.to_owned().into() };
    Cell { text: time_with_range(spread, None), short: Some(time(spread.median, None)) }
}

/// What holds the cells back, in the order of the columns: one word where it is the same everywhere.
fn limits(cells: &[Option<&CellSummary>]) -> String {
    let words: Vec<&str> = cells
        .iter()
        .map(|cell| cell.and_then(|cell| cell.limited_by.as_ref()).map_or(UNKNOWN, |by| limit_word(by.limit)))
        .collect();
    match words.split_first() {
        Some((first, rest)) if rest.iter().all(|word| word == first) => (*first).to_owned(),
        _ => words.join(" / "),
    }
}

/// What there is to say of the cells, each with its value in front.
fn remarks<'a>(cells: &[Option<&'a CellSummary>], compare: &str, footnotes: &mut Footnotes<'a>) -> Cell {
    let mut known = cells.iter().flatten();
    if let Some(first) = known.next().filter(|cell| cell.status != Status::Ok)
        && known.all(|cell| cell.status == first.status && cell.reason == first.reason)
    {
        // Nobody is better off: once is enough.
        return footnotes.remark(first);
    }
    let said: Vec<(String, Cell)> = cells
        .iter()
        .flatten()
        .map(|cell| (or_unknown(cell.axes.get(compare).map(ToString::to_string)), footnotes.remark(cell)))
        .filter(|(_, remark)| !remark.text.is_empty())
        .collect();
    let join = |text: fn(&Cell) -> &str| {
        said.iter().map(|(value, remark)| format!("{value}: {}", text(remark))).collect::<Vec<_>>().join("; ")
    };
    Cell { text: join(|cell| &cell.text), short: Some(join(|cell| cell.short.as_ref().unwrap_or(&cell.text))) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixtures::{self, axis, measured};
    use super::super::scenario_table::scenario_table;
    use super::super::{Terminal, markdown};
    use super::*;
    use crate::stats::summary::{Limit, LimitedBy};

    const MODELS: [&str; 3] = ["sequential", "threads", "processes"];

    /// An operation's three cells, with these times in milliseconds.
    fn operation(task: &str, times_ms: [u64; 3], limit: Option<Limit>) -> (Vec<CellSummary>, ComparisonSummary) {
        let id = |model: &str| format!("s/task={task},model={model}");
        let made = |(model, ms): (&&str, u64)| {
            let mut made = measured(&id(model), &[("task", task), ("model", model)], &[ms * 1000, ms * 1000]);
            made.tasks = Some(8);
            made.limited_by = limit.map(|limit| LimitedBy { limit, evidence: "made up".to_owned() });
            made
        };
        let cells: Vec<CellSummary> = MODELS.iter().zip(times_ms).map(made).collect();
        let ids = MODELS.map(id);
        #[expect(clippy::cast_precision_loss, reason = "made-up times")]
        let ratio = |index: usize| (ids[index].as_str(), times_ms[0] as f64 / times_ms[index] as f64);
        (cells, fixtures::comparison(&[("task", task)], &[ratio(0), ratio(1), ratio(2)]))
    }

    fn scenario() -> ScenarioSummary {
        let mut operations = vec![
            operation("wait", [400, 100, 101], Some(Limit::Peer)),
            operation("primes", [400, 399, 200], Some(Limit::Cpu)),
            operation("zip", [300, 170, 160], None),
            operation("file-write", [300, 300, 300], Some(Limit::Disk)),
        ];
        operations[1].0[1].limited_by = Some(LimitedBy { limit: Limit::Lock, evidence: String::new() });
        let skipped = &mut operations[2].0[2];
        (skipped.status, skipped.elapsed_ns) = (Status::Skipped, None);
        skipped.reason = Some("zip is not on the PATH".to_owned());
        operations[2].1.rows[2].ratio = None;
        let tasks = axis("task", &["wait", "primes", "zip", "file-write"]);
        let (cells, comparisons): (Vec<_>, Vec<_>) = operations.into_iter().unzip();
        let axes = vec![tasks, axis("model", &MODELS)];
        let mut scenario = fixtures::scenario("s", "model", axes, cells.concat());
        scenario.comparisons = comparisons;
        scenario.settings.insert("tasks".to_owned(), "330ms".into());
        scenario
    }

    #[test]
    fn the_values_stand_side_by_side_with_their_ratios_and_what_holds_them_back() {
        expect![[r#"
            ## s

            Which is fastest?

            op = burn, tasks = 330ms · 3 runs, 1 warm-up, interleaved

            | task | tasks | sequential | threads | processes | ratio threads | ratio processes | limited by | notes |
            | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |
            | wait | 8 | 400.0 ms (400–400) | 100.0 ms (100–100) | 101.0 ms (101–101) | 4.00 | 3.96 | peer |  |
            | primes | 8 | 400.0 ms (400–400) | 399.0 ms (399–399) | 200.0 ms (200–200) | 1.00 | 2.00 | cpu / lock / cpu |  |
            | zip | 8 | 300.0 ms (300–300) | 170.0 ms (170–170) | – | 1.76 | – | – | processes: skipped ¹ |
            | file-write | 8 | 300.0 ms (300–300) | 300.0 ms (300–300) | 300.0 ms (300–300) | 1.00 | 1.00 | disk |  |

            ratio: above 1.00 is faster than model = sequential

            - ¹ `s/task=zip,model=processes`: zip is not on the PATH
        "#]].assert_eq(&markdown::table(&scenario_table(&scenario())));
    }

    #[test]
    fn a_row_of_which_nothing_could_be_measured_says_so_once() {
        let mut scenario = scenario();
        for cell in scenario.cells.iter_mut().filter(|cell| cell.id.contains("task=zip")) {
            (cell.status, cell.elapsed_ns) = (Status::Skipped, None);
            cell.reason = Some("zip is not on the PATH".to_owned());
        }
        let text = markdown::table(&scenario_table(&scenario));
        assert!(text.contains("| skipped ¹ |\n"), "{text}");
        assert_eq!(text.matches("zip is not on the PATH").count(), 1, "{text}");
    }

    #[test]
    fn in_a_narrow_terminal_ranges_give_way() {
        let terminal = Terminal { width: Some(110), colour: false, ascii: false };
        let text = terminal.table(&scenario_table(&scenario()));
        assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    }

    #[test]
    fn two_values_many_values_and_few_comparisons_have_other_forms() {
        assert!(reads_better(&scenario()));
        let mut few = scenario();
        few.comparisons.truncate(3);
        assert!(!reads_better(&few));
        let mut two = scenario();
        two.axes[1].values.truncate(2);
        assert!(!reads_better(&two));
    }
}
