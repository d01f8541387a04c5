//! The runs behind a figure, one by one, and what else there is to say of a cell: folded away below its main figure.

use maud::{Markup, html};

use super::super::format::per_second;
use super::super::http::is_http;
use super::super::scenario_table::time_unit;
use super::super::units::{TimeUnit, time};
use super::columns::Figure;
use super::words::Words;
use crate::number::counted;
use crate::stats::summary::{CellSummary, ScenarioSummary, SetAside};

/// How the runs of a scenario are written.
pub(super) struct Runs {
    is_http: bool,
    unit: Option<TimeUnit>,
}

impl Runs {
    pub fn of(scenario: &ScenarioSummary) -> Self {
        Self { is_http: is_http(scenario), unit: time_unit(scenario) }
    }

    /// The counted runs in their order.
    pub fn counted(&self, cell: &CellSummary) -> Vec<String> {
        match (self.is_http, &cell.throughput_per_s, &cell.elapsed_ns) {
            (true, Some(spread), _) => spread.values.iter().map(|value| rate_of(*value)).collect(),
            (false, _, Some(spread)) => spread.values.iter().map(|value| time(*value, self.unit)).collect(),
            _ => Vec::new(),
        }
    }

    fn set_aside(&self, run: &SetAside) -> String {
        let figure = match run.throughput_per_s {
            Some(rate) if self.is_http => rate_of(rate),
            _ => time(run.elapsed_ns, self.unit),
        };
        format!("Set aside and made again: round {}, {figure}: {}", run.round, run.reason)
    }

    /// The main figure, which opens to its runs where there are any.
    pub fn figure(&self, cell: &CellSummary, figure: &Figure) -> Markup {
        let Some(text) = &figure.text else { return html! { "–" } };
        let runs = self.counted(cell);
        if runs.is_empty() {
            return html! { (text) };
        }
        html! {
            details.runs {
                summary { (text) }
                div {
                    p { (counted(runs.len() as u64, "run", "runs")) ": " (runs.join(", ")) "." }
                    @for run in &cell.set_aside { p { (Words(&self.set_aside(run))) } }
                    @if let Some(by) = &cell.limited_by { p { "Held back: " (Words(&by.evidence)) } }
                }
            }
        }
    }
}

fn rate_of(rate: f64) -> String {
    format!("{} req/s", per_second(rate))
}
