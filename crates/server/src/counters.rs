//! Who answered how many requests and took how many connections.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// A counter for each worker. They lie on cache lines of their own, so that workers do not slow each other down by
/// being counted.
#[derive(Debug, Clone)]
pub struct Counters(Arc<[Counter]>);

/// Two cache lines, because processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counter(AtomicU64);

impl Counters {
    /// Counters of that many workers.
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| Counter::default()).collect())
    }

    /// Counts one for a worker.
    #[inline]
    pub fn add(&self, worker: usize) {
        // The order is nobody's concern: the numbers are read when the load is over.
        self.0[worker].0.fetch_add(1, Ordering::Relaxed);
    }

    /// The counts by worker.
    pub fn values(&self) -> Vec<u64> {
        self.0.iter().map(|counter| counter.0.load(Ordering::Relaxed)).collect()
    }
}
