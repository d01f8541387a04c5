//! What a reader should know before believing a cell's figures. `docs/flags.md` explains each flag and its threshold.
//!
//! Here is what any cell may be flagged for; [`http`] has what only HTTP cells are.

pub mod http;

use protocol::{HttpModel, Model};

use super::summary::{CellSummary, Flag, Spread};
use crate::matrix::plan::{Cell, ServerSpec, Work};
use crate::results::record::SampleRecord;

/// A median below this is noise of the clock and of the barrier, not the time of the work.
pub const RESOLUTION_NS: u64 = 1_000;

/// A run is an outlier when it took this many times the median, or the median this many times the run.
pub const OUTLIER_FACTOR: f64 = 1.5;

/// A cell is skewed when its busiest worker did this many times what it would have in the most even division.
pub const SKEW_FACTOR: f64 = 1.5;

/// A flag, and the same in a sentence with figures.
pub type Note = (Flag, String);

/// All flags of a cell whose figures are filled in. `cores` is how many CPUs the client could use.
#[must_use]
pub fn notes(cell: &Cell, cores: u32, runs: &[&SampleRecord], summary: &CellSummary) -> Vec<Note> {
    let Some(elapsed_ns) = &summary.elapsed_ns else { return Vec::new() };
    let rounds: Vec<u32> = runs.iter().map(|run| run.round).collect();
    let mut notes = Vec::new();
    notes.extend(below_resolution(elapsed_ns.median));
    if let Work::Http(work) = &cell.work {
        notes.extend(http::notes(work, cores, summary));
    }
    notes.extend(disturbed(runs));
    notes.extend(outliers(&rounds, elapsed_ns));
    let shared_out = summary.by_worker.as_deref().filter(|_| divides_evenly(cell));
    notes.extend(shared_out.and_then(|by_worker| skewed(by_worker, what_is_shared(cell))));
    notes
}

fn below_resolution(median_ns: u64) -> Option<Note> {
    (median_ns < RESOLUTION_NS).then(|| {
        let text = format!("the median, {median_ns} ns, is below {RESOLUTION_NS} ns: give the cell more work");
        (Flag::BelowResolution, text)
    })
}

/// The engine decided it when it made the run; see [`disturbance`](crate::engine::disturbance). On a machine that is never
/// quiet every run has a reason: then one stands for all.
fn disturbed(runs: &[&SampleRecord]) -> Vec<Note> {
    let reasons: Vec<(u32, &str)> =
        runs.iter().filter_map(|run| Some((run.round, run.disturbed.as_deref()?))).collect();
    match reasons.as_slice() {
        [(first, reason), _, _, ..] => {
            let text = format!("{} of {} runs were disturbed; round {first}: {reason}", reasons.len(), runs.len());
            vec![(Flag::Disturbed, text)]
        }
        few => few.iter().map(|(round, reason)| (Flag::Disturbed, format!("round {round}: {reason}"))).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn outliers(rounds: &[u32], elapsed_ns: &Spread<u64>) -> Vec<Note> {
    let median = elapsed_ns.median as f64;
    let far = |(&round, &value): (&u32, &u64)| {
        let value = value as f64;
        let is_far = value > median * OUTLIER_FACTOR || value * OUTLIER_FACTOR < median;
        (is_far && median > 0.0)
            .then(|| (Flag::Outlier, format!("round {round} took {:.2} times the median", value / median)))
    };
    rounds.iter().zip(&elapsed_ns.values).filter_map(far).collect()
}

/// Whether the model deals tasks out evenly or hands them out one by one. Work stealing promises no even division, and
/// one worker has nobody to share with.
fn divides_evenly(cell: &Cell) -> bool {
    match &cell.work {
        Work::Batch(batch) => {
            matches!(batch.model, Model::Threads | Model::Processes | Model::Loops | Model::Offload)
        }
        Work::Http(http) => match &http.server {
            ServerSpec::Own(server) => server.model != HttpModel::WorkStealing,
            ServerSpec::Command(_) | ServerSpec::Running(_) => true,
        },
    }
}

fn what_is_shared(cell: &Cell) -> &'static str {
    match cell.work {
        Work::Batch(_) => "tasks",
        Work::Http(_) => "requests",
    }
}

#[expect(clippy::cast_precision_loss, reason = "task counts are far below 2^53")]
fn skewed(by_worker: &[u64], what: &str) -> Option<Note> {
    let total: u64 = by_worker.iter().sum();
    let (busiest, &most) = by_worker.iter().enumerate().max_by_key(|&(_, &tasks)| tasks)?;
    // With 3 tasks for 2 workers one of them must do 2: the fairest share is rounded up.
    let fair = total.div_ceil(u64::try_from(by_worker.len()).ok()?);
    (most as f64 > fair as f64 * SKEW_FACTOR).then(|| {
        let text = format!("worker {} of {} did {most} of {total} {what}", busiest + 1, by_worker.len());
        (Flag::Skewed, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::{batch, cell, sample_record, tasks_of};

    fn flagged(model: Model, elapsed: &[u64], change: impl FnOnce(&mut Vec<SampleRecord>)) -> Vec<Note> {
        let mut runs: Vec<SampleRecord> =
            (1..).zip(elapsed).map(|(round, &ns)| sample_record("c", round, false, ns)).collect();
        change(&mut runs);
        let mut summary = cell("c", elapsed);
        summary.by_worker = Some(runs[0].sample.by_worker());
        notes(&batch(model), 2, &runs.iter().collect::<Vec<_>>(), &summary)
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn calm_runs_have_no_flags() {
        assert_eq!(flagged(Model::Threads, &[SECOND, SECOND + 1, SECOND - 1], |_| {}), []);
    }

    #[test]
    fn a_median_below_a_microsecond_is_below_resolution() {
        let notes = flagged(Model::Threads, &[999, 999, 999], |_| {});
        assert_eq!(
            notes,
            [(Flag::BelowResolution, "the median, 999 ns, is below 1000 ns: give the cell more work".to_owned())]
        );
        assert_eq!(flagged(Model::Threads, &[1_000, 1_000, 1_000], |_| {}), []);
    }

    #[test]
    fn an_outlier_says_which_round_and_how_far() {
        let notes = flagged(Model::Threads, &[SECOND, 2 * SECOND, SECOND, SECOND, SECOND / 2], |_| {});
        assert_eq!(
            notes,
            [
                (Flag::Outlier, "round 2 took 2.00 times the median".to_owned()),
                (Flag::Outlier, "round 5 took 0.50 times the median".to_owned())
            ]
        );
    }

    #[test]
    fn exactly_one_and_a_half_times_the_median_is_no_outlier() {
        assert_eq!(flagged(Model::Threads, &[2 * SECOND, 3 * SECOND, 2 * SECOND], |_| {}), []);
    }

    #[test]
    fn a_counted_run_that_was_disturbed_flags_its_cell() {
        let reason = "9 % of its CPU time was stolen";
        let notes = flagged(Model::Threads, &[SECOND, SECOND], |runs| runs[1].disturbed = Some(reason.to_owned()));
        assert_eq!(notes, [(Flag::Disturbed, format!("round 2: {reason}"))]);
        let notes = flagged(Model::Threads, &[SECOND; 4], |runs| {
            runs[1..].iter_mut().for_each(|run| run.disturbed = Some(reason.to_owned()));
        });
        assert_eq!(notes, [(Flag::Disturbed, format!("3 of 4 runs were disturbed; round 2: {reason}"))]);
    }

    #[test]
    fn a_worker_that_does_far_more_than_its_share_is_skewed() {
        let skew = |model| flagged(model, &[SECOND], |runs| tasks_of(&mut runs[0]).workers = vec![1, 7]);
        assert_eq!(skew(Model::Loops), [(Flag::Skewed, "worker 2 of 2 did 7 of 8 tasks".to_owned())]);
        assert_eq!(skew(Model::WorkStealing), []);
    }

    #[test]
    fn a_division_that_cannot_be_fairer_is_not_skewed() {
        assert_eq!(flagged(Model::Threads, &[SECOND], |runs| tasks_of(&mut runs[0]).workers = vec![1, 0, 0, 0]), []);
    }
}
