//! Latency histograms of several runs as one, and the percentiles that there are enough requests for.

use std::collections::BTreeMap;

use protocol::Histogram;

use super::summary::Percentiles;

/// Fewest values behind a 95th percentile: 10 lie above it.
pub const P95_WANTS: u64 = 200;

/// Fewest values behind a 99th percentile: 10 lie above it.
pub const P99_WANTS: u64 = 1_000;

/// Fewest values behind a 99.9th percentile: 10 lie above it.
pub const P999_WANTS: u64 = 10_000;

/// All values of these histograms in one. Nothing is lost: buckets of the same value are added, `max_ns` stays exact.
#[must_use]
pub fn merge<'a>(histograms: impl IntoIterator<Item = &'a Histogram>) -> Histogram {
    let mut merged = Histogram::default();
    let mut buckets: BTreeMap<u64, u64> = BTreeMap::new();
    for histogram in histograms {
        merged.count += histogram.count;
        merged.max_ns = merged.max_ns.max(histogram.max_ns);
        for (value, count) in &histogram.buckets {
            *buckets.entry(*value).or_default() += count;
        }
    }
    merged.buckets = buckets.into_iter().collect();
    merged
}

/// The percentiles of a histogram; `None` where it is empty.
#[must_use]
pub fn percentiles(histogram: &Histogram) -> Option<Percentiles> {
    let at = |share: f64, wants: u64| (histogram.count >= wants).then(|| histogram.quantile_ns(share)).flatten();
    (histogram.count > 0).then(|| Percentiles {
        p50: at(0.50, 1),
        p95: at(0.95, P95_WANTS),
        p99: at(0.99, P99_WANTS),
        p999: at(0.999, P999_WANTS),
        max: histogram.max_ns,
        count: histogram.count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::histogram;

    #[test]
    fn merging_adds_buckets_of_the_same_value_and_keeps_the_largest() {
        let first = Histogram { count: 6, max_ns: 298, buckets: vec![(100, 5), (300, 1)] };
        let second = Histogram { count: 4, max_ns: 210, buckets: vec![(100, 1), (200, 2), (212, 1)] };
        assert_eq!(
            merge([&first, &second]),
            Histogram { count: 10, max_ns: 298, buckets: vec![(100, 6), (200, 2), (212, 1), (300, 1)] }
        );
    }

    #[test]
    fn merging_with_nothing_changes_nothing() {
        let one = histogram(&[(100, 5), (300, 1)]);
        assert_eq!(merge([&Histogram::default(), &one]), one);
        assert_eq!(merge([]), Histogram::default());
    }

    #[test]
    fn a_percentile_wants_enough_requests() {
        let known = |count: u64| {
            let p = percentiles(&histogram(&[(100, count)])).unwrap();
            [p.p50, p.p95, p.p99, p.p999].map(|p| p.is_some())
        };
        assert_eq!(known(1), [true, false, false, false]);
        assert_eq!(known(199), [true, false, false, false]);
        assert_eq!(known(200), [true, true, false, false]);
        assert_eq!(known(999), [true, true, false, false]);
        assert_eq!(known(1_000), [true, true, true, false]);
        assert_eq!(known(9_999), [true, true, true, false]);
        assert_eq!(known(10_000), [true, true, true, true]);
    }

    #[test]
    fn percentiles_of_merged_runs_are_those_of_all_requests_together() {
        // Apart, the medians are 100 and 300; of all 1,000 requests the 500th took 100.
        let merged = merge([&histogram(&[(100, 600)]), &histogram(&[(300, 390), (900, 10)])]);
        let p = percentiles(&merged).unwrap();
        assert_eq!((p.p50, p.p95, p.p99, p.max, p.count), (Some(100), Some(300), Some(300), 900, 1_000));
    }

    #[test]
    fn no_requests_have_no_percentiles() {
        assert_eq!(percentiles(&Histogram::default()), None);
    }
}
