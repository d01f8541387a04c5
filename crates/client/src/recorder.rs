//! A latency histogram while it is filled: HDR with three digits, and the exact maximum beside it.

use hdrhistogram::Histogram as Hdr;
use protocol::Histogram;

/// Significant decimal digits that are kept of every value.
const DIGITS: u8 = 3;

/// A histogram that grows with its largest value. One a thread; merged at the end.
#[derive(Debug, Clone)]
pub struct Recorder {
    buckets: Hdr<u64>,
    // The buckets know their largest value only to three digits.
    max_ns: u64,
}

impl Recorder {
    /// An empty histogram.
    #[must_use]
    pub fn new() -> Self {
        Self { buckets: Hdr::new(DIGITS).expect("three digits are allowed"), max_ns: 0 }
    }

    /// Takes in a value.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.buckets.record(ns).expect("it grows by itself, up to the largest number");
        self.max_ns = self.max_ns.max(ns);
    }

    /// Takes in another histogram.
    pub fn add(&mut self, other: &Self) {
        self.buckets.add(&other.buckets).expect("it grows by itself");
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.len()
    }

    /// The histogram as it goes onto the wire: whole.
    #[must_use]
    pub fn to_wire(&self) -> Histogram {
        Histogram {
            count: self.buckets.len(),
            max_ns: self.max_ns,
            buckets: self
                .buckets
                .iter_recorded()
                .map(|step| (step.value_iterated_to(), step.count_at_value()))
                .collect(),
        }
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_keeps_three_digits_and_its_exact_maximum() {
        let mut recorder = Recorder::new();
        for ns in [0, 1, 1500, 1500, 1_234_567] {
            recorder.record(ns);
        }
        let wire = recorder.to_wire();
        assert_eq!((wire.count, wire.max_ns), (5, 1_234_567));
        // 1,234,567 lies in a bucket 1,024 wide.
        assert_eq!(wire.buckets, [(0, 1), (1, 1), (1500, 2), (1_234_943, 1)]);
    }

    #[test]
    fn merged_histograms_are_that_of_all_values() {
        let values: Vec<u64> = (1..=1000).map(|i| i * i * 37).collect();
        let record = |values: &[u64]| {
            let mut recorder = Recorder::new();
            values.iter().for_each(|&ns| recorder.record(ns));
            recorder
        };
        let (small, large) = values.split_at(300);
        let mut merged = record(small);
        merged.add(&record(large));
        assert_eq!(merged.to_wire(), record(&values).to_wire());
        assert_eq!(merged.to_wire().quantile_ns(1.0), Some(37_000_000));
    }

    #[test]
    fn a_value_of_many_hours_fits() {
        let mut recorder = Recorder::new();
        recorder.record(u64::MAX);
        assert_eq!(recorder.to_wire().max_ns, u64::MAX);
        assert_eq!(recorder.count(), 1);
    }
}
