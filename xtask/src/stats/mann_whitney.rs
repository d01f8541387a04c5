//! The distribution of the Mann–Whitney U: of all pairs of a run of one side and a run of the other, how many come out
//! one way. What an interval is made from and what a p-value is. Nothing here knows what was measured.

use std::f64::consts::PI;

/// How U is distributed where both sides come from one distribution without ties, and every order of the runs is equally
/// likely.
///
/// The number of orders in which U is `u` is the coefficient of `q^u` in the Gaussian binomial coefficient of `m + n`
/// over `m` (Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than the other",
/// Annals of Mathematical Statistics 18, 1947). They are counted where they fit into 128 bits, which is up to 62 runs a side;
/// beyond that the same distribution is summed from its characteristic function, exact but for rounding.
#[derive(Debug)]
pub struct MannWhitney {
    pairs: u64,
    law: Law,
}

#[derive(Debug)]
enum Law {
    /// Orders with U up to the index, up to half of the pairs; and all orders.
    Counted { up_to: Vec<u128>, all: u128 },
    /// Values of the characteristic function of U less its mean, at `2π·j / (pairs + 1)` for `j` = 1, 2, …
    Transformed { values: Vec<f64> },
}

impl MannWhitney {
    /// U of so many runs on the one side and so many on the other, at least one each.
    #[must_use]
    pub fn new(m: usize, n: usize) -> Self {
        let (few, many) = (m.min(n) as u64, m.max(n) as u64);
        let pairs = few * many;
        let law = match binomial(few + many, few) {
            Some(all) => Law::Counted { up_to: counts_up_to(few, many), all },
            None => Law::Transformed { values: characteristic(few, many) },
        };
        Self { pairs, law }
    }

    /// The number of pairs, which is the largest U.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Probability that U is not above `u`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "shares of counts, good to 16 digits")]
    pub fn at_most(&self, u: u64) -> f64 {
        if u >= self.pairs {
            return 1.0;
        }
        // U is symmetric: as many orders have `u` as have `pairs - u`.
        if u > self.pairs / 2 {
            return 1.0 - self.at_most(self.pairs - u - 1);
        }
        match &self.law {
            Law::Counted { up_to, all } => up_to[index(u)] as f64 / *all as f64,
            Law::Transformed { values } => self.invert(values, u),
        }
    }

    /// Two-sided p-value of `u` pairs one way: how likely chance alone is to be as one-sided as that, or more.
    #[must_use]
    pub fn two_sided_p(&self, u: u64) -> f64 {
        (2.0 * self.at_most(u.min(self.pairs.saturating_sub(u)))).min(1.0)
    }

    /// The sum of the probabilities of 0 to `u`, from the finite Fourier transform.
    #[expect(clippy::cast_precision_loss, reason = "pairs are far below 2^53")]
    fn invert(&self, values: &[f64], u: u64) -> f64 {
        let points = (self.pairs + 1) as f64;
        let mut sum = (u + 1) as f64;
        for (j, value) in values.iter().enumerate() {
            let half = PI * (j + 1) as f64 / points;
            let kernel = (half * (self.pairs - u) as f64).cos() * (half * (u + 1) as f64).sin() / half.sin();
            sum += 2.0 * value * kernel;
        }
        (sum / points).clamp(0.0, 1.0)
    }
}

/// `n` over `k`, where it is below 2^128.
fn binomial(n: u64, k: u64) -> Option<u128> {
    let mut value: u128 = 1;
    for i in 1..=k {
        // The division leaves no rest: this is `n - k + i` over `i`.
        value = value.checked_mul(u128::from(n - k + i))? / u128::from(i);
    }
    Some(value)
}

/// Coefficients of `Π (1 - q^(many + i)) / (1 - q^i)`, added up, up to half of the pairs.
///
/// Numbers wrap on the way, which does no harm: the coefficients fit, and are right modulo 2^128.
fn counts_up_to(few: u64, many: u64) -> Vec<u128> {
    let mut counts = vec![0_u128; index(few * many / 2) + 1];
    counts[0] = 1;
    for i in 1..=few {
        let (factor, divisor) = (index(many + i), index(i));
        for u in (factor..counts.len()).rev() {
            counts[u] = counts[u].wrapping_sub(counts[u - factor]);
        }
        for u in divisor..counts.len() {
            counts[u] = counts[u].wrapping_add(counts[u - divisor]);
        }
    }
    for u in 1..counts.len() {
        counts[u] += counts[u - 1];
    }
    counts
}

/// `Π [sin((many + i)t/2) / (many + i)] / [sin(it/2) / i]` at the points of the transform, as far as it is above rounding.
#[expect(clippy::cast_precision_loss, reason = "runs are far below 2^53")]
fn characteristic(few: u64, many: u64) -> Vec<f64> {
    let pairs = few * many;
    let value = |j: u64| -> f64 {
        let half = PI * j as f64 / (pairs + 1) as f64;
        let sinc = |k: u64| (half * k as f64).sin() / k as f64;
        (1..=few).map(|i| sinc(many + i) / sinc(i)).product()
    };
    (1..=pairs / 2).map(value).take_while(|value| value.abs() > 1e-18).collect()
}

fn index(u: u64) -> usize {
    usize::try_from(u).expect("as many counts as there are pairs fit into memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest U whose one-sided probability is not above `share`: what tables call the critical value.
    fn critical(m: usize, n: usize, share: f64) -> Option<u64> {
        let law = MannWhitney::new(m, n);
        (0..=law.pairs()).take_while(|&u| law.at_most(u) <= share).last()
    }

    #[test]
    fn five_and_five_runs_have_252_orders_of_which_four_have_u_up_to_two() {
        let law = MannWhitney::new(5, 5);
        assert_eq!(law.pairs(), 25);
        for (u, orders) in [(0, 1.0), (1, 2.0), (2, 4.0), (3, 7.0), (12, 126.0), (24, 251.0), (25, 252.0)] {
            assert!((law.at_most(u) - orders / 252.0).abs() < 1e-15, "{u}");
        }
        assert!((law.two_sided_p(0) - 2.0 / 252.0).abs() < 1e-15);
        assert!((law.two_sided_p(25) - 2.0 / 252.0).abs() < 1e-15);
        assert_eq!(law.two_sided_p(12), 1.0);
    }

    #[test]
    fn critical_values_are_those_of_published_tables() {
        // Two-sided 5 %, the largest U that is significant: the table at numeracy-bank.net/?q=t/stt/mwu/3, which is the one
        // that textbooks print for 1 to 20 runs a side.
        let at_5_percent = [
            (3, 5, Some(0)),
            (4, 4, Some(0)),
            (4, 5, Some(1)),
            (5, 5, Some(2)),
            (5, 6, Some(3)),
            (6, 6, Some(5)),
            (7, 7, Some(8)),
            (8, 8, Some(13)),
            (9, 9, Some(17)),
            (10, 10, Some(23)),
            (12, 12, Some(37)),
            (15, 15, Some(64)),
            (13, 16, Some(59)),
            (20, 20, Some(127)),
            (2, 8, Some(0)),
            (3, 20, Some(8)),
            (3, 3, None),
            (2, 7, None),
        ];
        for (m, n, u) in at_5_percent {
            assert_eq!(critical(m, n, 0.025), u, "{m} and {n} runs at 5 %");
        }
    }

    #[test]
    fn both_ways_of_counting_give_the_same_distribution() {
        for (m, n) in [(60, 60), (40, 80), (62, 62)] {
            let counted = MannWhitney::new(m, n);
            assert!(matches!(counted.law, Law::Counted { .. }));
            let transformed = MannWhitney {
                pairs: counted.pairs,
                law: Law::Transformed { values: characteristic(m.min(n) as u64, m.max(n) as u64) },
            };
            for share in [0.25, 0.3, 0.4, 0.45, 0.5, 0.6] {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
                let u = (counted.pairs as f64 * share) as u64;
                let (a, b) = (counted.at_most(u), transformed.at_most(u));
                assert!((a - b).abs() < 1e-12, "{m} and {n} runs, U up to {u}: {a} and {b}");
            }
        }
    }

    #[test]
    fn a_thousand_runs_a_side_are_no_trouble() {
        let law = MannWhitney::new(1_000, 1_000);
        assert!(matches!(law.law, Law::Transformed { .. }));
        // Half of the pairs, and 1.96 standard deviations below, where a normal distribution has 2.5 %.
        assert!((law.at_most(499_999) - 0.5).abs() < 1e-4);
        assert!((law.at_most(474_690) - 0.025).abs() < 1e-4);
        assert_eq!((law.at_most(1_000_000), law.at_most(0) < 1e-12), (1.0, true));
    }

    #[test]
    fn one_run_a_side_tells_nothing() {
        let law = MannWhitney::new(1, 1);
        assert_eq!((law.at_most(0), law.at_most(1), law.two_sided_p(0)), (0.5, 1.0, 1.0));
    }
}
