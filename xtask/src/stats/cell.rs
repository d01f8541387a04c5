//! All figures of one cell.

use protocol::Usage;

use super::flags;
use super::records::{CellRecords, Ended};
use super::spread::median;
use super::summary::{CellSummary, Flag, Spread, Status, UsageSummary};
use super::verify::agreed;
use crate::engine::failure::{Failure, FailureKind};
use crate::matrix::plan::{Cell, Scenario};
use crate::results::record::SampleRecord;

/// Sums up one cell. `wrong` is the failure that the comparison of checksums found, if it found one.
#[must_use]
pub fn summarise_cell(
    scenario: &Scenario,
    cell: &Cell,
    records: Option<&CellRecords<'_>>,
    wrong: Option<&Failure>,
) -> CellSummary {
    let none = CellRecords::default();
    let records = records.unwrap_or(&none);
    let planned = scenario.schedule.runs;
    let runs: Vec<&SampleRecord> = records.runs.values().copied().collect();
    let count = u32::try_from(runs.len()).unwrap_or(u32::MAX);
    let mut summary = without_figures(cell, count);
    summary.checksum = agreed(records).ok().flatten().map(str::to_owned);

    if let Some(ended) = &records.failure {
        summary.status = status(ended.failure.kind);
        summary.reason = Some(reason(ended, count, planned));
        summary.failure = Some(ended.failure.kind);
        summary.stderr_tail.clone_from(&ended.failure.stderr_tail);
    } else if let Some(wrong) = wrong {
        summary.status = Status::Failed;
        summary.reason = Some(wrong.reason.clone());
        summary.failure = Some(wrong.kind);
    } else if count == 0 {
        summary.reason = Some(format!("interrupted: none of {planned} runs was measured"));
    } else {
        summary.status = Status::Ok;
        fill_in(&mut summary, scenario, cell, &runs);
        if count < planned {
            summary.flags.push(Flag::Incomplete);
            summary.notes.push(format!("interrupted: {count} of {planned} runs were measured"));
        }
    }
    summary
}

/// A cell of which nothing is known yet.
fn without_figures(cell: &Cell, runs: u32) -> CellSummary {
    CellSummary {
        id: cell.id.clone(),
        axes: cell.axes.clone(),
        status: Status::NotRun,
        reason: None,
        failure: None,
        stderr_tail: Vec::new(),
        runs,
        elapsed_ns: None,
        setup_ns: None,
        throughput_per_s: None,
        ratio: None,
        verdict: None,
        by_worker: None,
        imbalance: None,
        cores_used: None,
        usage: UsageSummary::default(),
        checksum: None,
        flags: Vec::new(),
        notes: Vec::new(),
    }
}

fn fill_in(summary: &mut CellSummary, scenario: &Scenario, cell: &Cell, runs: &[&SampleRecord]) {
    let elapsed = |run: &&SampleRecord| {
        let setup = if scenario.include_setup { run.sample.setup_ns() } else { 0 };
        run.sample.elapsed_ns().saturating_add(setup)
    };
    summary.elapsed_ns = Spread::of(runs.iter().map(elapsed).collect());
    summary.setup_ns = Spread::of(runs.iter().map(|run| run.sample.setup_ns()).collect());
    let per_second: Option<Vec<f64>> = runs.iter().map(|run| per_second(run.sample.done(), elapsed(run))).collect();
    summary.throughput_per_s = per_second.and_then(Spread::of);
    summary.by_worker = by_worker(runs);
    summary.imbalance = summary.by_worker.as_deref().and_then(imbalance);
    summary.cores_used = runs.iter().map(|run| cores_used(run)).collect::<Option<Vec<f64>>>().and_then(|v| median(&v));
    summary.usage = usage(runs);
    let Some(elapsed_ns) = &summary.elapsed_ns else { return };
    let notes = flags::notes(cell, runs, elapsed_ns, summary.by_worker.as_deref());
    let mut words: Vec<Flag> = notes.iter().map(|(flag, _)| *flag).collect();
    words.sort();
    words.dedup();
    summary.flags = words;
    summary.notes = notes.into_iter().map(|(_, text)| text).collect();
}

fn status(kind: FailureKind) -> Status {
    match kind {
        FailureKind::Missing => Status::Skipped,
        FailureKind::Unsupported => Status::Unsupported,
        FailureKind::NotStarted
        | FailureKind::Died
        | FailureKind::TimedOut
        | FailureKind::BadAnswer
        | FailureKind::WorkerError
        | FailureKind::WrongChecksum
        | FailureKind::NotReady
        | FailureKind::NoAnswers
        | FailureKind::Limit => Status::Failed,
    }
}

/// The failure's reason, with where it happened and how many runs had been measured.
fn reason(ended: &Ended<'_>, count: u32, planned: u32) -> String {
    let reason = &ended.failure.reason;
    if status(ended.failure.kind) != Status::Failed {
        return reason.clone();
    }
    let place = match (ended.round, ended.warmup) {
        (0, _) => "before the first round".to_owned(),
        (round, true) => format!("in the warm-up of round {round}"),
        (round, false) => format!("in round {round}"),
    };
    format!("{place} ({count} of {planned} runs were measured): {reason}")
}

#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn per_second(tasks: u64, elapsed_ns: u64) -> Option<f64> {
    (elapsed_ns > 0).then(|| tasks as f64 * 1e9 / elapsed_ns as f64)
}

/// CPU time over the time that it covers: a worker measures its usage from the begin of set-up to the end of the run.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn cores_used(run: &SampleRecord) -> Option<f64> {
    let usage = run.sample.usage()?;
    let used = usage.user_ns?.checked_add(usage.sys_ns?)?;
    let covered = run.sample.setup_ns().checked_add(run.sample.elapsed_ns())?;
    (covered > 0).then(|| used as f64 / covered as f64)
}

/// Tasks by worker, all runs added; `None` where a worker does not tell, or not the same number of workers each time.
fn by_worker(runs: &[&SampleRecord]) -> Option<Vec<u64>> {
    let mut sums = vec![0_u64; runs.first()?.sample.by_worker().len()];
    for run in runs {
        let by_worker = run.sample.by_worker();
        if by_worker.len() != sums.len() {
            return None;
        }
        sums.iter_mut().zip(by_worker).for_each(|(sum, done)| *sum = sum.saturating_add(done));
    }
    (!sums.is_empty()).then_some(sums)
}

#[expect(clippy::cast_precision_loss, reason = "task counts are far below 2^53")]
fn imbalance(by_worker: &[u64]) -> Option<f64> {
    let total: u64 = by_worker.iter().sum();
    let most = *by_worker.iter().max()?;
    (total > 0).then(|| most as f64 * by_worker.len() as f64 / total as f64)
}

/// Medians; the maximum where a run may only have seen part. A figure that one run lacks is unknown.
fn usage(runs: &[&SampleRecord]) -> UsageSummary {
    fn all<T>(runs: &[&SampleRecord], figure: impl Fn(&Usage) -> Option<T>) -> Option<Vec<T>> {
        runs.iter().map(|run| run.sample.usage().and_then(&figure)).collect()
    }
    let middle = |figure: fn(&Usage) -> Option<u64>| all(runs, figure).and_then(|values| median(&values));
    UsageSummary {
        user_ns: middle(|usage| usage.user_ns),
        sys_ns: middle(|usage| usage.sys_ns),
        peak_rss_bytes: all(runs, |usage| usage.peak_rss_bytes).and_then(|values| values.into_iter().max()),
        processes: all(runs, |usage| usage.processes).and_then(|values| values.into_iter().max()),
        voluntary_switches: middle(|usage| usage.voluntary_switches),
        involuntary_switches: middle(|usage| usage.involuntary_switches),
    }
}
