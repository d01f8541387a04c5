//! How much a cell has changed: an estimate with an interval, and what it says.

use serde::Serialize;

use crate::stats::interval::ratio_interval;
use crate::stats::summary::{Bound, Ratio, Verdict};
use crate::stats::verdict::verdict;

/// A value, and where it may lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// Probability that the interval covers the truth.
    pub confidence: Option<f64>,
    /// Which side of the value the truth lies on, where a load generator was at its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
}

impl Estimate {
    /// A value of which no more is known.
    #[must_use]
    pub fn bare(value: f64) -> Self {
        Self { value, low: None, high: None, confidence: None, bound: None }
    }

    /// The ratio of two medians, with the exact interval of the runs behind them. `None` where it cannot be taken: a side
    /// is 0.
    #[must_use]
    pub fn of_runs(numerator: (f64, &[f64]), denominator: (f64, &[f64])) -> Option<Self> {
        let value = numerator.0 / denominator.0;
        // A single run a side has an interval of no confidence: that is none.
        let interval = ratio_interval(numerator.1, denominator.1).filter(|interval| interval.confidence > 0.0);
        let estimate = Self {
            value,
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            confidence: interval.map(|interval| interval.confidence),
            bound: None,
        };
        (value.is_finite() && value > 0.0).then_some(estimate)
    }

    /// This over another that is independent of it.
    ///
    /// The interval is recovered from both intervals (Zou and Donner, "Construction of confidence limits about effect
    /// measures: a general approach", Statistics in Medicine 27, 2008): on the scale of logarithms, where a quotient is a
    /// difference, the distances from the value to the ends are added as the sides of a right triangle. With intervals that
    /// are symmetric there it is the usual sum of variances; with skewed ones each end keeps its own width. The
    /// confidence is the lesser of the two.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        let value = self.value / other.value;
        // What a client at its limit hides lies above; below a line it lies on the other side.
        let inverse = other.bound.map(|bound| match bound {
            Bound::AtLeast => Bound::AtMost,
            Bound::AtMost => Bound::AtLeast,
        });
        let bound = self.bound.or(inverse);
        let Some(((down, up), (other_down, other_up))) = self.widths().zip(other.widths()) else {
            return Self { bound, ..Self::bare(value) };
        };
        Self {
            value,
            low: Some(value * (-down.hypot(other_up)).exp()),
            high: Some(value * up.hypot(other_down).exp()),
            confidence: self.confidence.zip(other.confidence).map(|(ours, theirs)| ours.min(theirs)),
            bound,
        }
    }

    /// Distances of the interval's ends from the value, in logarithms; 0 where the value lies outside.
    fn widths(&self) -> Option<(f64, f64)> {
        let (low, high) = self.low.zip(self.high)?;
        Some(((self.value / low).ln().max(0.0), (high / self.value).ln().max(0.0)))
    }

    /// What a change says, where anything not above `floor` is noise. `None` without an interval.
    #[must_use]
    pub fn verdict(&self, floor: f64) -> Option<Verdict> {
        let Self { value, low, high, confidence, bound } = *self;
        low.map(|_| verdict(&Ratio { value, low, high, confidence, bound }, floor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: [f64; 5] = [100.0, 101.0, 99.0, 100.5, 99.5];
    const SLOW: [f64; 5] = [110.0, 111.0, 109.0, 110.5, 109.5];

    fn estimate(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { value, low: Some(low), high: Some(high), confidence: Some(0.968), bound: None }
    }

    #[test]
    fn a_change_of_a_tenth_with_little_noise_is_resolved() {
        let change = Estimate::of_runs((100.0, &FAST), (110.0, &SLOW)).unwrap();
        assert_eq!(change.verdict(0.0), Some(Verdict::Slower));
        assert_eq!(Estimate::of_runs((110.0, &SLOW), (100.0, &FAST)).unwrap().verdict(0.0), Some(Verdict::Faster));
        assert_eq!(Estimate::of_runs((100.0, &FAST), (100.0, &FAST)).unwrap().verdict(0.0), Some(Verdict::Unresolved));
    }

    #[test]
    fn a_change_below_the_floor_is_noise() {
        let change = estimate(0.95, 0.93, 0.97);
        assert_eq!(change.verdict(0.04), Some(Verdict::Slower), "a floor of 4 % reaches down to 0.962");
        assert_eq!(change.verdict(0.06), Some(Verdict::Unresolved));
    }

    #[test]
    fn three_runs_a_side_and_single_values_resolve_nothing() {
        let three = Estimate::of_runs((100.0, &FAST[..3]), (110.0, &SLOW[..3])).unwrap();
        assert_eq!(three.confidence, Some(0.9));
        assert_eq!(three.verdict(0.0), Some(Verdict::Unresolved));
        let one = Estimate::of_runs((100.0, &[100.0]), (200.0, &[200.0])).unwrap();
        assert_eq!((one, one.verdict(0.0)), (Estimate::bare(0.5), None));
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        assert_eq!(Estimate::of_runs((100.0, &FAST), (0.0, &[0.0; 5])), None);
        assert_eq!(Estimate::of_runs((0.0, &[0.0; 5]), (100.0, &FAST)), None);
    }

    #[test]
    fn widths_of_a_ratio_of_ratios_add_like_the_sides_of_a_triangle() {
        // 3 % and 4 % on the scale of logarithms make 5 %.
        let symmetric = |value: f64, width: f64| estimate(value, value * (-width).exp(), value * width.exp());
        let ratio = symmetric(3.0, 0.03).over(&symmetric(2.0, 0.04));
        assert!((ratio.value - 1.5).abs() < 1e-12);
        assert!((ratio.low.unwrap() - 1.5 * (-0.05_f64).exp()).abs() < 1e-12, "{ratio:?}");
        assert!((ratio.high.unwrap() - 1.5 * 0.05_f64.exp()).abs() < 1e-12, "{ratio:?}");
    }

    #[test]
    fn a_skewed_interval_keeps_its_long_side() {
        // The divisor may be much larger: the quotient may be much smaller.
        let ratio = estimate(2.0, 2.0, 2.0).over(&estimate(2.0, 2.0, 3.0));
        assert!((ratio.low.unwrap() - 2.0 / 3.0).abs() < 1e-12 && ratio.high == Some(1.0), "{ratio:?}");
        assert_eq!(Estimate::bare(3.0).over(&estimate(2.0, 1.9, 2.1)), Estimate::bare(1.5), "no interval, none");
    }

    #[test]
    fn a_ratio_of_ratios_covers_the_truth_as_often_as_it_says() {
        // Four cells of five runs with log-normal noise of 3 %, the true ratio of ratios is 1.
        let mut random = fastrand::Rng::with_seed(11);
        let mut normal = move || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let trials = 2_000;
        let covered = (0..trials)
            .filter(|_| {
                let mut runs = |mean: f64| -> Vec<f64> { (0..5).map(|_| mean * (0.03 * normal()).exp()).collect() };
                let mut ratio = || {
                    let (a, b) = (runs(300.0), runs(100.0));
                    let median = |runs: &[f64]| crate::stats::spread::median(runs).unwrap();
                    Estimate::of_runs((median(&a), &a), (median(&b), &b)).unwrap()
                };
                let change = ratio().over(&ratio());
                (change.low.unwrap()..=change.high.unwrap()).contains(&1.0)
            })
            .count();
        let share = f64::from(u32::try_from(covered).unwrap()) / f64::from(trials);
        assert!((0.955..=0.99).contains(&share), "{share}");
    }

    #[test]
    fn a_bound_resolves_only_what_lies_on_its_side() {
        let at = |value, bound| Estimate { bound: Some(bound), ..estimate(value, value * 0.99, value * 1.01) };
        assert_eq!(at(1.2, Bound::AtLeast).verdict(0.0), Some(Verdict::Faster));
        assert_eq!(at(0.8, Bound::AtLeast).verdict(0.0), Some(Verdict::Unresolved));
        assert_eq!(at(0.8, Bound::AtMost).verdict(0.0), Some(Verdict::Slower));
        assert_eq!(at(1.2, Bound::AtMost).verdict(0.0), Some(Verdict::Unresolved));
    }
}
