//! How much faster a cell is than its baseline.

use super::summary::{CellSummary, Flag, Ratio, Status};

/// The baseline's median over the cell's: above 1 is faster than the baseline.
///
/// `None` where either was not measured, or is too short for the clock: nothing is divided by zero, and noise is not
/// reported as speed.
#[must_use]
pub fn ratio(baseline: &CellSummary, cell: &CellSummary) -> Option<Ratio> {
    Some(Ratio { value: comparable(baseline)? / comparable(cell)?, low: None, high: None, confidence: None })
}

/// The median of a cell that may take part in a ratio, in nanoseconds and above 0.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn comparable(cell: &CellSummary) -> Option<f64> {
    let median = cell.elapsed_ns.as_ref()?.median;
    (cell.status == Status::Ok && median > 0 && !cell.flags.contains(&Flag::BelowResolution)).then_some(median as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::cell;

    #[test]
    fn above_one_is_faster_than_the_baseline() {
        let ratio = ratio(&cell("a", &[300, 310, 290]), &cell("b", &[100, 150, 90])).unwrap();
        assert_eq!(ratio, Ratio { value: 3.0, low: None, high: None, confidence: None });
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        assert_eq!(ratio(&cell("a", &[300]), &cell("b", &[0])), None);
        assert_eq!(ratio(&cell("a", &[0]), &cell("b", &[300])), None);
    }

    #[test]
    fn a_cell_that_failed_or_is_too_short_has_no_ratio() {
        let good = cell("a", &[300]);
        let mut failed = cell("b", &[100]);
        failed.status = Status::Failed;
        let mut short = cell("c", &[100]);
        short.flags.push(Flag::BelowResolution);
        assert_eq!(ratio(&good, &failed), None);
        assert_eq!(ratio(&failed, &good), None);
        assert_eq!(ratio(&good, &short), None);
    }
}
