//! The numbers of the threads of a pool that a runtime starts by itself.

use std::{
    cell::Cell,
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Result, ensure};

/// How long a thread may take to start.
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    /// The number of this thread in its pool.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// Numbers the threads of one pool, from 0 on, and knows how many of them have begun.
#[derive(Debug, Default)]
pub struct Numbers {
    entered: AtomicUsize,
    begun: Mutex<usize>,
    one_more: Condvar,
}

impl Numbers {
    /// Numbers the calling thread; each thread of the pool calls it once, first of all.
    pub fn enter(&self) {
        NUMBER.set(self.entered.fetch_add(1, Ordering::Relaxed));
    }

    /// Says that the calling thread has begun to work for the pool; each calls it once.
    pub fn begin(&self) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.one_more.notify_all();
    }

    /// The number that [`Numbers::enter`] gave to the calling thread.
    #[inline]
    #[must_use]
    pub fn own() -> usize {
        NUMBER.get()
    }

    /// Waits until that many threads have begun.
    ///
    /// # Errors
    /// One has not come for ten seconds: tokio does not tell when the system refuses it a thread.
    pub fn wait_for(&self, threads: usize) -> Result<()> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let (begun, waited) = self
            .one_more
            .wait_timeout_while(begun, PATIENCE, |begun| *begun < threads)
            .unwrap_or_else(PoisonError::into_inner);
        ensure!(!waited.timed_out(), "only {begun} of the pool's {threads} threads have started");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_have_the_numbers_from_0_on_and_all_are_waited_for() {
        let numbers = Numbers::default();
        thread::scope(|scope| {
            let threads = [(); 3].map(|()| {
                scope.spawn(|| {
                    numbers.enter();
                    numbers.begin();
                    Numbers::own()
                })
            });
            numbers.wait_for(3).unwrap();
            let mut own = threads.map(|thread| thread.join().unwrap());
            own.sort_unstable();
            assert_eq!(own, [0, 1, 2]);
        });
    }
}
