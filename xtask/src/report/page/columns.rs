//! The columns of a scenario's table: one row is one cell in one comparison, and a figure is a text for people with the raw
//! number behind it, by which a script sorts.
//!
//! The texts are made by the same functions as those of the other formats. Unlike those, a page has room: it is always the long
//! form, which can be sorted and filtered.

use super::super::footnotes::limit_word;
use super::super::format::{cores, per_second, ratio_of};
use super::super::http::{failed, has_errors, has_workers, is_http, is_open, latency_unit, workers};
use super::super::scenario_table::{coordinate, long_axes, setup_matters, time_unit};
use super::super::standing;
use super::super::units::{TimeUnit, bytes, range, time};
use crate::stats::summary::{
    CellSummary, ComparisonRow, ComparisonSummary, Percentiles, RequestsSummary, ScenarioSummary, Spread, Verdict,
};

/// A cell in a comparison.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub comparison: &'a ComparisonSummary,
    pub row: &'a ComparisonRow,
    pub cell: &'a CellSummary,
}

impl Place<'_> {
    /// Whether others are held against it.
    pub fn is_baseline(&self) -> bool {
        self.comparison.baseline.as_deref() == Some(self.row.cell.as_str())
    }
}

/// What stands in a place.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Figure {
    /// For people; `None` is not known, or does not apply.
    pub text: Option<String>,
    /// The number itself.
    pub raw: Option<f64>,
}

/// What kind of things a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Coordinates.
    Axis,
    /// The figure that cells are compared by, with its runs.
    Main,
    /// Another number.
    Number,
    /// The same, which is not shown relative to the baseline: it is that already, or a span.
    Fixed,
    /// The verdict.
    Verdict,
    /// A word.
    Word,
}

/// How a figure is taken from its place.
type Take<'a> = Box<dyn Fn(&Place<'_>) -> Figure + 'a>;

/// A column.
pub(super) struct Column<'a> {
    pub header: String,
    pub kind: Kind,
    /// How to read it.
    pub help: &'static str,
    take: Take<'a>,
}

impl<'a> Column<'a> {
    fn new(header: &str, kind: Kind, help: &'static str, take: impl Fn(&Place<'_>) -> Figure + 'a) -> Self {
        Self { header: header.to_owned(), kind, help, take: Box::new(take) }
    }

    /// What stands in it.
    pub fn figure(&self, at: &Place<'_>) -> Figure {
        (self.take)(at)
    }
}

/// The columns of a scenario; notes come behind them.
pub(super) fn columns(scenario: &ScenarioSummary) -> Vec<Column<'_>> {
    let axis = |name| Column::new(name, Kind::Axis, "", move |at| word(Some(coordinate(&at.cell.axes, name))));
    let mut columns: Vec<Column<'_>> = long_axes(scenario).into_iter().map(axis).collect();
    match (is_http(scenario), is_http(scenario) && is_open(scenario)) {
        (false, _) => columns.extend(batch(scenario)),
        (true, false) => columns.extend(closed_loop(scenario)),
        (true, true) => columns.extend(open_loop(scenario)),
    }
    columns
}

/// Elapsed time, its ratio, what it cost.
fn batch(scenario: &ScenarioSummary) -> Vec<Column<'_>> {
    let unit = time_unit(scenario);
    let mut columns = vec![
        Column::new("median", Kind::Main, "the middle one of the counted runs", move |at| {
            ns(at.cell.elapsed_ns.as_ref().map(|spread| spread.median), unit)
        }),
        Column::new("min–max", Kind::Fixed, "the fastest and the slowest run", move |at| span(at, unit)),
    ];
    columns.extend(standing(scenario));
    columns.push(Column::new("cores", Kind::Number, "cores that were really used", |at| used(at.cell.cores_used)));
    columns.push(memory());
    columns.push(Column::new("CPU time", Kind::Number, "of a run, in user mode and in the kernel", |at| {
        let usage = &at.cell.usage;
        ns(usage.user_ns.zip(usage.sys_ns).map(|(user, sys)| user + sys), None)
    }));
    if setup_matters(scenario) {
        let help = "making threads, processes, loops: not in the median";
        columns.push(Column::new("set-up", Kind::Number, help, |at| {
            ns(at.cell.setup_ns.as_ref().map(|spread| spread.median), None)
        }));
    }
    if scenario.cells.iter().any(|cell| cell.limited_by.is_some()) {
        columns.push(Column::new(
            "limited by",
            Kind::Word,
            "what holds the cell back, as far as its figures tell",
            |at| word(at.cell.limited_by.as_ref().map(|by| limit_word(by.limit).to_owned())),
        ));
    }
    columns
}

/// Requests a second, their ratio, latency, what it cost.
fn closed_loop(scenario: &ScenarioSummary) -> Vec<Column<'_>> {
    let mut columns = vec![
        Column::new("req/s", Kind::Main, "right answers a second, the middle one of the counted runs", |at| {
            rate(at.cell.throughput_per_s.as_ref().map(|spread| spread.median))
        }),
        Column::new("min–max", Kind::Fixed, "the slowest and the fastest run", |at| {
            let ends = at.cell.throughput_per_s.as_ref().and_then(Spread::range);
            Figure {
                text: ends.map(|(min, max)| format!("{}–{}", per_second(min), per_second(max))),
                raw: ends.map(|(min, _)| min),
            }
        }),
    ];
    columns.extend(standing(scenario));
    columns.extend(latency(scenario));
    columns.extend(server(scenario));
    columns
}

/// The rate that was asked for and sent, latency from the intended send time, what it cost.
fn open_loop(scenario: &ScenarioSummary) -> Vec<Column<'_>> {
    let unit = latency_unit(scenario);
    let asked: fn(&RequestsSummary) -> Option<f64> = |it| it.asked_rate_per_s;
    let achieved: fn(&RequestsSummary) -> Option<f64> = |it| it.achieved_rate_per_s;
    let mut columns = vec![
        Column::new("asked req/s", Kind::Number, "requests a second that were asked for", move |at| {
            rate(at.cell.requests.as_ref().and_then(asked))
        }),
        Column::new("sent req/s", Kind::Main, "requests a second that were sent", move |at| {
            rate(at.cell.requests.as_ref().and_then(achieved))
        }),
    ];
    columns.extend(latency(scenario));
    columns.push(Column::new("service p99", Kind::Number, "99 % took no longer from the real send time", move |at| {
        ns(at.cell.service_ns.and_then(|it| it.p99), unit)
    }));
    columns.push(Column::new("lag p99", Kind::Number, "how late the client sent, by its own fault", |at| {
        ns(at.cell.send_lag_ns.and_then(|it| it.p99), None)
    }));
    columns.extend(server(scenario));
    columns
}

/// Ratio, interval and verdict, where anything is compared.
fn standing(scenario: &ScenarioSummary) -> Vec<Column<'_>> {
    if scenario.compare.is_none() {
        return Vec::new();
    }
    let mut columns = vec![Column::new("ratio", Kind::Fixed, "speed: above 1 is faster than the baseline", |at| {
        Figure { text: at.row.ratio.as_ref().map(ratio_of), raw: at.row.ratio.map(|ratio| ratio.value) }
    })];
    let rows = || scenario.comparisons.iter().flat_map(|comparison| &comparison.rows);
    if rows().any(|row| row.ratio.as_ref().and_then(standing::interval).is_some()) {
        columns.push(Column::new(
            "interval",
            Kind::Fixed,
            "where the true ratio lies, as far as these runs tell",
            |at| Figure {
                text: at.row.ratio.as_ref().and_then(standing::interval),
                raw: at.row.ratio.and_then(|ratio| ratio.low),
            },
        ));
    }
    if rows().any(|row| row.verdict.is_some()) {
        columns.push(Column::new("verdict", Kind::Verdict, "against the baseline of the same comparison", |at| {
            let sign = |verdict: Verdict| verdict.sign().map(|sign| format!("{sign} ")).unwrap_or_default();
            word(at.row.verdict.map(|verdict| format!("{}{}", sign(verdict), verdict.word())))
        }));
    }
    columns
}

fn latency(scenario: &ScenarioSummary) -> Vec<Column<'_>> {
    let unit = latency_unit(scenario);
    let column = |header, help, of: fn(&Percentiles) -> Option<u64>| {
        Column::new(header, Kind::Number, help, move |at| ns(at.cell.latency_ns.as_ref().and_then(of), unit))
    };
    vec![
        column("p50", "half of the requests took no longer", |it| it.p50),
        column("p95", "95 % of the requests took no longer", |it| it.p95),
        column("p99", "99 % of the requests took no longer", |it| it.p99),
    ]
}

/// What server and client took, and what went wrong.
fn server(scenario: &ScenarioSummary) -> Vec<Column<'_>> {
    let mut columns = vec![
        Column::new("server", Kind::Number, "cores that the server used", |at| used(at.cell.cores_used)),
        Column::new("client", Kind::Number, "cores that the load generator used", |at| {
            used(at.cell.client.and_then(|client| client.cores_used))
        }),
        memory(),
    ];
    if has_workers(scenario) {
        columns.push(Column::new("by worker", Kind::Fixed, "requests that each worker answered", |at| Figure {
            text: at.cell.by_worker.as_ref().map(|_| workers(at.cell)),
            raw: at.cell.imbalance,
        }));
    }
    if has_errors(scenario) {
        columns.push(Column::new("errors", Kind::Number, "requests without the right answer", |at| Figure {
            text: failed(at.cell),
            raw: at.cell.requests.as_ref().map(|requests| whole(requests.failed())),
        }));
    }
    columns
}

fn memory<'a>() -> Column<'a> {
    Column::new("peak mem", Kind::Number, "of all processes together", |at| {
        let peak = at.cell.usage.peak_rss_bytes;
        Figure { text: peak.map(bytes), raw: peak.map(whole) }
    })
}

fn span(at: &Place<'_>, unit: Option<TimeUnit>) -> Figure {
    let spread = at.cell.elapsed_ns.as_ref();
    Figure {
        text: spread.and_then(|spread| range(spread, unit)),
        raw: spread.and_then(Spread::range).map(|(min, _)| whole(min)),
    }
}

fn ns(ns: Option<u64>, unit: Option<TimeUnit>) -> Figure {
    Figure { text: ns.map(|ns| time(ns, unit)), raw: ns.map(whole) }
}

fn rate(rate: Option<f64>) -> Figure {
    Figure { text: rate.map(per_second), raw: rate }
}

fn used(number: Option<f64>) -> Figure {
    Figure { text: number.map(cores), raw: number }
}

fn word(word: Option<String>) -> Figure {
    Figure { text: word, raw: None }
}

#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days, of bytes 8 PiB")]
fn whole(number: u64) -> f64 {
    number as f64
}
