//! What a client thread counted in one run, and how the threads' counts become a sample.

use std::collections::BTreeMap;

use protocol::{ErrorKind, LoadSample};

use crate::recorder::Recorder;

/// Most names of workers that are told apart, so that a server that makes up a new one for each answer cannot fill the
/// memory. All further ones count under [`OTHER_NAMES`].
const MAX_NAMES: usize = 256;
/// Longest name of a worker that is kept, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// Under which name all further workers are counted.
const OTHER_NAMES: &str = "(other)";

/// The counts of one thread in one run.
#[derive(Debug)]
pub struct Tally {
    /// Requests taken up.
    pub sent: u64,
    /// Most requests out at once.
    pub max_in_flight: u64,
    /// Latencies of right answers, by the first digit of the status less one.
    right: [Recorder; 5],
    /// Those of whole answers that were wrong.
    wrong: [Recorder; 5],
    /// Service times of right answers where they differ from latencies: in an open loop.
    service: Option<Recorder>,
    send_lag: Recorder,
    errors: BTreeMap<ErrorKind, u64>,
    numbered_workers: Vec<u64>,
    named_workers: BTreeMap<Vec<u8>, u64>,
    /// Requests that were out when the drain ended.
    pub stragglers: u64,
    /// Age of the oldest.
    pub oldest_straggler_ns: Option<u64>,
    /// Requests of this thread's share that were never sent; in a closed loop nobody has a share.
    pub unsent: u64,
    /// Requests that were sent after the end of the schedule.
    pub sent_late: u64,
    /// When the last answer, error or straggler was.
    pub ended_at_ns: u64,
}

impl Tally {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(is_open_loop: bool) -> Self {
        Self {
            sent: 0,
            max_in_flight: 0,
            right: Default::default(),
            wrong: Default::default(),
            service: is_open_loop.then(Recorder::new),
            send_lag: Recorder::new(),
            errors: BTreeMap::new(),
            numbered_workers: vec![0; 256],
            named_workers: BTreeMap::new(),
            stragglers: 0,
            oldest_straggler_ns: None,
            unsent: 0,
            sent_late: 0,
            ended_at_ns: 0,
        }
    }

    /// A right answer.
    #[inline]
    pub fn right(&mut self, status: u16, latency_ns: u64, service_ns: u64) {
        self.right[class(status)].record(latency_ns);
        if let Some(service) = &mut self.service {
            service.record(service_ns);
        }
    }

    /// A whole answer that is wrong.
    pub fn wrong(&mut self, status: u16, latency_ns: u64, kind: ErrorKind) {
        self.wrong[class(status)].record(latency_ns);
        self.error(kind);
    }

    /// A request without a whole answer.
    pub fn error(&mut self, kind: ErrorKind) {
        *self.errors.entry(kind).or_default() += 1;
    }

    /// How late the client sent a request.
    #[inline]
    pub fn lag(&mut self, ns: u64) {
        self.send_lag.record(ns);
    }

    /// The worker of our own server that gave a right answer.
    #[inline]
    pub fn numbered_worker(&mut self, worker: u8) {
        self.numbered_workers[usize::from(worker)] += 1;
    }

    /// The worker of another server that gave a right answer.
    pub fn named_worker(&mut self, name: &[u8]) {
        let name = &name[..name.len().min(MAX_NAME_BYTES)];
        if let Some(count) = self.named_workers.get_mut(name) {
            *count += 1;
        } else {
            let known = if self.named_workers.len() < MAX_NAMES { name } else { OTHER_NAMES.as_bytes() };
            *self.named_workers.entry(known.to_vec()).or_default() += 1;
        }
    }

    /// A request that was still out at the end.
    pub fn straggler(&mut self, age_ns: u64) {
        self.stragglers += 1;
        self.oldest_straggler_ns = self.oldest_straggler_ns.max(Some(age_ns));
    }
}

/// The place of a status in the arrays: its first digit less one.
#[inline]
fn class(status: u16) -> usize {
    usize::from(status / 100).clamp(1, 5) - 1
}

/// Puts the threads' counts together. Times and `unsent` of a closed loop are the caller's.
#[must_use]
pub fn merge(tallies: &[Tally]) -> LoadSample {
    let merged = |of: &dyn Fn(&Tally) -> Vec<&Recorder>| {
        let mut all = Recorder::new();
        tallies.iter().flat_map(of).for_each(|recorder| all.add(recorder));
        all
    };
    let latency = merged(&|tally| tally.right.iter().collect());
    let by_status = (0..5)
        .map(|class| (class, merged(&|tally| vec![&tally.right[class], &tally.wrong[class]])))
        .filter(|(_, recorder)| recorder.count() > 0)
        .map(|(class, recorder)| (format!("{}xx", class + 1), recorder.to_wire()))
        .collect();

    let mut errors = BTreeMap::new();
    let mut by_worker = BTreeMap::new();
    for tally in tallies {
        for (&kind, count) in &tally.errors {
            *errors.entry(kind).or_default() += count;
        }
        let numbered = (0..).zip(&tally.numbered_workers).filter(|(_, count)| **count > 0);
        let named = tally.named_workers.iter().map(|(name, count)| (String::from_utf8_lossy(name).into_owned(), count));
        for (name, count) in numbered.map(|(worker, count): (u32, _)| (format!("{worker:02x}"), count)).chain(named) {
            *by_worker.entry(name).or_default() += count;
        }
    }
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let is_open_loop = tallies.iter().any(|tally| tally.service.is_some());
    LoadSample {
        elapsed_ns: 0,
        setup_ns: 0,
        sent: sum(|tally| tally.sent),
        completed: latency.count(),
        unsent: sum(|tally| tally.unsent),
        sent_late: sum(|tally| tally.sent_late),
        max_in_flight: sum(|tally| tally.max_in_flight),
        service: if is_open_loop {
            merged(&|tally| tally.service.iter().collect()).to_wire()
        } else {
            latency.to_wire()
        },
        latency: latency.to_wire(),
        send_lag: merged(&|tally| vec![&tally.send_lag]).to_wire(),
        by_status,
        errors,
        stragglers: sum(|tally| tally.stragglers),
        oldest_straggler_ns: tallies.iter().filter_map(|tally| tally.oldest_straggler_ns).max(),
        by_worker,
        usage: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let mut one = Tally::new(true);
        one.right(200, 20, 10);
        one.numbered_worker(3);
        one.straggler(5);
        let mut two = Tally::new(true);
        two.right(200, 30, 10);
        two.right(304, 40, 40);
        two.wrong(503, 50, ErrorKind::Status);
        two.error(ErrorKind::Reset);
        two.numbered_worker(3);
        two.named_worker(b"w1");
        two.straggler(9);
        let sample = merge(&[one, two]);
        assert_eq!((sample.completed, sample.latency.count, sample.latency.max_ns), (3, 3, 40));
        assert_eq!(sample.service.buckets, [(10, 2), (40, 1)]);
        let classes: Vec<_> = sample.by_status.iter().map(|(class, latency)| (class.as_str(), latency.count)).collect();
        assert_eq!(classes, [("2xx", 2), ("3xx", 1), ("5xx", 1)]);
        assert_eq!(sample.errors, [(ErrorKind::Reset, 1), (ErrorKind::Status, 1)].into());
        assert_eq!(sample.by_worker, [("03".to_owned(), 2), ("w1".to_owned(), 1)].into());
        assert_eq!((sample.stragglers, sample.oldest_straggler_ns), (2, Some(9)));
    }

    #[test]
    fn names_of_workers_are_bounded() {
        let mut tally = Tally::new(false);
        for number in 0..1000 {
            tally.named_worker(format!("{number}-{}", "x".repeat(500)).as_bytes());
        }
        let sample = merge(&[tally]);
        assert_eq!(sample.by_worker.len(), 257);
        assert_eq!(sample.by_worker["(other)"], 744);
        assert!(sample.by_worker.keys().all(|name| name.len() <= 64));
    }
}
