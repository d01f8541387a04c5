//! CSV after RFC 4180: a row for each cell of each comparison, raw numbers with their unit in the column's name, a
//! decimal point whatever the locale. What is not known is empty. `http` has the columns that only servers need; they
//! are there only where there is one.

mod http;

use ::csv::{Terminator, WriterBuilder};

use super::Format;
use super::footnotes::{flag_word, status_word};
use super::http::is_http;
use super::standing::source_of;
use crate::stats::summary::{CellSummary, ComparisonRow, ComparisonSummary, ScenarioSummary, Spread, Summary, Verdict};

/// CSV after RFC 4180.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Csv;

impl Format for Csv {
    fn render(&self, summary: &Summary) -> String {
        let mut axes: Vec<&str> = Vec::new();
        for axis in summary.scenarios.iter().flat_map(|scenario| &scenario.axes) {
            if !axes.contains(&axis.name.as_str()) {
                axes.push(&axis.name);
            }
        }
        let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
        let infallible = "writing to memory cannot fail, and all rows have the header's columns";
        // The prefix keeps an axis that a matrix calls `status` apart from ours.
        let header = ["scenario", "comparison", "cell"].map(str::to_owned).into_iter();
        let header = header.chain(axes.iter().map(|axis| format!("axis_{axis}")));
        let figures = || {
            let with_http = summary.scenarios.iter().any(is_http);
            FIGURES.iter().chain(if with_http { http::FIGURES } else { &[] })
        };
        writer.write_record(header.chain(figures().map(|(name, _)| (*name).to_owned()))).expect(infallible);
        for scenario in &summary.scenarios {
            for (comparison, row, cell) in rows(scenario) {
                let place = Place { scenario, comparison, row, cell };
                let fixed: Vec<String> =
                    comparison.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
                let head = [scenario.name.clone(), fixed.join(","), cell.id.clone()].into_iter();
                let head = head.chain(axes.iter().map(|axis| text(cell.axes.get(*axis))));
                writer.write_record(head.chain(figures().map(|(_, figure)| figure(&place)))).expect(infallible);
            }
        }
        String::from_utf8(writer.into_inner().expect(infallible)).expect("all fields are strings")
    }
}

/// A cell in one comparison.
struct Place<'a> {
    scenario: &'a ScenarioSummary,
    comparison: &'a ComparisonSummary,
    row: &'a ComparisonRow,
    cell: &'a CellSummary,
}

/// A column's name, and what stands in it.
type Figure = (&'static str, fn(&Place<'_>) -> String);

/// The columns behind the coordinates.
const FIGURES: [Figure; 34] = [
    ("compare", |at| text(at.scenario.compare.as_ref())),
    ("baseline", |at| text(at.comparison.baseline.as_ref())),
    ("status", |at| status_word(at.cell.status).to_owned()),
    ("reason", |at| text(at.cell.reason.as_ref())),
    ("runs", |at| at.cell.runs.to_string()),
    ("elapsed_median_ns", |at| text(at.cell.elapsed_ns.as_ref().map(|s| s.median))),
    ("elapsed_min_ns", |at| text(at.cell.elapsed_ns.as_ref().and_then(Spread::range).map(|(min, _)| min))),
    ("elapsed_max_ns", |at| text(at.cell.elapsed_ns.as_ref().and_then(Spread::range).map(|(_, max)| max))),
    ("elapsed_values_ns", |at| at.cell.elapsed_ns.as_ref().map(|s| words(&s.values)).unwrap_or_default()),
    ("setup_median_ns", |at| text(at.cell.setup_ns.as_ref().map(|s| s.median))),
    ("setup_in_elapsed", |at| at.scenario.include_setup.to_string()),
    ("throughput_median_per_s", |at| text(at.cell.throughput_per_s.as_ref().map(|s| s.median))),
    ("ratio", |at| text(at.row.ratio.map(|r| r.value))),
    ("ratio_low", |at| text(at.row.ratio.and_then(|r| r.low))),
    ("ratio_high", |at| text(at.row.ratio.and_then(|r| r.high))),
    ("ratio_confidence", |at| text(at.row.ratio.and_then(|r| r.confidence))),
    ("verdict", |at| text(at.row.verdict.map(Verdict::word))),
    ("floor", |at| text(at.row.verdict.map(|_| at.comparison.floor_share()))),
    ("floor_source", |at| text(at.row.verdict.map(|_| source_of(at.comparison)))),
    ("cores_used", |at| text(at.cell.cores_used)),
    ("user_ns", |at| text(at.cell.usage.user_ns)),
    ("sys_ns", |at| text(at.cell.usage.sys_ns)),
    ("peak_rss_bytes", |at| text(at.cell.usage.peak_rss_bytes)),
    ("processes", |at| text(at.cell.usage.processes)),
    ("voluntary_switches", |at| text(at.cell.usage.voluntary_switches)),
    ("involuntary_switches", |at| text(at.cell.usage.involuntary_switches)),
    ("by_worker_tasks", |at| at.cell.by_worker.as_deref().map(words).unwrap_or_default()),
    ("imbalance", |at| text(at.cell.imbalance)),
    ("checksum", |at| text(at.cell.checksum.as_ref())),
    ("flags", |at| at.cell.flags.iter().map(|flag| flag_word(*flag)).collect::<Vec<_>>().join(" ")),
    ("notes", |at| at.cell.notes.join("; ")),
    ("planned_runs", |at| at.scenario.runs.to_string()),
    ("warmups", |at| at.scenario.warmups.to_string()),
    ("order", |at| at.scenario.order.clone()),
];

fn rows(scenario: &ScenarioSummary) -> impl Iterator<Item = (&ComparisonSummary, &ComparisonRow, &CellSummary)> {
    let by_id = super::scenario_table::by_id(scenario);
    let all =
        scenario.comparisons.iter().flat_map(|comparison| comparison.rows.iter().map(move |row| (comparison, row)));
    all.filter_map(move |(comparison, row)| Some((comparison, row, *by_id.get(row.cell.as_str())?)))
}

fn text<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Several numbers in one field.
fn words(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}
