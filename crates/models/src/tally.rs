//! Counting tasks by the thread that did them, where a pool deals them out by itself.

use std::{
    cell::Cell,
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Result, ensure};
use protocol::Checksum;

/// How long a thread may take to start.
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    /// The number of this thread in its pool.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// A counter for each thread of a pool. Each is written by its own thread only and lies on cache lines of its own, so a
/// task pays no contention for being counted.
#[derive(Debug)]
pub struct Tally {
    counters: Vec<Counter>,
    numbered: AtomicUsize,
    running: Mutex<usize>,
    one_more: Condvar,
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
        Self {
            counters: (0..threads).map(|_| Counter::default()).collect(),
            numbered: AtomicUsize::new(0),
            running: Mutex::new(0),
            one_more: Condvar::new(),
        }
    }

    /// Numbers the calling thread; each thread of the pool calls it once, first of all.
    pub fn enter(&self) {
        NUMBER.set(self.numbered.fetch_add(1, Ordering::Relaxed));
    }

    /// Says that the calling thread has begun to work for the pool; each calls it once.
    pub fn begin(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.one_more.notify_all();
    }

    /// Waits until all threads of the pool have begun.
    ///
    /// # Errors
    /// One has not come for ten seconds: tokio does not tell when the system refuses it a thread.
    pub fn wait_until_all_run(&self) -> Result<()> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = |running: &mut usize| *running < self.counters.len();
        let (running, waited) =
            self.one_more.wait_timeout_while(running, PATIENCE, missing).unwrap_or_else(PoisonError::into_inner);
        ensure!(!waited.timed_out(), "only {running} of the pool's {} threads have started", self.counters.len());
        Ok(())
    }

    /// Counts tasks for a thread of the pool. Only that thread may call it, or one that waits for it meanwhile.
    #[inline]
    pub fn add(&self, thread: usize, checksum: Checksum, done: u64) {
        let counter = &self.counters[thread];
        // No read-modify-write: there is one writer.
        counter.checksum.store(counter.checksum.load(Ordering::Relaxed).wrapping_add(checksum.0), Ordering::Relaxed);
        counter.done.store(counter.done.load(Ordering::Relaxed) + done, Ordering::Relaxed);
    }

    /// The number that [`Tally::enter`] gave to the calling thread.
    #[inline]
    pub fn number() -> usize {
        NUMBER.get()
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
