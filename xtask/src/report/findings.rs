//! The sentences below a table: what may be concluded from each of its comparisons, and how cells grow with their workers.

use super::format::{per_second, significant};
use super::http::is_http;
use super::scenario_table::{by_id, coordinate};
use super::table::Finding;
use crate::matrix::axis::Axes;
use crate::stats::summary::{ComparisonSummary, ScalingFit, ScalingSummary, ScenarioSummary, Verdict};

/// All findings of a scenario, in the order of its rows. One that is the same for all comparisons stands once.
pub(super) fn findings(scenario: &ScenarioSummary) -> Vec<Finding> {
    let weak = scenario.comparisons.iter().filter(|comparison| has_fallen(comparison)).count();
    let conclusion = |comparison: &ComparisonSummary| {
        let sentence = &comparison.conclusion.as_ref()?.sentence;
        let note = holm(scenario, comparison).filter(|_| weak <= HOLM_NOTES).unwrap_or_default();
        Some(Finding { about: shown(&comparison.fixed), text: format!("{sentence}{note}") })
    };
    let mut findings: Vec<Finding> = scenario.comparisons.iter().filter_map(conclusion).collect();
    let is_same = findings.windows(2).all(|two| two[0].text == two[1].text);
    if is_same && findings.len() > 1 {
        findings.truncate(1);
        findings[0].about.clear();
    }
    if weak > HOLM_NOTES {
        let all = scenario.comparisons.iter().filter(|comparison| comparison.conclusion.is_some()).count();
        findings.push(Finding {
            about: "Holm's correction".to_owned(),
            text: format!(
                "in {weak} of {all} comparisons not all verdicts would stand together: each is to be read alone."
            ),
        });
    }
    findings.extend(scenario.scaling.iter().map(|sweep| scaling(scenario, sweep)));
    findings
}

/// With more comparisons than this the note on Holm's correction stands once, below them.
const HOLM_NOTES: usize = 2;

fn has_fallen(comparison: &ComparisonSummary) -> bool {
    comparison.conclusion.as_ref().is_some_and(|conclusion| !conclusion.not_after_holm.is_empty())
}

/// `lock = gil, cpu = 1ms`.
pub(super) fn shown(fixed: &Axes) -> String {
    fixed.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// What would not stand if all verdicts of the comparison were to stand together.
fn holm(scenario: &ScenarioSummary, comparison: &ComparisonSummary) -> Option<String> {
    let fallen = &comparison.conclusion.as_ref()?.not_after_holm;
    let axis = scenario.compare.as_deref()?;
    let has_direction = |verdict: Option<Verdict>| matches!(verdict, Some(Verdict::Faster | Verdict::Slower));
    let directed = comparison.rows.iter().filter(|row| has_direction(row.verdict)).count();
    let tested = comparison.rows.iter().filter(|row| row.verdict.is_some_and(|it| it != Verdict::Baseline)).count();
    if fallen.is_empty() {
        return None;
    }
    if let Some(runs) = runs_too_few(scenario, comparison, tested) {
        return Some(format!(
            " With {runs} runs a side no verdict of {tested} at once can pass Holm's correction: each is to be read alone."
        ));
    }
    let which = if fallen.len() == directed {
        "no verdict".to_owned()
    } else {
        let by_id = by_id(scenario);
        let value =
            |id: &String| by_id.get(id.as_str()).map_or_else(|| id.clone(), |cell| coordinate(&cell.axes, axis));
        format!("not all verdicts (not {})", fallen.iter().map(value).collect::<Vec<_>>().join(", "))
    };
    Some(format!(
        " Holm's correction for {tested} comparisons at once would let {which} stand: each is to be read alone."
    ))
}

/// How many runs a side there are, where even two samples that are wholly apart could not stand among so many
/// comparisons: the smallest p of the exact test, 2 / C(2n, n), is above 0.05 / m.
fn runs_too_few(scenario: &ScenarioSummary, comparison: &ComparisonSummary, tested: usize) -> Option<u32> {
    let by_id = by_id(scenario);
    let runs =
        comparison.rows.iter().filter_map(|row| Some(by_id.get(row.cell.as_str())?.runs)).filter(|runs| *runs > 0);
    let runs = runs.max()?;
    let ways: f64 = (1..=runs).map(|k| f64::from(runs + k) / f64::from(k)).product();
    (2.0 / ways > 0.05 / tested as f64).then_some(runs)
}

fn scaling(scenario: &ScenarioSummary, sweep: &ScalingSummary) -> Finding {
    let of = shown(&sweep.fixed);
    let about = if of.is_empty() { "scaling".to_owned() } else { format!("scaling, {of}") };
    let fit = sweep.fit.as_ref().map(|fit| law(fit, if is_http(scenario) { "requests" } else { "tasks" }));
    let text: Vec<String> = fit.into_iter().chain(sweep.note.clone()).collect();
    Finding { about, text: text.join(" ") }
}

/// `contention 5.0 %, crosstalk 0.20 %, peak 1,030 tasks a second with 22 workers, knee at 6, R² 0.998.`
fn law(fit: &ScalingFit, what: &str) -> String {
    let percent =
        |share: f64| if share < 5e-5 { "0 %".to_owned() } else { format!("{} %", significant(share * 100.0, 2)) };
    let peak = match (fit.peak_workers, fit.peak_per_s) {
        (Some(workers), Some(peak)) => format!("peak {} {what} a second with {}", per_second(peak), counted(workers)),
        (None, Some(limit)) => format!("no peak, but a limit of {} {what} a second", per_second(limit)),
        (_, None) => "no peak".to_owned(),
    };
    let knee = match fit.knee_workers {
        Some(knee) => format!("knee at {}", significant(knee, 1)),
        None => "no knee".to_owned(),
    };
    let (contention, crosstalk) = (percent(fit.contention), percent(fit.crosstalk));
    format!("contention {contention}, crosstalk {crosstalk}, {peak}, {knee}, R² {:.3}.", fit.r_squared)
}

/// `22 workers`.
fn counted(workers: f64) -> String {
    let workers = format!("{workers:.0}");
    if workers == "1" { "1 worker".to_owned() } else { format!("{workers} workers") }
}
