//! How much faster a cell is than its baseline.

use super::interval;
use super::summary::{Bound, CellSummary, Flag, Ratio, Status};
use crate::matrix::plan::{PaceSpec, Work};

/// What the speed of a cell is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// The median of the elapsed times.
    Elapsed,
    /// The median of the right answers a second.
    Throughput,
}

impl Speed {
    /// What suits this work. An open loop has no speed: it gets what it was asked for, or is flagged.
    #[must_use]
    pub fn of(work: &Work) -> Option<Self> {
        match work {
            Work::Batch(_) => Some(Self::Elapsed),
            Work::Http(http) => match http.load.pace {
                PaceSpec::Closed { .. } => Some(Self::Throughput),
                PaceSpec::Open { .. } => None,
            },
        }
    }
}

/// The baseline's median time over the cell's, or the cell's throughput over the baseline's: above 1 is faster than the
/// baseline. With the interval of [`interval::ratio_interval`], save for the baseline itself, which is 1 by definition.
///
/// `None` where either was not measured, or is too short for the clock: nothing is divided by zero, and noise is not
/// reported as speed. Also where the load generator held both back: two lower bounds have no ratio.
#[must_use]
pub fn ratio(baseline: &CellSummary, cell: &CellSummary, speed: Speed) -> Option<Ratio> {
    let (theirs, ours) = (comparable(baseline, speed)?, comparable(cell, speed)?);
    let is_held_back = |cell: &CellSummary| cell.flags.contains(&Flag::ClientBound);
    let bound = match (is_held_back(baseline), is_held_back(cell)) {
        (true, true) if baseline.id != cell.id => return None,
        // The baseline is exactly as fast as itself.
        (true, true) | (false, false) => None,
        (false, true) => Some(Bound::AtLeast),
        (true, false) => Some(Bound::AtMost),
    };
    let (above, below) = match speed {
        Speed::Elapsed => (&theirs, &ours),
        Speed::Throughput => (&ours, &theirs),
    };
    let interval = (baseline.id != cell.id).then(|| interval::ratio_interval(&above.runs, &below.runs)).flatten();
    Some(Ratio {
        value: above.median / below.median,
        low: interval.map(|it| it.low),
        high: interval.map(|it| it.high),
        confidence: interval.map(|it| it.confidence),
        bound,
    })
}

/// Two-sided p-value of the Mann–Whitney test that the two are equally fast. `None` where [`ratio`] has none, and for the
/// baseline itself.
#[must_use]
pub fn p_value(baseline: &CellSummary, cell: &CellSummary, speed: Speed) -> Option<f64> {
    ratio(baseline, cell, speed).filter(|_| baseline.id != cell.id)?;
    interval::p_value(&comparable(cell, speed)?.runs, &comparable(baseline, speed)?.runs)
}

/// How fast a cell that may take part in a ratio is by its median, in an arbitrary unit: more is faster.
#[must_use]
pub fn median_speed(cell: &CellSummary, speed: Speed) -> Option<f64> {
    let median = comparable(cell, speed)?.median;
    Some(match speed {
        Speed::Elapsed => 1.0 / median,
        Speed::Throughput => median,
    })
}

/// Nanoseconds or right answers a second.
struct Figures {
    /// Above 0.
    median: f64,
    runs: Vec<f64>,
}

/// The figures of a cell that may take part in a ratio.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn comparable(cell: &CellSummary, speed: Speed) -> Option<Figures> {
    let figures = match speed {
        Speed::Elapsed => {
            let elapsed = cell.elapsed_ns.as_ref()?;
            Figures { median: elapsed.median as f64, runs: elapsed.values.iter().map(|&ns| ns as f64).collect() }
        }
        Speed::Throughput => {
            let throughput = cell.throughput_per_s.as_ref()?;
            Figures { median: throughput.median, runs: throughput.values.clone() }
        }
    };
    let is_good = cell.status == Status::Ok && figures.median > 0.0 && !cell.flags.contains(&Flag::BelowResolution);
    is_good.then_some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::cell;

    #[test]
    fn above_one_is_faster_than_the_baseline() {
        let ratio = ratio(&cell("a", &[300, 310, 290]), &cell("b", &[100, 150, 90]), Speed::Elapsed).unwrap();
        // Three and three: from the slowest of the one over the fastest of the other to the reverse, which covers in 90 %.
        let (low, high, confidence) = (Some(290.0 / 150.0), Some(310.0 / 90.0), Some(0.9));
        assert_eq!(ratio, Ratio { value: 3.0, low, high, confidence, bound: None });
    }

    #[test]
    fn five_runs_a_side_have_the_third_and_twenty_third_quotient() {
        let (baseline, cell) = (cell("a", &[200, 210, 190, 220, 230]), cell("b", &[100, 100, 100, 100, 100]));
        let ratio = ratio(&baseline, &cell, Speed::Elapsed).unwrap();
        // Each of 1.9, 2.0, … stands five times among the 25.
        assert_eq!((ratio.value, ratio.low, ratio.high), (2.1, Some(1.9), Some(2.3)));
        assert_eq!(format!("{:.3}", ratio.confidence.unwrap()), "0.968");
        assert_eq!(format!("{:.4}", p_value(&baseline, &cell, Speed::Elapsed).unwrap()), "0.0079");
    }

    #[test]
    fn the_baseline_is_one_without_an_interval() {
        let baseline = cell("a", &[200, 210, 190, 220, 230]);
        let ratio = ratio(&baseline, &baseline, Speed::Elapsed).unwrap();
        assert_eq!(ratio, Ratio { value: 1.0, low: None, high: None, confidence: None, bound: None });
        assert_eq!(p_value(&baseline, &baseline, Speed::Elapsed), None);
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        assert_eq!(ratio(&cell("a", &[300]), &cell("b", &[0]), Speed::Elapsed), None);
        assert_eq!(ratio(&cell("a", &[0]), &cell("b", &[300]), Speed::Elapsed), None);
    }

    #[test]
    fn a_cell_that_failed_or_is_too_short_has_no_ratio() {
        let good = cell("a", &[300]);
        let mut failed = cell("b", &[100]);
        failed.status = Status::Failed;
        let mut short = cell("c", &[100]);
        short.flags.push(Flag::BelowResolution);
        assert_eq!(ratio(&good, &failed, Speed::Elapsed), None);
        assert_eq!(ratio(&failed, &good, Speed::Elapsed), None);
        assert_eq!(ratio(&good, &short, Speed::Elapsed), None);
    }

    fn rate(id: &str, per_s: f64, flags: &[Flag]) -> CellSummary {
        let mut cell = cell(id, &[300]);
        cell.throughput_per_s = crate::stats::summary::Spread::of(vec![per_s]);
        cell.flags = flags.to_vec();
        cell
    }

    #[test]
    fn more_requests_a_second_than_the_baseline_is_above_one() {
        let ratio = ratio(&rate("a", 400.0, &[]), &rate("b", 1_300.0, &[]), Speed::Throughput).unwrap();
        assert_eq!((ratio.value, ratio.bound), (3.25, None));
    }

    #[test]
    fn a_ratio_with_one_side_held_back_says_on_which_side_the_truth_lies() {
        let (free, held) = (rate("a", 400.0, &[]), rate("b", 1_300.0, &[Flag::ClientBound]));
        let bound = |baseline, cell| ratio(baseline, cell, Speed::Throughput).map(|ratio| ratio.bound);
        assert_eq!(bound(&free, &held), Some(Some(Bound::AtLeast)));
        assert_eq!(bound(&held, &free), Some(Some(Bound::AtMost)));
        assert_eq!(bound(&held, &held), Some(None), "a baseline is as fast as itself");
        assert_eq!(bound(&rate("c", 1_000.0, &[Flag::ClientBound]), &held), None);
    }
}
