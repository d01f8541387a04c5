//! Holm's correction: what still stands where many cells are compared at once.

use super::interval::COVERAGE;

/// Which of these p-values stand, with a chance of 5 % that any at all stands by luck alone.
///
/// From the smallest on, the first of `m` must not be above 5 % / m, the next not above 5 % / (m − 1), and so on to the first
/// that is (Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "comparisons are few")]
pub fn standing(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut standing = vec![false; p_values.len()];
    for (rank, &index) in order.iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        if p_values[index] > (1.0 - COVERAGE) / left + 1e-12 {
            break;
        }
        standing[index] = true;
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_p_value_has_the_hardest_test() {
        assert_eq!(standing(&[0.04, 0.01, 0.02]), [true, true, true], "0.01 ≤ 0.05/3, 0.02 ≤ 0.05/2, 0.04 ≤ 0.05");
        assert_eq!(
            standing(&[0.03, 0.01, 0.04]),
            [false, true, false],
            "0.03 > 0.05/2, and all behind it fall with it"
        );
        assert_eq!(standing(&[0.02, 0.03, 0.04]), [false, false, false]);
        assert_eq!(standing(&[]), Vec::<bool>::new());
    }

    #[test]
    fn five_runs_a_side_cannot_stand_beyond_six_comparisons() {
        // 2 of 252 orders are as one-sided as can be.
        let smallest = 2.0 / 252.0;
        assert_eq!(standing(&[smallest; 6]), [true; 6]);
        assert_eq!(standing(&[smallest; 7]), [false; 7]);
    }
}
