//! What the threads of a pool do for an event loop that offloads: one burn, under the interpreter lock.

use crate::{answer::digits, counters::Counters, work::Work};

/// Burns and counts.
pub struct Burner {
    /// What a request does.
    pub work: Work,
    /// Requests answered, by thread of the pool.
    pub requests: Counters,
}

impl Burner {
    /// Burns for the request with this number on its connection. The answer carries the number of the `worker`, the calling
    /// thread.
    pub fn burn(&self, number: u64, worker: usize) -> [u8; 8] {
        let result = {
            let _held = self.work.lock.hold();
            self.work.burn(number)
        };
        self.requests.add(worker);
        digits(worker, result)
    }
}
