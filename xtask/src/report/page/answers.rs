//! What each comparison answers, and how sure that is: taken from the conclusions and verdicts of the summary, nothing is
//! decided here.

use crate::number::counted;
use crate::report::findings::shown;
use crate::report::footnotes::flag_word;
use crate::report::format::significant;
use crate::report::scenario_table::by_id;
use crate::report::standing::{interval, percent, source_of};
use crate::stats::summary::{
    CellSummary, ComparisonSummary, Conclusion, Ratio, ScenarioSummary, Status, Summary, Verdict,
};
use crate::stats::verdict::{Unresolved, judge};

/// The answer of one comparison.
pub(super) struct Answer<'a> {
    pub scenario: &'a ScenarioSummary,
    /// What tells the comparison from the others of its scenario.
    pub about: String,
    /// The whole sentence.
    pub sentence: &'a str,
    /// What to use: the simplest of those that cannot be told apart, where there are ranks; else the baseline, if it is one
    /// of them and nothing was shown to be faster; else the fastest.
    pub pick: &'a CellSummary,
    /// What cannot be told from it.
    pub others: Vec<&'a CellSummary>,
    /// Its speed against the baseline, unless it is the baseline.
    pub ratio: Option<&'a Ratio>,
    pub baseline: Option<&'a CellSummary>,
    pub sureness: Sureness,
    /// Figures behind the sureness, and what a reader should bear in mind.
    pub evidence: String,
}

/// How sure an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sureness {
    /// One cell is the fastest: all others are slower than it by more than chance and noise explain.
    Clear,
    /// Several are the fastest, and cannot be told apart.
    Several,
    /// Nothing is faster than the baseline, as far as these runs tell.
    NoGain,
    /// Too few runs to tell anything.
    Untold,
}

impl Sureness {
    pub const ALL: [Self; 4] = [Self::Clear, Self::Several, Self::NoGain, Self::Untold];

    /// The word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Several => "several",
            Self::NoGain => "no gain shown",
            Self::Untold => "too few runs",
        }
    }

    /// What the word means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Clear => {
                "one is the fastest, and every other is slower than it by more than chance and this machine's noise explain"
            }
            Self::Several => {
                "several are the fastest and cannot be told apart: any of them will do, the simplest is named first"
            }
            Self::NoGain => "nothing was shown to be faster than the baseline; that does not mean they are equal",
            Self::Untold => "too few runs to tell anything: four a cell are the least",
        }
    }

    /// Its class on the page.
    pub fn class(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Several => "several",
            Self::NoGain => "no-gain",
            Self::Untold => "untold",
        }
    }
}

/// All answers, in the order of the summary.
pub(super) fn answers(summary: &Summary) -> Vec<Answer<'_>> {
    summary.scenarios.iter().flat_map(of_scenario).collect()
}

fn of_scenario(scenario: &ScenarioSummary) -> Vec<Answer<'_>> {
    let by_id = by_id(scenario);
    let cell = |id: &str| by_id.get(id).copied();
    let mut answers = Vec::new();
    for comparison in &scenario.comparisons {
        let Some(conclusion) = &comparison.conclusion else { continue };
        let Some(fastest) = cell(&conclusion.fastest) else { continue };
        let baseline = comparison.baseline.as_deref().and_then(cell);
        let sureness = sureness(comparison, conclusion);
        let otherwise = baseline.filter(|_| sureness == Sureness::NoGain).unwrap_or(fastest);
        let pick = conclusion.simplest.as_deref().and_then(cell).unwrap_or(otherwise);
        let group = conclusion.not_told_apart.iter().filter_map(|id| cell(id)).chain([fastest]);
        let others: Vec<&CellSummary> = group.filter(|other| other.id != pick.id).collect();
        let row = comparison.rows.iter().find(|row| row.cell == pick.id);
        let ratio = row.filter(|_| comparison.baseline.as_deref() != Some(pick.id.as_str()));
        let measured: Vec<&CellSummary> =
            comparison.rows.iter().filter_map(|row| cell(&row.cell)).filter(|cell| cell.status == Status::Ok).collect();
        answers.push(Answer {
            scenario,
            about: shown(&comparison.fixed),
            sentence: &conclusion.sentence,
            pick,
            ratio: ratio.and_then(|row| row.ratio.as_ref()),
            baseline,
            sureness,
            evidence: evidence(comparison, conclusion, &measured),
            others,
        });
    }
    answers
}

fn sureness(comparison: &ComparisonSummary, conclusion: &Conclusion) -> Sureness {
    let is_baseline = |id: &str| comparison.baseline.as_deref() == Some(id);
    let floor = comparison.floor_share();
    let mut judged = comparison.rows.iter().filter(|row| !is_baseline(&row.cell)).filter_map(|row| row.ratio.as_ref());
    if judged.clone().next().is_some() && judged.all(|ratio| judge(ratio, floor) == Err(Unresolved::TooFewRuns)) {
        return Sureness::Untold;
    }
    let group = || conclusion.not_told_apart.iter().chain([&conclusion.fastest]);
    let is_faster = comparison.rows.iter().any(|row| row.verdict == Some(Verdict::Faster));
    if group().any(|id| is_baseline(id)) && !is_faster && !conclusion.not_told_apart.is_empty() {
        return Sureness::NoGain;
    }
    if conclusion.not_told_apart.is_empty() { Sureness::Clear } else { Sureness::Several }
}

/// `96.8 % interval; noise floor 1.2 % measured; flags of the fastest: skewed`.
fn evidence(comparison: &ComparisonSummary, conclusion: &Conclusion, measured: &[&CellSummary]) -> String {
    let ratios = comparison.rows.iter().filter_map(|row| row.ratio.as_ref()).filter(|ratio| interval(ratio).is_some());
    let runs = measured.iter().map(|cell| cell.runs).min().unwrap_or(0);
    let runs = format!("{} a cell", counted(runs.into(), "run", "runs"));
    let mut parts = vec![match ratios.filter_map(|ratio| ratio.confidence).reduce(f64::min) {
        Some(least) => format!("{} intervals from {runs}", percent(least)),
        None => runs,
    }];
    parts.push(format!("noise floor {} % {}", significant(comparison.floor_share() * 100.0, 2), source_of(comparison)));
    let flags: Vec<&str> = measured
        .iter()
        .filter(|cell| cell.id == conclusion.fastest || comparison.baseline.as_ref() == Some(&cell.id))
        .flat_map(|cell| &cell.flags)
        .map(|flag| flag_word(*flag))
        .collect();
    if !flags.is_empty() {
        parts.push(format!("flagged: {}", flags.join(", ")));
    }
    if !conclusion.not_after_holm.is_empty() {
        parts.push("read alone: not every verdict stands after Holm's correction".to_owned());
    }
    parts.join("; ")
}
