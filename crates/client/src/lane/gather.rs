//! A closed loop's short pause that lets answers gather, where they come faster than a thread falls asleep and wakes up.
//!
//! A client that is faster than its server sleeps after nearly every answer, and the server pays for waking it: measured
//! with 64 connections, that cost the server 5 to 10 % of what it could have answered, and the client about as much
//! CPU time. A pause by the clock wakes up by itself and finds several answers at once.
//!
//! The price is that an answer may lie there for the length of the pause, so it is kept to a sixteenth of the mean
//! service time: the server still has fifteen of sixteen requests at hand, and as all of a closed loop's requests wait
//! for it in turn, its latencies stay what they were. There is no pause where answers come slowly or from few
//! connections, and none in an open loop.

use std::time::Duration;

/// The pause is at most this part of the mean service time.
const PART: u64 = 16;
/// Longest pause. Beyond it nothing is left to gain.
const MAX_NS: u64 = 40_000;
/// So many answers must be expected of a pause. With 64 connections that is a thread with at least 75,000 a second.
const WORTH: u64 = 3;
/// Events are many if they are one in so many of the requests that are out.
const MANY: u64 = 8;
/// How slowly the mean follows: each answer counts as one in so many.
const INERTIA: u64 = 64;

/// Knows how fast answers come.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    /// The mean times [`INERTIA`].
    mean_times_inertia_ns: u64,
}

impl Gatherer {
    /// Takes in how long an answer took.
    #[inline]
    pub(super) fn answered(&mut self, service_ns: u64) {
        self.mean_times_inertia_ns = self.mean_times_inertia_ns - self.mean_times_inertia_ns / INERTIA + service_ns;
    }

    /// The pause while this many requests are out, if it is worth one: if several answers will come meanwhile.
    /// `events` came with the last wait; if they were many, the client is the slower side and finds enough anyway.
    #[inline]
    pub(super) fn pause(&self, in_flight: u64, events: usize) -> Option<Duration> {
        if events as u64 * MANY >= in_flight {
            return None;
        }
        let mean_ns = self.mean_times_inertia_ns / INERTIA;
        let pause_ns = (mean_ns / PART).min(MAX_NS);
        (mean_ns > 0 && in_flight * pause_ns >= WORTH * mean_ns).then(|| Duration::from_nanos(pause_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause_ns(service_ns: u64, in_flight: u64, events: usize) -> Option<u128> {
        let mut gatherer = Gatherer::default();
        for _ in 0..10_000 {
            gatherer.answered(service_ns);
        }
        gatherer.pause(in_flight, events).map(|pause| pause.as_nanos())
    }

    #[test]
    fn there_is_no_pause_before_the_first_answer() {
        assert_eq!(Gatherer::default().pause(64, 1), None);
    }

    #[test]
    fn a_pause_is_a_small_part_of_the_service_time() {
        assert_eq!(pause_ns(320_000, 64, 2), Some(20_000));
        assert_eq!(pause_ns(3_200_000, 1000, 2), Some(40_000));
    }

    #[test]
    fn few_connections_or_slow_answers_make_no_pause() {
        assert_eq!(pause_ns(320_000, 32, 1), None);
        assert_eq!(pause_ns(1_000_000, 64, 1), None, "64,000 a second");
        assert_eq!(pause_ns(30_000, 1, 0), None);
    }

    #[test]
    fn a_client_that_is_the_slower_side_does_not_pause() {
        assert_eq!(pause_ns(320_000, 64, 7), Some(20_000));
        assert_eq!(pause_ns(320_000, 64, 8), None);
    }
}
