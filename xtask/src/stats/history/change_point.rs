//! Where a series of ratios changed for good.
//!
//! The rule is Pettitt's test (A. N. Pettitt, "A non-parametric approach to the change-point problem", Applied Statistics 28,
//! 1979): rank all values of the series; of all places where it could be cut, take the one where the ranks on both sides
//! differ most; call it a change where chance alone, in a series without any, would give so large a difference in at
//! most 1 % of series. Then both parts are searched the same way.
//!
//! Ranks know nothing of the shape of the noise, and take how much results differ from one day to the next from the
//! series itself. The price: at least ten results are needed, as of nine even those that rise all the way have a chance of
//! more than 1 %. And as one cut is looked for at a time, a rise that was taken back is seen only if it lasted long. For two
//! results there is `compare`.

use serde::Serialize;

use crate::stats::floor::LEAST;
use crate::stats::spread::median;

/// Where a series changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChangePoint {
    /// Index of the first point after the change.
    pub at: usize,
    /// Median of the points before it, back to the previous change.
    pub before: f64,
    /// Median of the points after it, up to the next change.
    pub after: f64,
}

/// The fewest points that a change can be found in.
const FEWEST: usize = 10;

/// For 10, 11, … points: the smallest statistic that chance alone reaches in at most 1 % of series. From four million random
/// orders each.
const CRITICAL: [u64; 41] = [
    25, 29, 34, 39, 44, 49, 54, 59, 65, 71, 76, 83, 88, 95, 101, 107, 115, 121, 129, 135, 143, 151, 158, 165, 174, 181,
    190, 197, 206, 215, 223, 231, 240, 249, 258, 267, 276, 285, 295, 305, 314,
];

/// The changes of a series, oldest first. Changes below [`LEAST`] are none, however sure they are.
#[must_use]
pub fn find(values: &[f64]) -> Vec<ChangePoint> {
    let mut cuts = Vec::new();
    search(values, 0, &mut cuts);
    cuts.sort_unstable();
    let mut changes = Vec::new();
    let mut start = 0;
    for (index, &cut) in cuts.iter().enumerate() {
        let end = cuts.get(index + 1).copied().unwrap_or(values.len());
        let (Some(before), Some(after)) = (median(&values[start..cut]), median(&values[cut..end])) else { continue };
        if (after / before).max(before / after) - 1.0 > LEAST {
            changes.push(ChangePoint { at: cut, before, after });
            start = cut;
        }
    }
    changes
}

/// Cuts where the test says so, and searches both parts.
fn search(values: &[f64], offset: usize, cuts: &mut Vec<usize>) {
    let Some((cut, statistic)) = most_different(values) else { return };
    if statistic < critical(values.len()) {
        return;
    }
    cuts.push(offset + cut);
    search(&values[..cut], offset, cuts);
    search(&values[cut..], offset + cut, cuts);
}

/// Where to cut, and Pettitt's statistic there: |2 Σ ranks − t (n + 1)| for the first `t` values. `None` for too few values.
fn most_different(values: &[f64]) -> Option<(usize, f64)> {
    if values.len() < FEWEST {
        return None;
    }
    let n = values.len() as f64;
    let mut sum = 0.0;
    let at = |(index, rank): (usize, f64)| {
        sum += 2.0 * rank - (n + 1.0);
        (index + 1, f64::abs(sum))
    };
    // The last is the whole series, where the sum is 0.
    ranks(values).into_iter().enumerate().map(at).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
}

/// Ranks from 1 on; equal values share the mean of theirs, which makes a change harder to see, never easier.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    while first < order.len() {
        let equal = order[first..].iter().take_while(|&&index| values[index] == values[order[first]]).count();
        let last = first + equal.max(1);
        for &index in &order[first..last] {
            ranks[index] = (first + 1 + last) as f64 / 2.0;
        }
        first = last;
    }
    ranks
}

/// What the statistic has to reach. Beyond the table Pettitt's own approximation p ≈ 2 exp(−6 K² / (n³ + n²)), which is on
/// the safe side.
fn critical(n: usize) -> f64 {
    const LEVEL: f64 = 0.01;
    if let Some(known) = n.checked_sub(FEWEST).and_then(|index| CRITICAL.get(index)) {
        return *known as f64;
    }
    let n = n as f64;
    (-(LEVEL / 2.0).ln() * (n.powi(3) + n.powi(2)) / 6.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise of 2 % around a level.
    fn noisy(random: &mut fastrand::Rng, level: f64, count: usize) -> Vec<f64> {
        let normal = |random: &mut fastrand::Rng| (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        (0..count).map(|_| level * (0.02 * normal(random)).exp()).collect()
    }

    #[test]
    fn ten_results_in_two_levels_are_the_fewest_that_show_a_change() {
        let step: Vec<f64> = [1.95, 1.96, 1.94, 1.97, 1.95, 1.71, 1.70, 1.72, 1.69, 1.71].to_vec();
        assert_eq!(find(&step), [ChangePoint { at: 5, before: 1.95, after: 1.71 }]);
        assert_eq!(find(&step[..9]), [], "nine say nothing");
        assert_eq!(find(&[]), []);
    }

    #[test]
    fn one_bad_day_is_no_change() {
        let mut values = vec![1.95; 20];
        values[12] = 0.9;
        assert_eq!(find(&values), []);
    }

    #[test]
    fn two_steps_are_two_changes() {
        let mut random = fastrand::Rng::with_seed(3);
        let values = [1.9, 2.4, 3.0].map(|level| noisy(&mut random, level, 15)).concat();
        let places: Vec<usize> = find(&values).iter().map(|change| change.at).collect();
        assert_eq!(places, [15, 30]);
    }

    #[test]
    fn a_rise_that_was_taken_back_is_seen_only_if_it_lasted_long() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut places = |count| -> Vec<usize> {
            let values = [1.9, 2.4, 1.9].map(|level| noisy(&mut random, level, count)).concat();
            find(&values).iter().map(|change| change.at).collect()
        };
        assert_eq!(places(15), [0; 0], "one cut does not part three levels of which two are equal");
        assert_eq!(places(40), [40, 80]);
    }

    #[test]
    fn a_change_of_half_a_percent_is_not_worth_a_word() {
        let values: Vec<f64> = (0..30).map(|day| if day < 15 { 2.000 } else { 2.010 }).collect();
        assert_eq!(find(&values), []);
        let values: Vec<f64> = (0..30).map(|day| if day < 15 { 2.000 } else { 2.040 }).collect();
        assert_eq!(find(&values).len(), 1);
    }

    #[test]
    fn series_without_a_change_show_one_in_a_hundred_at_most() {
        let mut random = fastrand::Rng::with_seed(7);
        // Ranks do not see the shape of the noise: any will do.
        let mut series = |count| -> Vec<f64> { (0..count).map(|_| 1.9 + random.f64()).collect() };
        for count in [10, 20, 50, 80] {
            let trials = 2_000;
            let alarms = (0..trials).filter(|_| !find(&series(count)).is_empty()).count();
            assert!(alarms <= 30, "{alarms} of {trials} series of {count}: 20 are expected at 1 %");
        }
    }

    #[test]
    fn a_change_of_twice_the_noise_is_seen_in_most_series() {
        let mut random = fastrand::Rng::with_seed(9);
        let trials = 500;
        let seen = (0..trials)
            .filter(|_| {
                let mut values = noisy(&mut random, 2.0, 10);
                values.extend(noisy(&mut random, 2.08, 10));
                find(&values).iter().any(|change| (8..=12).contains(&change.at))
            })
            .count();
        assert!(seen >= 380, "{seen} of {trials}: about 400 are expected");
    }
}
