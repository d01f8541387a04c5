//! Where a client thread gets its next request from: each connection's own share (closed loop) or the thread's share of the
//! schedule (open loop).

use crate::schedule::{Due, Share};

/// The requests that one thread may still send.
#[derive(Debug)]
pub enum Source {
    /// As many as are left of the connection's share, at any time. Shares are even and fixed, so that a worker of the
    /// server to which more connections came has more to do: nobody takes its work away.
    Closed {
        /// How many are left, by connection of the thread.
        left: Vec<u64>,
        /// Their sum.
        total_left: u64,
        /// How many were taken.
        taken: u64,
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

impl Source {
    /// A closed loop with a share of the requests for each connection of the thread.
    #[must_use]
    pub fn closed(shares: impl IntoIterator<Item = u64>) -> Self {
        let left: Vec<u64> = shares.into_iter().collect();
        Self::Closed { total_left: left.iter().sum(), left, taken: 0 }
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

    /// Takes the next request that may be sent now on this connection of the thread: its number and its intended time.
    #[inline]
    pub fn take(&mut self, slot: usize, now_ns: u64) -> Option<Due> {
        match self {
            Self::Closed { left, total_left, taken } => {
                left[slot] = left[slot].checked_sub(1)?;
                *total_left -= 1;
                *taken += 1;
                Some(Due { index: *taken - 1, at_ns: now_ns })
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
            Self::Closed { total_left, .. } => *total_left == 0,
            Self::Open { next, .. } => next.is_none(),
        }
    }

    /// Whether anything is left to send on this connection of the thread.
    #[must_use]
    pub fn has_for(&self, slot: usize) -> bool {
        match self {
            Self::Closed { left, .. } => left[slot] > 0,
            Self::Open { next, .. } => next.is_some(),
        }
    }

    /// Gives up what is left of a connection's share; the requests of an open loop go to others.
    pub fn give_up(&mut self, slot: usize) {
        if let Self::Closed { left, total_left, .. } = self {
            *total_left -= std::mem::take(&mut left[slot]);
        }
    }

    /// How many requests of this thread's share of the schedule were never taken; 0 in a closed loop.
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
    fn a_closed_loop_gives_each_connection_its_share() {
        let mut source = Source::closed([2, 1]);
        assert_eq!(source.take(0, 5), Some(Due { index: 0, at_ns: 5 }));
        assert_eq!(source.take(1, 6), Some(Due { index: 1, at_ns: 6 }));
        assert_eq!(source.take(1, 7), None);
        assert_eq!((source.has_for(0), source.has_for(1), source.is_exhausted()), (true, false, false));
        assert_eq!(source.take(0, 8), Some(Due { index: 2, at_ns: 8 }));
        assert!(source.is_exhausted());
    }

    #[test]
    fn what_is_given_up_is_not_waited_for() {
        let mut source = Source::closed([2, 1]);
        source.give_up(0);
        assert_eq!((source.take(0, 1), source.is_exhausted()), (None, false));
        source.give_up(1);
        assert!(source.is_exhausted());
    }

    #[test]
    fn an_open_loop_gives_out_what_is_due_with_its_intended_time() {
        let schedule = Schedule::new(1e9 / 10.0, 30, Arrivals::Constant, 0);
        let mut source = Source::open(Share::new(schedule, 0, 1, 1), 1000);
        assert_eq!(source.next_due_ns(), Some(1000));
        assert_eq!(source.take(0, 999), None);
        assert_eq!(source.take(0, 1015), Some(Due { index: 0, at_ns: 1000 }));
        assert_eq!(source.take(0, 1015), Some(Due { index: 1, at_ns: 1010 }));
        assert_eq!(source.take(0, 1015), None);
        assert_eq!(source.left(), 1);
    }
}
