//! Where a client thread gets its next request from: a common count (closed loop) or its share of the schedule (open loop).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::schedule::{Due, Share};

/// The requests that one thread may still send.
#[derive(Debug)]
pub enum Source<'a> {
    /// As many as are left of all threads' requests, at any time.
    Closed {
        /// How many were taken by all threads; it runs on past the end.
        taken: &'a AtomicU64,
        /// How many there are.
        total: u64,
    },
    /// Those of the schedule, each when it is due.
    Open {
        /// What comes after `next`.
        share: Share,
        /// The next one, at an absolute time.
        next: Option<Due>,
        /// When the schedule begins.
        start_ns: u64,
    },
}

impl<'a> Source<'a> {
    /// A closed loop of this many requests, counted in `taken` by all threads.
    #[must_use]
    pub fn closed(taken: &'a AtomicU64, total: u64) -> Self {
        Self::Closed { taken, total }
    }

    /// An open loop that begins at this time of the monotonic clock.
    #[must_use]
    pub fn open(mut share: Share, start_ns: u64) -> Self {
        let next = share.next().map(|due| Due { at_ns: start_ns + due.at_ns, ..due });
        Self::Open { share, next, start_ns }
    }

    /// Whether requests are sent by the clock.
    #[inline]
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }

    /// Takes the next request that may be sent now: its number and its intended time.
    #[inline]
    pub fn take(&mut self, now_ns: u64) -> Option<Due> {
        match self {
            Self::Closed { taken, total } => {
                let index = taken.fetch_add(1, Ordering::Relaxed);
                (index < *total).then_some(Due { index, at_ns: now_ns })
            }
            Self::Open { share, next, start_ns } => {
                let due = (*next).filter(|due| due.at_ns <= now_ns)?;
                *next = share.next().map(|after| Due { at_ns: *start_ns + after.at_ns, ..after });
                Some(due)
            }
        }
    }

    /// When the next request is due; `None` if there is none, or in a closed loop, where any time will do.
    #[inline]
    #[must_use]
    pub fn next_due_ns(&self) -> Option<u64> {
        match self {
            Self::Closed { .. } => None,
            Self::Open { next, .. } => next.map(|due| due.at_ns),
        }
    }

    /// When the schedule of an open loop ends. Requests that still wait for a connection then are sent all the same, as
    /// long as answers are awaited.
    #[must_use]
    pub fn end_ns(&self) -> Option<u64> {
        match self {
            Self::Closed { .. } => None,
            Self::Open { share, start_ns, .. } => Some(start_ns.saturating_add(share.duration_ns())),
        }
    }

    /// Whether nothing is left to send.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        match self {
            Self::Closed { taken, total } => taken.load(Ordering::Relaxed) >= *total,
            Self::Open { next, .. } => next.is_none(),
        }
    }

    /// How many requests of this thread's share were never taken. In a closed loop nobody has a share.
    #[must_use]
    pub fn left(self) -> u64 {
        match self {
            Self::Closed { .. } => 0,
            Self::Open { share, next, .. } => u64::from(next.is_some()) + share.count() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Schedule;
    use protocol::Arrivals;

    #[test]
    fn a_closed_loop_gives_out_as_many_requests_as_it_has() {
        let taken = AtomicU64::new(0);
        let (mut one, mut two) = (Source::closed(&taken, 3), Source::closed(&taken, 3));
        assert_eq!(one.take(5), Some(Due { index: 0, at_ns: 5 }));
        assert_eq!(two.take(6), Some(Due { index: 1, at_ns: 6 }));
        assert!(!one.is_exhausted());
        assert_eq!(one.take(7), Some(Due { index: 2, at_ns: 7 }));
        assert_eq!((one.take(8), two.take(8)), (None, None));
        assert!(two.is_exhausted());
    }

    #[test]
    fn an_open_loop_gives_out_what_is_due_with_its_intended_time() {
        let schedule = Schedule::new(1e9 / 10.0, 30, Arrivals::Constant, 0);
        let mut source = Source::open(Share::new(schedule, 0, 1, 1), 1000);
        assert_eq!(source.next_due_ns(), Some(1000));
        assert_eq!(source.take(999), None);
        assert_eq!(source.take(1015), Some(Due { index: 0, at_ns: 1000 }));
        assert_eq!(source.take(1015), Some(Due { index: 1, at_ns: 1010 }));
        assert_eq!(source.take(1015), None);
        assert_eq!(source.left(), 1);
    }
}
