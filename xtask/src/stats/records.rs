//! Which records count. The only place where warm-ups are told from counted runs.

use std::collections::{BTreeMap, HashMap};

use super::summary::MachineSummary;
use crate::engine::failure::Failure;
use crate::results::record::{MachineDelta, Record, SampleRecord};

/// What the sample file says about one cell.
#[derive(Debug, Default)]
pub struct CellRecords<'a> {
    /// The counted runs by round, which is the order in which they ran. Warm-ups are not among them.
    pub runs: BTreeMap<u32, &'a SampleRecord>,
    /// Counted runs that do not count after all, as they were disturbed and made again, in the order in which they ran.
    pub set_aside: Vec<&'a SampleRecord>,
    /// How the cell ended, where it did not end well.
    pub failure: Option<Ended<'a>>,
}

/// Where and why a cell ended early.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// The round; 0 before the first.
    pub round: u32,
    /// Whether in a warm-up.
    pub warmup: bool,
    /// Why.
    pub failure: &'a Failure,
}

/// All that the sample file says, by cell id, with the sums over all cells.
#[derive(Debug, Default)]
pub struct Sorted<'a> {
    /// By cell id.
    pub cells: HashMap<&'a str, CellRecords<'a>>,
    /// Set-up and elapsed time of all counted runs.
    pub measured_ns: u64,
    /// Set-up and elapsed time of all warm-ups.
    pub warmup_ns: u64,
    /// What the machine did in all repetitions; twins are among them.
    pub machine: MachineSummary,
}

/// Sorts records by cell.
///
/// The last word counts: a disturbed round is made again, whatever it was, and a cell that failed may be measured
/// again. So a run counts or does not by what the machine did, and never by its own figure.
#[must_use]
pub fn sort(records: &[Record]) -> Sorted<'_> {
    let mut sorted = Sorted::default();
    for record in records {
        match record {
            Record::Sample(sample) => sorted.take(sample),
            Record::Failure { cell, round, warmup, failure } => {
                sorted.cells.entry(cell).or_default().failure = Some(Ended { round: *round, warmup: *warmup, failure });
            }
            Record::Header { .. } | Record::Voided { .. } => {}
        }
    }
    sorted
}

impl<'a> Sorted<'a> {
    fn take(&mut self, sample: &'a SampleRecord) {
        let spent = sample.sample.setup_ns().saturating_add(sample.sample.elapsed_ns());
        let MachineDelta { stolen_ns, throttled_ns, others_ns, .. } = sample.machine;
        add(&mut self.machine.stolen_ns, stolen_ns);
        add(&mut self.machine.throttled_ns, throttled_ns);
        add(&mut self.machine.others_ns, others_ns);
        let cell = self.cells.entry(&sample.cell).or_default();
        cell.failure = None;
        if sample.warmup {
            self.warmup_ns = self.warmup_ns.saturating_add(spent);
        } else {
            self.measured_ns = self.measured_ns.saturating_add(spent);
            self.machine.counted_runs += 1;
            self.machine.disturbed_runs += u32::from(sample.disturbed.is_some());
            let earlier = cell.runs.insert(sample.round, sample);
            if let Some(earlier) = earlier.filter(|earlier| earlier.disturbed.is_some()) {
                self.machine.repeated_runs += 1;
                cell.set_aside.push(earlier);
            }
        }
    }
}

/// Adds what is known; a sum of which nothing is known stays unknown.
fn add(sum: &mut Option<u64>, value: Option<u64>) {
    if let Some(value) = value {
        *sum = Some(sum.unwrap_or(0).saturating_add(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::failure::FailureKind;
    use crate::stats::fixtures::{failure, sample, warmup};

    #[test]
    fn warm_ups_never_count() {
        let records = [warmup("a", 1, 900), sample("a", 1, 100), warmup("a", 2, 800), sample("a", 2, 110)];
        let sorted = sort(&records);
        let runs: Vec<u64> = sorted.cells["a"].runs.values().map(|run| run.sample.elapsed_ns()).collect();
        assert_eq!(runs, [100, 110]);
        assert_eq!((sorted.measured_ns, sorted.warmup_ns), (210, 1700));
    }

    #[test]
    fn a_round_that_was_measured_again_counts_once() {
        let records = [sample("a", 1, 100), sample("a", 1, 200)];
        let sorted = sort(&records);
        assert_eq!(sorted.cells["a"].runs.len(), 1);
        assert_eq!(sorted.cells["a"].runs[&1].sample.elapsed_ns(), 200);
    }

    #[test]
    fn a_failure_stands_until_the_cell_is_measured_again() {
        let mut records = vec![sample("a", 1, 100), failure("a", 2, FailureKind::Died, "died")];
        assert!(sort(&records).cells["a"].failure.is_some());
        records.push(sample("a", 2, 100));
        assert!(sort(&records).cells["a"].failure.is_none());
    }

    #[test]
    fn stolen_time_that_nobody_told_is_unknown() {
        assert_eq!(sort(&[sample("a", 1, 100)]).machine.stolen_ns, None);
    }

    fn disturbed(round: u32, elapsed_ns: u64) -> Record {
        let Record::Sample(mut record) = sample("a", round, elapsed_ns) else { unreachable!() };
        record.disturbed = Some("9 % of its CPU time was stolen".to_owned());
        Record::Sample(record)
    }

    #[test]
    fn the_last_attempt_at_a_round_counts_and_those_before_are_set_aside() {
        // The second is slower than the first, and counts nevertheless.
        let records = [sample("a", 1, 100), disturbed(2, 150), disturbed(2, 300), sample("a", 2, 400)];
        let sorted = sort(&records);
        let times = |runs: &[&SampleRecord]| runs.iter().map(|run| run.sample.elapsed_ns()).collect::<Vec<_>>();
        assert_eq!(times(&sorted.cells["a"].runs.values().copied().collect::<Vec<_>>()), [100, 400]);
        assert_eq!(times(&sorted.cells["a"].set_aside), [150, 300]);
        let MachineSummary { counted_runs, disturbed_runs, repeated_runs, .. } = sorted.machine;
        assert_eq!((counted_runs, disturbed_runs, repeated_runs), (4, 2, 2));
    }

    #[test]
    fn where_every_attempt_was_disturbed_the_last_one_counts() {
        let records = [disturbed(1, 150), disturbed(1, 160)];
        let sorted = sort(&records);
        assert_eq!(sorted.cells["a"].runs[&1].sample.elapsed_ns(), 160);
        assert_eq!(sorted.cells["a"].set_aside.len(), 1);
    }
}
