//! What an earlier part of the same result has already, for a run that goes on where that ended.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::disturbance;
use crate::matrix::plan::{Plan, baseline_of};
use crate::results::record::{Record, SampleRecord};

/// What there is already. Nothing, where a run begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Before {
    /// By id, twins too.
    cells: HashMap<String, Made>,
    /// Repetitions that were measured: where the next one's `position` goes on.
    pub samples: u64,
    /// How long it ran: where `started_ns` goes on.
    pub ran: Duration,
    /// How many disturbed runs may still be made again; `None` where no part before this one has made any.
    pub repeats_left: Option<u64>,
}

/// What there is of one cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Made {
    /// Rounds with a counted run that stands.
    rounds: HashSet<u32>,
    /// The last attempt at a round that is to be made once more.
    attempts: HashMap<u32, u32>,
    /// Whether it failed, was skipped or is unsupported. It stays so.
    ended: bool,
}

impl Before {
    /// From the records of the earlier part, which ran for at least so long.
    #[must_use]
    pub fn of(records: &[Record], ran: Duration) -> Self {
        let mut before = Self { ran, ..Self::default() };
        for record in records {
            match record {
                Record::Sample(sample) => {
                    let took_ns = sample.sample.setup_ns().saturating_add(sample.sample.elapsed_ns());
                    before.ran = before.ran.max(Duration::from_nanos(sample.started_ns.saturating_add(took_ns)));
                    before.samples = before.samples.max(sample.position.saturating_add(1));
                    let made = before.cells.entry(sample.cell.clone()).or_default();
                    if !sample.warmup {
                        made.rounds.insert(sample.round);
                        made.ended = false;
                    }
                }
                Record::Failure { cell, .. } => before.cells.entry(cell.clone()).or_default().ended = true,
                Record::Header { .. } | Record::Voided { .. } => {}
            }
        }
        before
    }

    /// The same, where disturbed runs are made again and so many counted runs were planned in all: what was put off to be
    /// made again, and was not before the earlier part ended, is still to be made.
    #[must_use]
    pub fn with_repeats(mut self, records: &[Record], planned_runs: u64) -> Self {
        // The last word on each round, in the order in which they ran.
        let mut last: Vec<&SampleRecord> = Vec::new();
        let mut left = disturbance::budget(planned_runs);
        for sample in records.iter().filter_map(Record::counted) {
            let earlier = last.len();
            last.retain(|other| (&other.cell, other.round) != (&sample.cell, sample.round));
            left = left.saturating_sub((earlier - last.len()) as u64);
            last.push(sample);
        }
        // As long as any was left, whatever was disturbed was put off.
        for sample in last.iter().filter(|it| it.disturbed.is_some() && it.attempt < disturbance::ATTEMPTS) {
            let Some(made) = self.cells.get_mut(&sample.cell).filter(|made| left > 0 && !made.ended) else { continue };
            made.rounds.remove(&sample.round);
            made.attempts.insert(sample.round, sample.attempt);
            left -= 1;
        }
        self.repeats_left = Some(left);
        self
    }

    /// Which attempt at a round comes next, from 1 on.
    #[must_use]
    pub fn next_attempt(&self, id: &str, round: u32) -> u32 {
        self.cells.get(id).and_then(|made| made.attempts.get(&round)).map_or(1, |last| last + 1)
    }

    /// Whether a round of a cell, or of a twin, need not be made. The twin of a cell that failed is of no use.
    #[must_use]
    pub fn has(&self, id: &str, round: u32) -> bool {
        let made = |id: &str| self.cells.get(id);
        made(id).is_some_and(|made| made.ended || made.rounds.contains(&round))
            || baseline_of(id).and_then(made).is_some_and(|made| made.ended)
    }

    /// The cells of a plan of which nothing is missing, by id.
    #[must_use]
    pub fn finished(&self, plan: &Plan) -> HashSet<String> {
        let cells = plan.scenarios.iter().flat_map(|scenario| scenario.cells.iter().map(move |cell| (scenario, cell)));
        let finished =
            cells.filter(|(scenario, cell)| (1..=scenario.schedule.runs).all(|round| self.has(&cell.id, round)));
        finished.map(|(_, cell)| cell.id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use protocol::Model;

    use super::*;
    use crate::engine::failure::FailureKind;
    use crate::stats::fixtures::{batch, failure, plan, sample, warmup};

    const SEQUENTIAL: &str = "s/model=sequential";
    const THREADS: &str = "s/model=threads";

    #[test]
    fn a_round_is_there_when_it_was_counted() {
        let before =
            Before::of(&[warmup(SEQUENTIAL, 1, 5), sample(SEQUENTIAL, 1, 5), warmup(SEQUENTIAL, 2, 5)], Duration::ZERO);
        assert_eq!([1, 2].map(|round| before.has(SEQUENTIAL, round)), [true, false]);
        assert!(!before.has(THREADS, 1));
    }

    #[test]
    fn a_cell_that_failed_stays_failed() {
        let before =
            Before::of(&[sample(SEQUENTIAL, 1, 5), failure(SEQUENTIAL, 2, FailureKind::Died, "died")], Duration::ZERO);
        assert!(before.has(SEQUENTIAL, 2));
        assert!(before.has("s/model=sequential#aa", 1), "and its twin is of no use");
    }

    #[test]
    fn a_cell_is_finished_when_all_its_rounds_are_there() {
        let plan = plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Threads)]);
        let records = [sample(SEQUENTIAL, 1, 5), sample(SEQUENTIAL, 2, 5), sample(THREADS, 2, 5)];
        let before = Before::of(&records, Duration::ZERO);
        assert_eq!(before.finished(&plan), HashSet::from([SEQUENTIAL.to_owned()]));
    }

    #[test]
    fn time_and_positions_go_on_behind_the_last_repetition() {
        let Record::Sample(mut last) = sample(SEQUENTIAL, 1, 5_000) else { unreachable!() };
        (last.position, last.started_ns) = (41, 60_000);
        let before = Before::of(&[Record::Sample(last)], Duration::from_nanos(10));
        assert_eq!((before.samples, before.ran), (42, Duration::from_nanos(65_000)));
    }
}
