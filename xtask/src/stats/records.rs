//! Which records count. The only place where warm-ups are told from counted runs.

use std::collections::{BTreeMap, HashMap};

use crate::engine::failure::Failure;
use crate::results::record::{MachineDelta, Record, SampleRecord};

/// What the sample file says about one cell.
#[derive(Debug, Default)]
pub struct CellRecords<'a> {
    /// The counted runs by round, which is the order in which they ran. Warm-ups are not among them.
    pub runs: BTreeMap<u32, &'a SampleRecord>,
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
    /// CPU time that was stolen in all repetitions, where any told.
    pub stolen_ns: Option<u64>,
    /// Time for which the control group was throttled in all repetitions, where any told.
    pub throttled_ns: Option<u64>,
}

/// Sorts records by cell.
///
/// The last word counts: a resumed matrix may measure a round again, or a cell that had failed.
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
        let MachineDelta { stolen_ns, throttled_ns, .. } = sample.machine;
        add(&mut self.stolen_ns, stolen_ns);
        add(&mut self.throttled_ns, throttled_ns);
        let cell = self.cells.entry(&sample.cell).or_default();
        cell.failure = None;
        if sample.warmup {
            self.warmup_ns = self.warmup_ns.saturating_add(spent);
        } else {
            self.measured_ns = self.measured_ns.saturating_add(spent);
            cell.runs.insert(sample.round, sample);
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
        assert_eq!(sort(&[sample("a", 1, 100)]).stolen_ns, None);
    }
}
