//! What a request does: it waits, then burns.

use std::time::Duration;

use interpreter_lock::InterpreterLock;
use protocol::{REQUEST_SEEDS, ServeJob};
use workloads::{Burn, Step, Timer, interpreter_lock};

/// What a request does. A clone shares the lock.
#[derive(Debug, Clone)]
pub struct Work {
    io: Duration,
    burn: Burn,
    /// The lock that requests run under.
    pub lock: InterpreterLock,
}

impl Work {
    /// The work of a job's requests, under a lock that nobody has held yet.
    pub fn new(job: &ServeJob) -> Self {
        let lock = interpreter_lock(job.lock, job.switch_interval_ns);
        Self { io: Duration::from_nanos(job.io_ns), burn: Burn { iterations: job.iterations }, lock }
    }

    /// Waits on an event loop.
    #[inline]
    pub async fn wait(&self, timer: &Timer) {
        timer.wait(self.io).await;
    }

    /// Waits on a thread that holds the lock, and lets go of it meanwhile.
    pub fn wait_blocking(&self) {
        if !self.io.is_zero() {
            self.lock.unlocked(|| workloads::sleep(self.io));
        }
    }

    /// Burns for the request with this number on its connection, on a thread that holds the lock.
    #[inline]
    pub fn burn(&self, number: u64) -> u64 {
        self.burn.compute(number % REQUEST_SEEDS, &self.lock).expect("a burn has nothing that can fail")
    }
}
