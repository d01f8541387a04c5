//! Where the walk stands: in the matrix, in each cell, and what is still to be made. What happens there is decided in
//! [`run`](super::run()).

use std::collections::VecDeque;

use super::schedule::Visit;

/// How far a cell, or a twin, is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Planned repetitions before it, warm-ups included.
    pub left: u64,
    /// Whether it failed.
    pub ended: bool,
}

/// Where a visit stands, for what is said about its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub scenario: usize,
    pub cell: usize,
    pub twin: bool,
    pub round: u32,
    pub warmup: bool,
}

/// A visit that is to be made, perhaps the rest of one.
#[derive(Debug, Clone)]
pub(super) struct Due {
    pub visit: Visit,
    /// The round that it began with.
    pub first: u32,
    /// How many of its repetitions were made at least once.
    pub made: u64,
    /// Which attempt at its first round comes next, from 1 on.
    pub attempt: u32,
}

impl Due {
    fn new(visit: Visit, attempt: u32) -> Self {
        Self { first: *visit.rounds.start(), visit, made: 0, attempt }
    }

    /// Where it begins.
    pub fn at(&self) -> At {
        let Visit { scenario, cell, twin, warmups, .. } = self.visit;
        At { scenario, cell, twin, round: *self.visit.rounds.start(), warmup: warmups > 0 }
    }

    /// Which attempt at a round is made.
    pub fn attempt_at(&self, round: u32) -> u32 {
        if round == *self.visit.rounds.start() { self.attempt } else { 1 }
    }

    /// Its place among the repetitions of the whole visit, from 0 on.
    pub fn index(&self, at: At, warmup: u32) -> u64 {
        u64::from(if at.warmup { warmup } else { self.visit.warmups + (at.round - self.first) })
    }

    /// What is left from this round on, to be made by a fresh process.
    pub fn from(mut self, round: u32, attempt: u32) -> Self {
        self.visit.rounds = round..=*self.visit.rounds.end();
        self.attempt = attempt;
        self
    }
}

/// The visits that are still to be made, in order.
#[derive(Debug)]
pub(super) struct Queue(VecDeque<Due>);

impl Queue {
    /// `attempt` says of a visit at which attempt at its first round it is. Whatever was put off by an earlier part stands at
    /// the end of its block, as it did there.
    pub fn new(visits: &[Visit], attempt: impl Fn(&Visit) -> u32) -> Self {
        let due: Vec<Due> = visits.iter().map(|visit| Due::new(visit.clone(), attempt(visit))).collect();
        let (again, first): (Vec<Due>, Vec<Due>) = due.into_iter().partition(|due| due.attempt > 1);
        let mut queue = Self(first.into());
        for due in again {
            // Its block may have nothing else left.
            let after = queue.0.iter().position(|other| other.visit.block > due.visit.block).unwrap_or(queue.0.len());
            queue.0.insert(after, due);
        }
        queue
    }

    pub fn next(&mut self) -> Option<Due> {
        self.0.pop_front()
    }

    /// The scenario that comes next.
    pub fn next_scenario(&self) -> Option<usize> {
        self.0.front().map(|due| due.visit.scenario)
    }

    /// Puts a visit off to the end of its block.
    pub fn put_off(&mut self, due: Due) {
        let end = self.0.iter().position(|other| other.visit.block != due.visit.block).unwrap_or(self.0.len());
        self.0.insert(end, due);
    }
}
