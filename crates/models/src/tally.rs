//! Counting tasks by the thread that did them, where a pool deals them out by itself.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use protocol::Checksum;
use worker::Numbers;

/// A counter for each thread of a pool. Each is written by its own thread only and lies on cache lines of its own, so a
/// task pays no contention for being counted.
#[derive(Debug)]
pub struct Tally {
    counters: Vec<Counter>,
    /// The numbers of the threads.
    pub numbers: Numbers,
}

/// Two cache lines, because processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counter {
    checksum: AtomicU64,
    done: AtomicU64,
}

impl Tally {
    /// A tally for a pool of that many threads.
    pub fn new(threads: usize) -> Self {
        Self { counters: (0..threads).map(|_| Counter::default()).collect(), numbers: Numbers::default() }
    }

    /// Waits until all threads of the pool have begun.
    ///
    /// # Errors
    /// One has not come.
    pub fn wait_until_all_run(&self) -> Result<()> {
        self.numbers.wait_for(self.counters.len())
    }

    /// Counts tasks for a thread of the pool. Only that thread may call it, or one that waits for it meanwhile.
    #[inline]
    pub fn add(&self, thread: usize, checksum: Checksum, done: u64) {
        let counter = &self.counters[thread];
        // No read-modify-write: there is one writer.
        counter.checksum.store(counter.checksum.load(Ordering::Relaxed).wrapping_add(checksum.0), Ordering::Relaxed);
        counter.done.store(counter.done.load(Ordering::Relaxed) + done, Ordering::Relaxed);
    }

    /// The sum of all that was counted.
    pub fn checksum(&self) -> Checksum {
        self.counters.iter().map(|counter| counter.checksum.load(Ordering::Relaxed)).collect()
    }

    /// How many tasks each thread was counted for.
    pub fn by_worker(&self) -> Vec<u64> {
        self.counters.iter().map(|counter| counter.done.load(Ordering::Relaxed)).collect()
    }
}
