//! How much faster a cell is than its baseline.

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
/// baseline.
///
/// `None` where either was not measured, or is too short for the clock: nothing is divided by zero, and noise is not
/// reported as speed. Also where the load generator held both back: two lower bounds have no ratio.
#[must_use]
pub fn ratio(baseline: &CellSummary, cell: &CellSummary, speed: Speed) -> Option<Ratio> {
    let (theirs, ours) = (comparable(baseline, speed)?, comparable(cell, speed)?);
    let value = match speed {
        Speed::Elapsed => theirs / ours,
        Speed::Throughput => ours / theirs,
    };
    let is_held_back = |cell: &CellSummary| cell.flags.contains(&Flag::ClientBound);
    let bound = match (is_held_back(baseline), is_held_back(cell)) {
        (true, true) if baseline.id != cell.id => return None,
        // The baseline is exactly as fast as itself.
        (true, true) | (false, false) => None,
        (false, true) => Some(Bound::AtLeast),
        (true, false) => Some(Bound::AtMost),
    };
    Some(Ratio { value, low: None, high: None, confidence: None, bound })
}

/// The figure of a cell that may take part in a ratio, above 0.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn comparable(cell: &CellSummary, speed: Speed) -> Option<f64> {
    let figure = match speed {
        Speed::Elapsed => cell.elapsed_ns.as_ref()?.median as f64,
        Speed::Throughput => cell.throughput_per_s.as_ref()?.median,
    };
    (cell.status == Status::Ok && figure > 0.0 && !cell.flags.contains(&Flag::BelowResolution)).then_some(figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::cell;

    #[test]
    fn above_one_is_faster_than_the_baseline() {
        let ratio = ratio(&cell("a", &[300, 310, 290]), &cell("b", &[100, 150, 90]), Speed::Elapsed).unwrap();
        assert_eq!(ratio, Ratio { value: 3.0, low: None, high: None, confidence: None, bound: None });
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
