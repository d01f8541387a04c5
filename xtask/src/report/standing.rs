//! How a cell stands against its baseline: its ratio with interval and verdict, and the words that say how to read them.

use super::format::{or_unknown, ratio_of, significant};
use super::table::Cell;
use crate::number::ratio_interval;
use crate::stats::summary::{ComparisonRow, ComparisonSummary, FloorSource, Ratio, ScenarioSummary, Summary, Verdict};

/// `1.96 (1.91–2.01) ▲`; the interval gives way where there is little room.
pub(super) fn cell(row: Option<&ComparisonRow>) -> Cell {
    let Some((row, ratio)) = row.and_then(|row| Some((row, row.ratio.as_ref()?))) else {
        return or_unknown(None).into();
    };
    let sign = row.verdict.and_then(Verdict::sign).map(|sign| format!(" {sign}")).unwrap_or_default();
    let short = format!("{}{sign}", ratio_of(ratio));
    match interval(ratio) {
        Some(interval) => Cell { text: format!("{} ({interval}){sign}", ratio_of(ratio)), short: Some(short) },
        None => short.into(),
    }
}

/// `1.91–2.01`.
pub(super) fn interval(of: &Ratio) -> Option<String> {
    ends(of).map(|[low, high]| ratio_interval(low, high))
}

/// Both ends of a ratio's interval. One run a side has none: its interval covers nothing.
pub(super) fn ends(of: &Ratio) -> Option<[f64; 2]> {
    of.confidence.filter(|confidence| *confidence > 0.0)?;
    Some([of.low?, of.high?])
}

/// How to read what [`cell`] shows, as far as it is there: interval, signs, noise floor.
pub(super) fn legend(scenario: &ScenarioSummary) -> Vec<String> {
    let rows = || scenario.comparisons.iter().flat_map(|comparison| &comparison.rows);
    let mut legend: Vec<String> = confidence(rows()).into_iter().collect();
    let has = |verdict: Verdict| rows().any(|row| row.verdict == Some(verdict));
    let signs: Vec<String> = [Verdict::Faster, Verdict::Slower, Verdict::Unresolved]
        .into_iter()
        .filter(|verdict| has(*verdict))
        .filter_map(|verdict| Some(format!("{} {}", verdict.sign()?, verdict.word())))
        .collect();
    if !signs.is_empty() {
        legend.push(signs.join(", "));
        legend.extend(floors(scenario.comparisons.iter()));
    }
    legend
}

/// `in brackets its 96.8 % interval`.
fn confidence<'a>(rows: impl Iterator<Item = &'a ComparisonRow>) -> Option<String> {
    let shown = rows.filter_map(|row| row.ratio.as_ref()).filter(|ratio| interval(ratio).is_some());
    let mut confidences: Vec<f64> = shown.filter_map(|ratio| ratio.confidence).collect();
    confidences.sort_by(f64::total_cmp);
    let (least, most) = (percent(*confidences.first()?), percent(*confidences.last()?));
    Some(if least == most {
        format!("in brackets its {most} interval")
    } else {
        format!("in brackets its interval of {least} to {most}")
    })
}

/// `96.8 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 3))
}

/// `noise floor 1.2 to 2.3 %, measured`, of all comparisons in which something was judged.
pub(super) fn floors<'a>(comparisons: impl Iterator<Item = &'a ComparisonSummary>) -> Option<String> {
    let mut by_source: Vec<(&str, Vec<f64>)> = Vec::new();
    for comparison in comparisons.filter(|comparison| is_judged(comparison)) {
        let (source, share) = (source_of(comparison), comparison.floor_share());
        match by_source.iter_mut().find(|(known, _)| *known == source) {
            Some((_, shares)) => shares.push(share),
            None => by_source.push((source, vec![share])),
        }
    }
    let shown = by_source.into_iter().map(|(source, mut shares)| {
        shares.sort_by(f64::total_cmp);
        let digits = |share: f64| significant(share * 100.0, 2);
        match (shares.first().copied().map(digits), shares.last().copied().map(digits)) {
            (Some(least), Some(most)) if least != most => format!("{least} to {most} % {source}"),
            (_, most) => format!("{} % {source}", or_unknown(most)),
        }
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| format!("noise floor: {}", shown.join(", ")))
}

/// The noise floors of a whole result, for the head of its document.
pub(super) fn all_floors(summary: &Summary) -> Option<String> {
    floors(summary.scenarios.iter().flat_map(|scenario| &scenario.comparisons))
        .map(|text| text.trim_start_matches("noise floor: ").to_owned())
}

fn is_judged(comparison: &ComparisonSummary) -> bool {
    comparison.rows.iter().any(|row| row.verdict.is_some_and(|verdict| verdict != Verdict::Baseline))
}

/// Where a floor comes from, as people read it and the CSV has it.
pub(super) fn source_of(comparison: &ComparisonSummary) -> &'static str {
    match comparison.floor.as_ref().map(|floor| floor.source) {
        Some(FloorSource::Measured) => "measured",
        Some(FloorSource::Remembered) => "remembered",
        None => "assumed",
    }
}
