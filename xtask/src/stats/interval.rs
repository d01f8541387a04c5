//! The interval of a ratio of two sets of runs, free of assumptions about the shape of the noise.

use super::mann_whitney::MannWhitney;

/// The coverage that an interval has at least, where there are runs enough.
pub const COVERAGE: f64 = 0.95;

/// Where a ratio lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Probability that an interval made like this covers the true ratio.
    pub confidence: f64,
}

impl Interval {
    /// Whether there are runs enough behind it to say anything.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.confidence >= COVERAGE - ROUNDING
    }

    /// Whether it lies on one side of 1.
    #[must_use]
    pub fn excludes_one(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

/// Coverages are quotients of counts: what rounding may have taken.
const ROUNDING: f64 = 1e-12;

/// The Hodges–Lehmann interval of the ratio of two sets of runs: of all quotients of a value of the one and a value of the
/// other, sorted, those that stand equally far from both ends, as far in as leaves [`COVERAGE`] or just above.
///
/// Exact for any number of runs a side, from the distribution of the Mann–Whitney U (Hodges and Lehmann, "Estimates of
/// location based on rank tests", Annals of Mathematical Statistics 34, 1963): with five and five it is the 3rd and the 23rd of
/// 25, which cover in 96.8 %. Where even the widest, from the smallest to the largest quotient, covers less than that, it is
/// the widest with its own confidence: 0 for one run a side. Equal values make it wider than needed, never too narrow.
///
/// `None` where a side is empty, or a value is not finite or not above 0.
#[must_use]
pub fn ratio_interval(numerator: &[f64], denominator: &[f64]) -> Option<Interval> {
    let (upper, lower) = (sorted(numerator)?, sorted(denominator)?);
    let law = MannWhitney::new(upper.len(), lower.len());
    let confidence = |rank: u64| 1.0 - 2.0 * law.at_most(rank - 1);
    // The largest rank that still covers enough; coverage falls as ranks grow.
    let (mut enough, mut too_much) = (1, law.pairs() / 2 + 1);
    while too_much - enough > 1 {
        let rank = enough.midpoint(too_much);
        if confidence(rank) >= COVERAGE - ROUNDING {
            enough = rank;
        } else {
            too_much = rank;
        }
    }
    let [low, high] = quotients(&upper, &lower, [enough, law.pairs() + 1 - enough]);
    let confidence = confidence(enough).max(0.0);
    (low > 0.0 && high.is_finite()).then_some(Interval { low, high, confidence })
}

/// Two-sided p-value of the Mann–Whitney test that two sets of runs come from one distribution.
///
/// It agrees with the interval: [`ratio_interval`] excludes 1 exactly where this is at most one less its confidence. Equal
/// values count for the assumption. `None` as there.
#[must_use]
pub fn p_value(numerator: &[f64], denominator: &[f64]) -> Option<f64> {
    let (upper, lower) = (sorted(numerator)?, sorted(denominator)?);
    let law = MannWhitney::new(upper.len(), lower.len());
    let at_most_one = up_to(&upper, &lower, 1.0);
    let at_least_one = up_to(&lower, &upper, 1.0);
    let minority = at_most_one.min(at_least_one);
    Some(if minority * 2 >= law.pairs() { 1.0 } else { law.two_sided_p(minority) })
}

/// The values in ascending order, if each of them can stand above and below a line.
fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if values.is_empty() || !values.iter().all(|value| value.is_finite() && *value > 0.0) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

/// The quotients that stand at these ranks, from 1 on, among all quotients in ascending order.
fn quotients(upper: &[f64], lower: &[f64], ranks: [u64; 2]) -> [f64; 2] {
    /// Up to here sorting is faster than searching: 20 runs a side.
    const FEW: usize = 400;
    if upper.len() * lower.len() > FEW {
        return ranks.map(|rank| searched(upper, lower, rank));
    }
    let mut all: Vec<f64> = upper.iter().flat_map(|above| lower.iter().map(move |below| above / below)).collect();
    all.sort_unstable_by(f64::total_cmp);
    ranks.map(|rank| all[usize::try_from(rank - 1).expect("a rank of at most 400")])
}

/// The quotient at one rank, found by halving, as the bits of positive numbers are ordered as the numbers are: the
/// quotients are never stored, so that a thousand runs a side need no million of them.
fn searched(upper: &[f64], lower: &[f64], rank: u64) -> f64 {
    let (mut below, mut found) = (0_u64, f64::INFINITY.to_bits());
    while found - below > 1 {
        let middle = below.midpoint(found);
        if up_to(upper, lower, f64::from_bits(middle)) >= rank { found = middle } else { below = middle }
    }
    f64::from_bits(found)
}

/// How many quotients are not above `limit`. Both sides are in ascending order.
fn up_to(upper: &[f64], lower: &[f64], limit: f64) -> u64 {
    // The larger the dividend, the larger the divisor must be.
    let mut first = 0;
    let mut count = 0;
    for dividend in upper {
        first += lower[first..].iter().take_while(|divisor| dividend / **divisor > limit).count();
        count += lower.len() - first;
    }
    count as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(numerator: &[f64], denominator: &[f64]) -> (f64, f64, String) {
        let it = ratio_interval(numerator, denominator).unwrap();
        (it.low, it.high, format!("{:.1} %", it.confidence * 100.0))
    }

    #[test]
    fn five_runs_a_side_give_the_third_and_the_twenty_third_of_25_quotients() {
        // Divided by one: the quotients are the five values, five times each.
        let five = [50.0, 10.0, 40.0, 20.0, 30.0];
        assert_eq!(interval(&five, &[1.0; 5]), (10.0, 50.0, "96.8 %".to_owned()));
        // Powers of two, 1 to 16 over 32^-0 to 32^-4: all 25 quotients differ, and the n-th is 2^(n-1).
        let numerator = [1.0, 2.0, 4.0, 8.0, 16.0];
        let denominator = [0, 5, 10, 15, 20].map(|power| 0.5_f64.powi(power));
        assert_eq!(interval(&numerator, &denominator), (4.0, 4_194_304.0, "96.8 %".to_owned()));
    }

    #[test]
    fn few_runs_have_the_widest_interval_and_its_own_confidence() {
        assert_eq!(interval(&[8.0], &[2.0]), (4.0, 4.0, "0.0 %".to_owned()));
        assert_eq!(interval(&[8.0, 6.0], &[2.0, 1.0]), (3.0, 8.0, "66.7 %".to_owned()));
        assert_eq!(interval(&[8.0, 6.0, 7.0], &[2.0, 1.0, 1.5]), (3.0, 8.0, "90.0 %".to_owned()));
        let four = interval(&[8.0, 6.0, 7.0, 7.5], &[2.0, 1.0, 1.5, 1.7]);
        assert_eq!(four, (3.0, 8.0, "97.1 %".to_owned()), "1 - 2/70");
    }

    #[test]
    fn sides_of_different_length_are_exact_too() {
        // 39 and 1: of 40 places for the one, the two at the ends are outside. That is 95 % exactly.
        let many: Vec<f64> = (1..=39).map(f64::from).collect();
        assert_eq!(interval(&many, &[1.0]), (1.0, 39.0, "95.0 %".to_owned()));
        assert_eq!(interval(&[39.0], &many), (1.0, 39.0, "95.0 %".to_owned()));
    }

    #[test]
    fn equal_runs_have_an_interval_without_width() {
        assert_eq!(interval(&[3.0; 5], &[3.0; 5]), (1.0, 1.0, "96.8 %".to_owned()));
        assert_eq!(p_value(&[3.0; 5], &[3.0; 5]), Some(1.0));
    }

    #[test]
    fn a_thousand_runs_a_side_are_counted_without_storing_a_million_quotients() {
        let values: Vec<f64> = (1..=1_000).map(|i| 1_000.0 + f64::from(i)).collect();
        let double: Vec<f64> = values.iter().map(|value| value * 2.0).collect();
        let it = ratio_interval(&double, &values).unwrap();
        assert!(it.low > 1.9 && it.low < 2.0 && it.high > 2.0 && it.high < 2.1, "{it:?}");
        assert!(it.confidence >= 0.95 && it.confidence < 0.9501, "{it:?}");
    }

    #[test]
    fn sorting_and_searching_find_the_same_quotients() {
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..50 {
            // Few distinct values, so that many quotients are equal.
            let mut side = |runs: usize| {
                let mut side: Vec<f64> = (0..runs).map(|_| 10.0 + f64::from(random.u8(0..9))).collect();
                side.sort_by(f64::total_cmp);
                side
            };
            let (upper, lower) = (side(7), side(4));
            for rank in 1..=28 {
                let [sorted, _] = quotients(&upper, &lower, [rank, 1]);
                assert_eq!(searched(&upper, &lower, rank), sorted, "{rank} of {upper:?} over {lower:?}");
            }
        }
    }

    #[test]
    fn what_is_no_measurement_has_no_interval() {
        for bad in [&[][..], &[0.0], &[-1.0, 2.0], &[f64::NAN, 1.0], &[f64::INFINITY]] {
            assert_eq!(ratio_interval(bad, &[1.0]), None);
            assert_eq!(ratio_interval(&[1.0], bad), None);
            assert_eq!(p_value(bad, &[1.0]), None);
        }
        assert_eq!(ratio_interval(&[f64::MAX], &[f64::MIN_POSITIVE]), None, "a quotient that no number can hold");
    }

    #[test]
    fn equal_values_never_make_a_p_value_smaller_than_chance_does() {
        // Every way to choose five of ten runs: the share of those with a p-value up to p must not be above p.
        let pools = [
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
            [1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0, 5.0],
            [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0],
            [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0],
            [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0],
        ];
        let mut smallest = Vec::new();
        for pool in pools {
            let chosen = (0_u32..1 << 10).filter(|chosen| chosen.count_ones() == 5);
            let mut found: Vec<f64> = chosen
                .map(|chosen| {
                    let side =
                        |bit| -> Vec<f64> { (0..10).filter(|at| chosen >> at & 1 == bit).map(|at| pool[at]).collect() };
                    p_value(&side(0), &side(1)).unwrap()
                })
                .collect();
            found.sort_by(f64::total_cmp);
            assert_eq!(found.len(), 252);
            for (ways, p) in (1_u32..).zip(&found) {
                // Of equal ones the last has all of them behind it.
                let is_last = found.get(ways as usize) != Some(p);
                assert!(!is_last || f64::from(ways) / 252.0 <= p + ROUNDING, "{pool:?}: {p} in {ways} of 252 ways");
            }
            smallest.push(found[0]);
        }
        // Where the runs part between two equal values, nothing can be told.
        assert_eq!(smallest, [2.0 / 252.0, 2.0 / 252.0, 2.0 / 252.0, 1.0, 1.0]);
    }

    #[test]
    fn the_p_value_and_the_interval_say_the_same() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut seen = [0; 2];
        for _ in 0..500 {
            // Few distinct values, so that many are equal.
            let mut side =
                |shift: f64| -> Vec<f64> { (0..5).map(|_| 10.0 + shift + f64::from(random.u8(0..8))).collect() };
            let (a, b) = (side(0.0), side(2.0));
            let it = ratio_interval(&a, &b).unwrap();
            let p = p_value(&a, &b).unwrap();
            assert_eq!(it.excludes_one(), p <= 1.0 - it.confidence + ROUNDING, "{a:?} {b:?}: {it:?} and p = {p}");
            seen[usize::from(it.excludes_one())] += 1;
        }
        assert!(seen.iter().all(|&count| count > 20), "both happened: {seen:?}");
    }
}
