//! What stands above a table and right below it: the settings that all rows share, and how to read the columns.

use super::format::UNKNOWN;
use super::http;
use super::scenario_table::{by_id, coordinate};
use super::standing;
use super::table::Hint;
use crate::matrix::axis::AxisValue;
use crate::number::grouped;
use crate::stats::summary::{ComparisonSummary, ScenarioSummary};

/// What a task does, how many there are, who does them; then whatever else there is.
const BATCH_ORDER: &[&str] = &["op", "n", "limit", "io", "cpu", "iterations", "tasks", "steps", "workers"];

/// Who answers, what a request costs, how many there are; then whatever else there is.
const HTTP_ORDER: &[&str] = &[
    "server",
    "target",
    "model",
    "workers",
    "lock",
    "listen",
    "io",
    "cpu",
    "iterations",
    "path",
    "connections",
    "requests",
    "rate",
    "duration",
    "arrivals",
];

/// `op = sum-of-squares, n = 3,000,000, tasks = 8 · 5 runs after 1 warm-up, interleaved`.
pub(super) fn settings(scenario: &ScenarioSummary) -> String {
    let order = if http::is_http(scenario) { HTTP_ORDER } else { BATCH_ORDER };
    let known = order.iter().filter_map(|key| scenario.settings.get_key_value(*key));
    let others = scenario.settings.iter().filter(|(key, _)| !order.contains(&key.as_str()));
    let shown: Vec<String> = known.chain(others).map(|(key, value)| format!("{key} = {}", setting(value))).collect();
    let runs = match scenario.runs {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    let warmups = match scenario.warmups {
        0 => "no warm-up".to_owned(),
        1 => "1 warm-up".to_owned(),
        warmups => format!("{warmups} warm-ups"),
    };
    let setup = if scenario.include_setup { ", set-up included in all times" } else { "" };
    let head = if shown.is_empty() { String::new() } else { format!("{} · ", shown.join(", ")) };
    format!("{head}{runs}, {warmups}, {}{setup}", scenario.order)
}

fn setting(value: &AxisValue) -> String {
    match value {
        AxisValue::Number(number) => grouped(*number),
        AxisValue::Text(text) => text.clone(),
    }
}

/// How to read the columns, as far as their headers do not say it.
pub(super) fn hints(scenario: &ScenarioSummary) -> Vec<Hint> {
    let ratio = ratio(scenario).into_iter().chain(standing::legend(scenario));
    let others = if http::is_http(scenario) { http::hints(scenario) } else { Vec::new() };
    ratio.map(|text| Hint { header: "ratio", text }).chain(others).collect()
}

/// How the ratio reads: `above 1.00 is faster than model = sequential`.
fn ratio(scenario: &ScenarioSummary) -> Option<String> {
    let compare = scenario.compare.as_deref()?;
    let by_id = by_id(scenario);
    let baseline = |comparison: &ComparisonSummary| {
        let cell = by_id.get(comparison.baseline.as_deref()?)?;
        Some(coordinate(&cell.axes, compare))
    };
    let mut baselines: Vec<String> = scenario.comparisons.iter().filter_map(baseline).collect();
    baselines.dedup();
    match baselines.as_slice() {
        [] => None,
        [one] if one != UNKNOWN => Some(format!("ratio: above 1.00 is faster than {compare} = {one}")),
        _ => Some(format!("ratio: above 1.00 is faster than the first {compare} of the group")),
    }
}
