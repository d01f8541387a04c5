//! When the requests of an open loop are due: one seeded schedule for the whole client, and its share for each thread.
//!
//! Nothing is kept: a schedule is computed as it is walked, by each thread on its own, so that a long run needs no more
//! memory than a short one, and requests that wait for a connection are simply those that were not fetched yet.

use protocol::{Arrivals, mix};

/// 2⁶⁴ divided by the golden ratio: the step of SplitMix64.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Due times in nanoseconds after the start, in ascending order. The same seed gives the same times.
#[derive(Debug, Clone)]
pub struct Schedule {
    arrivals: Arrivals,
    gap_ns: f64,
    duration_ns: f64,
    state: u64,
    index: u64,
    at_ns: f64,
}

impl Schedule {
    /// A schedule of this many requests a second for this long.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact up to 104 days")]
    pub fn new(rate_per_s: f64, duration_ns: u64, arrivals: Arrivals, seed: u64) -> Self {
        let gap_ns = 1e9 / rate_per_s;
        Self { arrivals, gap_ns, duration_ns: duration_ns as f64, state: mix(seed), index: 0, at_ns: 0.0 }
    }

    /// How long the schedule lasts; all due times are before that.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was a u64")]
    pub fn duration_ns(&self) -> u64 {
        self.duration_ns as u64
    }

    /// A gap of a Poisson process: the inverse of the exponential distribution at a random point of (0, 1].
    #[expect(clippy::cast_precision_loss, reason = "53 bits are taken")]
    fn exponential_gap(&mut self) -> f64 {
        self.state = self.state.wrapping_add(GAMMA);
        let uniform = ((mix(self.state) >> 11) + 1) as f64 * (-53f64).exp2();
        -uniform.ln() * self.gap_ns
    }
}

impl Iterator for Schedule {
    type Item = u64;

    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
    fn next(&mut self) -> Option<u64> {
        self.at_ns = match self.arrivals {
            // Not a sum of gaps: rounding would add up.
            Arrivals::Constant => self.index as f64 * self.gap_ns,
            Arrivals::Poisson => self.at_ns + self.exponential_gap(),
        };
        self.index += 1;
        (self.at_ns < self.duration_ns).then_some(self.at_ns as u64)
    }
}

/// A request of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Its number in the schedule, from 0 on.
    pub index: u64,
    /// When it is due, in nanoseconds after the start.
    pub at_ns: u64,
}

/// One thread's share of a schedule. The shares of all threads together are the schedule.
///
/// Requests are dealt to the connections in turn, and connections to the threads in turn: a thread's share follows the
/// number of its connections.
#[derive(Debug, Clone)]
pub struct Share {
    schedule: Schedule,
    thread: u64,
    threads: u64,
    connections: u64,
    index: u64,
}

impl Share {
    /// The share of thread number `thread` of `threads`, which have `connections` connections together.
    #[must_use]
    pub fn new(schedule: Schedule, thread: usize, threads: usize, connections: usize) -> Self {
        Self { schedule, thread: thread as u64, threads: threads as u64, connections: connections as u64, index: 0 }
    }
}

impl Share {
    /// How long the schedule lasts.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.schedule.duration_ns()
    }
}

impl Iterator for Share {
    type Item = Due;

    fn next(&mut self) -> Option<Due> {
        loop {
            let at_ns = self.schedule.next()?;
            let index = self.index;
            self.index += 1;
            if index % self.connections % self.threads == self.thread {
                return Some(Due { index, at_ns });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn constant_arrivals_are_evenly_spaced_and_end_with_the_duration() {
        let times: Vec<u64> = Schedule::new(4.0, SECOND, Arrivals::Constant, 1).collect();
        assert_eq!(times, [0, 250_000_000, 500_000_000, 750_000_000]);
    }

    #[test]
    fn the_same_seed_gives_the_same_times_and_another_seed_others() {
        let times = |seed| Schedule::new(1000.0, SECOND, Arrivals::Poisson, seed).collect::<Vec<_>>();
        assert_eq!(times(7), times(7));
        assert_ne!(times(7), times(8));
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn poisson_arrivals_have_the_rate_and_the_spread_of_their_kind() {
        let times: Vec<u64> = Schedule::new(10_000.0, 10 * SECOND, Arrivals::Poisson, 3).collect();
        // 100,000 expected; five standard deviations are 1,581.
        assert!((98_419..=101_581).contains(&times.len()), "{}", times.len());
        assert!(times.is_sorted());
        // An exponential gap exceeds its mean with probability 1/e = 0.368.
        let long = times.windows(2).filter(|pair| pair[1] - pair[0] > 100_000).count();
        let share = long as f64 / times.len() as f64;
        assert!((0.36..0.376).contains(&share), "{share}");
    }

    #[test]
    fn the_shares_of_all_threads_merged_are_the_schedule() {
        let schedule = Schedule::new(5000.0, SECOND, Arrivals::Poisson, 9);
        let whole: Vec<u64> = schedule.clone().collect();
        let mut merged: Vec<Due> = (0..3).flat_map(|thread| Share::new(schedule.clone(), thread, 3, 10)).collect();
        merged.sort_by_key(|due| due.index);
        assert_eq!(merged.iter().map(|due| due.at_ns).collect::<Vec<_>>(), whole);
        assert!(merged.iter().enumerate().all(|(position, due)| due.index == position as u64));
    }

    #[test]
    fn a_share_follows_the_number_of_connections() {
        // Ten connections over three threads: four, three and three.
        let schedule = Schedule::new(1000.0, SECOND, Arrivals::Constant, 0);
        let counts: Vec<usize> = (0..3).map(|thread| Share::new(schedule.clone(), thread, 3, 10).count()).collect();
        assert_eq!(counts, [400, 300, 300]);
    }
}
