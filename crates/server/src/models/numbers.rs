//! The numbers of the threads of a pool that starts them itself.

use std::{
    cell::Cell,
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Result, ensure};

/// How long a thread may take to start.
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// Numbers the threads of one pool.
#[derive(Debug, Default)]
pub struct Numbers {
    running: Mutex<usize>,
    one_more: Condvar,
}

impl Numbers {
    /// Numbers the calling thread; each thread of the pool calls it once, first of all.
    pub fn enter(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        NUMBER.set(*running);
        *running += 1;
        self.one_more.notify_all();
    }

    /// The number of the calling thread.
    #[inline]
    pub fn own() -> usize {
        NUMBER.get()
    }

    /// Waits until that many threads have entered.
    ///
    /// # Errors
    /// One has not come for ten seconds: tokio does not tell when the system refuses it a thread.
    pub fn wait_for(&self, threads: usize) -> Result<()> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let (running, waited) = self
            .one_more
            .wait_timeout_while(running, PATIENCE, |running| *running < threads)
            .unwrap_or_else(PoisonError::into_inner);
        ensure!(!waited.timed_out(), "only {running} of the pool's {threads} threads have started");
        Ok(())
    }
}
