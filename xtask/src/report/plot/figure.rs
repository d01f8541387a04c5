//! What a picture shows of a cell: which figure, in which unit, and the words for cells and comparisons.

use super::super::format::{UNKNOWN, per_second, significant};
use super::super::http::{is_http, is_open};
use super::super::units::{TimeUnit, time};
use super::scale::Scale;
use crate::matrix::axis::{Axes, AxisValue};
use crate::number::grouped;
use crate::stats::summary::{CellSummary, ComparisonSummary, ScenarioSummary, Status};

/// The figure of which a scenario's runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    /// Elapsed time in nanoseconds: less is better.
    Elapsed,
    /// Right answers a second: more is better.
    Throughput,
}

impl Figure {
    /// What a scenario is about. An open loop gets what it was asked for, so its runs have nothing to compare.
    pub fn of(scenario: &ScenarioSummary) -> Option<Self> {
        match (is_http(scenario), is_http(scenario) && is_open(scenario)) {
            (false, _) => Some(Self::Elapsed),
            (true, false) => Some(Self::Throughput),
            (true, true) => None,
        }
    }

    /// The median and the values of the counted runs, where the cell was measured.
    pub fn runs(self, cell: &CellSummary) -> Option<(f64, Vec<f64>)> {
        let (median, values): (f64, Vec<f64>) = match self {
            _ if cell.status != Status::Ok => return None,
            Self::Elapsed => {
                let spread = cell.elapsed_ns.as_ref()?;
                (spread.median as f64, spread.values.iter().map(|ns| *ns as f64).collect())
            }
            Self::Throughput => {
                let spread = cell.throughput_per_s.as_ref()?;
                (spread.median, spread.values.clone())
            }
        };
        let drawable = |figure: &f64| figure.is_finite() && *figure >= 0.0;
        (drawable(&median) && values.iter().all(drawable)).then_some((median, values))
    }

    /// The runs that were measured and do not count, with the reason of each.
    pub fn set_aside(self, cell: &CellSummary) -> Vec<(f64, &str)> {
        let figure = |run: &crate::stats::summary::SetAside| match self {
            Self::Elapsed => Some(run.elapsed_ns as f64),
            Self::Throughput => run.throughput_per_s.filter(|figure| figure.is_finite()),
        };
        cell.set_aside.iter().filter_map(|run| Some((figure(run)?, run.reason.as_str()))).collect()
    }

    /// The figure with its unit, as tables show it.
    pub fn shown(self, value: f64) -> String {
        match self {
            Self::Elapsed => time(value.round() as u64, None),
            Self::Throughput => format!("{} req/s", per_second(value)),
        }
    }

    /// The figure at a tick: no more digits than it takes.
    pub fn tick(self, value: f64, scale: &Scale) -> String {
        match self {
            Self::Elapsed => time_tick(value, scale),
            Self::Throughput => rate_tick(value),
        }
    }

    /// What stands at the axis.
    pub fn axis(self, scenario: &ScenarioSummary) -> &'static str {
        match self {
            Self::Elapsed if scenario.include_setup => "elapsed time with set-up: less is better",
            Self::Elapsed => "elapsed time: less is better",
            Self::Throughput => "right answers a second: more is better",
        }
    }
}

/// A time at a tick: by ratio in its own unit, otherwise in that of the end of the scale.
pub(super) fn time_tick(ns: f64, scale: &Scale) -> String {
    let most = if scale.is_logarithmic() { ns } else { scale.most() };
    let unit = TimeUnit::of(most.max(0.0).round() as u64);
    format!("{} {}", shortest(ns / unit.nanoseconds()), unit.name())
}

/// A number of requests a second at a tick.
pub(super) fn rate_tick(value: f64) -> String {
    if value >= 1_000.0 { grouped(value.round() as u64) } else { shortest(value) }
}

/// A round number without what a computer adds to it.
pub(super) fn shortest(value: f64) -> String {
    let text = significant(value, 4);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `lock = gil, task = io`.
pub(super) fn coordinates<'a>(axes: impl IntoIterator<Item = (&'a String, &'a AxisValue)>) -> String {
    axes.into_iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// What all cells of a comparison share; empty where the scenario has one comparison.
pub(super) fn facet(comparison: &ComparisonSummary) -> String {
    coordinates(&comparison.fixed)
}

/// What tells a cell from the others of its comparison: its value on the compared axis where that is all.
pub(super) fn row(scenario: &ScenarioSummary, fixed: &Axes, cell: &CellSummary) -> String {
    let own: Vec<_> = cell.axes.iter().filter(|(name, _)| !fixed.contains_key(*name)).collect();
    match (own.as_slice(), scenario.compare.as_deref()) {
        // It collapsed on everything that tells the others apart.
        ([], Some(_)) => UNKNOWN.to_owned(),
        ([], None) => scenario.name.clone(),
        // A word says what it is, a number does not.
        ([(name, value)], Some(compare)) if *name == compare && is_word(value) => value.to_string(),
        _ => coordinates(own),
    }
}

fn is_word(value: &AxisValue) -> bool {
    matches!(value, AxisValue::Text(text) if !text.starts_with(|sign: char| sign.is_ascii_digit()))
}

/// Why a cell has no figures, on one line.
pub(super) fn missing(cell: &CellSummary) -> String {
    let status = super::super::footnotes::status_word(cell.status);
    match &cell.reason {
        Some(reason) => format!("{status}: {reason}"),
        None => status.to_owned(),
    }
}
