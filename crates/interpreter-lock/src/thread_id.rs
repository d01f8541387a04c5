//! Which thread this is, for less than `std::thread::current()` costs.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other thread of this process has or had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadId(u64);

impl ThreadId {
    /// The calling thread's id. It works to the very end of a thread: there is no destructor that could have run.
    pub(crate) fn current() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        thread_local! {
            static CURRENT: ThreadId = ThreadId(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        CURRENT.with(|id| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_its_id_and_shares_it_with_no_other() {
        let here = ThreadId::current();
        let there = std::thread::spawn(ThreadId::current).join().unwrap();
        assert_eq!(here, ThreadId::current());
        assert_ne!(here, there);
    }
}
