//! What a ratio says: faster, slower, or nothing that can be told.

use std::fmt;

use super::interval::Interval;
use super::summary::{Bound, Ratio, Verdict};

/// The noise floor that verdicts take where none was ever measured, as a share: 5 %. An assumption, and called one: on
/// shared two-core machines the floors that people report lie between 0.7 and 38 %.
pub const ASSUMED_FLOOR: f64 = 0.05;

/// Why a ratio says nothing. Never that two cells are equal: no number of runs can show that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unresolved {
    /// Even the widest interval covers less than 95 %.
    TooFewRuns,
    /// The interval has 1 in it.
    WithinInterval,
    /// The change is not larger than the noise floor.
    WithinFloor,
    /// The load generator held one side back, so that the true ratio may lie on the other side of 1.
    HeldBack,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooFewRuns => "there are too few runs: 4 a side are the least, 5 are better",
            Self::WithinInterval => "the interval has 1 in it: chance alone may do this",
            Self::WithinFloor => "the change is within the noise floor: two equal cells may differ as much",
            Self::HeldBack => "the load generator held one side back",
        })
    }
}

/// Judges a ratio that is not the baseline's own, with a noise floor as a share.
///
/// # Errors
///
/// Why it says nothing.
pub fn judge(ratio: &Ratio, floor: f64) -> Result<Verdict, Unresolved> {
    let (Some(low), Some(high), Some(confidence)) = (ratio.low, ratio.high, ratio.confidence) else {
        return Err(Unresolved::TooFewRuns);
    };
    let interval = Interval { low, high, confidence };
    if !interval.is_enough() {
        return Err(Unresolved::TooFewRuns);
    }
    if !interval.excludes_one() {
        return Err(Unresolved::WithinInterval);
    }
    let verdict = if low > 1.0 { Verdict::Faster } else { Verdict::Slower };
    // A median on the other side of 1 than the whole interval would be no change that anybody should act on.
    let change = if verdict == Verdict::Faster { ratio.value } else { 1.0 / ratio.value } - 1.0;
    if change <= floor {
        return Err(Unresolved::WithinFloor);
    }
    match (verdict, ratio.bound) {
        (Verdict::Slower, Some(Bound::AtLeast)) | (Verdict::Faster, Some(Bound::AtMost)) => Err(Unresolved::HeldBack),
        _ => Ok(verdict),
    }
}

/// The verdict on a ratio that is not the baseline's own.
#[must_use]
pub fn verdict(ratio: &Ratio, floor: f64) -> Verdict {
    judge(ratio, floor).unwrap_or(Verdict::Unresolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE_AND_FIVE: f64 = 1.0 - 8.0 / 252.0;

    fn ratio(value: f64, low: f64, high: f64) -> Ratio {
        Ratio { value, low: Some(low), high: Some(high), confidence: Some(FIVE_AND_FIVE), bound: None }
    }

    #[test]
    fn a_change_beyond_interval_and_floor_has_a_direction() {
        assert_eq!(judge(&ratio(1.08, 1.05, 1.11), 0.02), Ok(Verdict::Faster));
        assert_eq!(judge(&ratio(0.93, 0.91, 0.95), 0.02), Ok(Verdict::Slower));
        assert_eq!(verdict(&ratio(0.93, 0.91, 0.95), 0.02), Verdict::Slower);
    }

    #[test]
    fn an_interval_with_one_in_it_says_nothing() {
        assert_eq!(judge(&ratio(1.5, 0.99, 2.0), 0.02), Err(Unresolved::WithinInterval));
        assert_eq!(judge(&ratio(0.8, 0.7, 1.0), 0.02), Err(Unresolved::WithinInterval));
        assert_eq!(verdict(&ratio(1.5, 0.99, 2.0), 0.02), Verdict::Unresolved);
    }

    #[test]
    fn a_change_within_the_floor_says_nothing_in_either_direction() {
        assert_eq!(judge(&ratio(1.029, 1.02, 1.04), 0.03), Err(Unresolved::WithinFloor));
        assert_eq!(judge(&ratio(1.031, 1.02, 1.04), 0.03), Ok(Verdict::Faster));
        // 1 / 0.971 is 1.0299: what is slowed down by less than 3 % is within 3 %.
        assert_eq!(judge(&ratio(0.971, 0.96, 0.98), 0.03), Err(Unresolved::WithinFloor));
        assert_eq!(judge(&ratio(0.970, 0.96, 0.98), 0.03), Ok(Verdict::Slower));
    }

    #[test]
    fn three_runs_a_side_are_too_few_however_far_apart_they_are() {
        let three = Ratio { confidence: Some(0.9), ..ratio(9.0, 8.0, 10.0) };
        assert_eq!(judge(&three, 0.02), Err(Unresolved::TooFewRuns));
        let none = Ratio { value: 9.0, low: None, high: None, confidence: None, bound: None };
        assert_eq!(judge(&none, 0.02), Err(Unresolved::TooFewRuns));
        assert_eq!(Unresolved::TooFewRuns.to_string(), "there are too few runs: 4 a side are the least, 5 are better");
    }

    #[test]
    fn a_bound_says_something_only_on_its_own_side() {
        let bound = |bound, value, low, high| judge(&Ratio { bound: Some(bound), ..ratio(value, low, high) }, 0.02);
        assert_eq!(bound(Bound::AtMost, 0.9, 0.88, 0.92), Ok(Verdict::Slower));
        assert_eq!(bound(Bound::AtLeast, 0.9, 0.88, 0.92), Err(Unresolved::HeldBack));
        assert_eq!(bound(Bound::AtLeast, 1.1, 1.08, 1.12), Ok(Verdict::Faster));
        assert_eq!(bound(Bound::AtMost, 1.1, 1.08, 1.12), Err(Unresolved::HeldBack));
    }

    #[test]
    fn a_median_against_its_own_interval_is_no_change() {
        assert_eq!(judge(&ratio(0.99, 1.01, 1.04), 0.005), Err(Unresolved::WithinFloor));
    }
}
