//! A latency histogram on the wire: kept whole, readable in any language.

use serde::{Deserialize, Serialize};

/// Counts of values in nanoseconds, at a precision of three significant digits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// How many values there are.
    pub count: u64,
    /// The largest value, exact; 0 where there is none.
    pub max_ns: u64,
    /// `[value, count]` in ascending order of values, counts above 0 only. A value is the upper end of its bucket.
    pub buckets: Vec<(u64, u64)>,
}

impl Histogram {
    /// The smallest value that at least this share of the values, from 0 to 1, does not exceed; `None` where there is
    /// no value. Never above `max_ns`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank")]
    pub fn quantile_ns(&self, share: f64) -> Option<u64> {
        let rank = ((share.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        self.buckets
            .iter()
            .find(|(_, count)| {
                seen += count;
                seen >= rank
            })
            .map(|(value, _)| (*value).min(self.max_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_value_at_its_rank() {
        let histogram = Histogram { count: 10, max_ns: 1000, buckets: vec![(100, 5), (200, 4), (1003, 1)] };
        assert_eq!(histogram.quantile_ns(0.5), Some(100));
        assert_eq!(histogram.quantile_ns(0.51), Some(200));
        assert_eq!(histogram.quantile_ns(0.9), Some(200));
        assert_eq!(histogram.quantile_ns(1.0), Some(1000));
    }

    #[test]
    fn an_empty_histogram_has_no_quantile() {
        assert_eq!(Histogram::default().quantile_ns(0.5), None);
    }
}
