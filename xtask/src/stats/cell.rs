//! All figures of one cell.

use std::collections::BTreeMap;

use protocol::Usage;

use super::records::{CellRecords, Ended};
use super::spread::median;
use super::summary::{CellSummary, Flag, SetAside, Spread, Status, UsageSummary};
use super::verify::agreed;
use super::{flags, http};
use crate::engine::failure::{Failure, FailureKind};
use crate::matrix::plan::{Cell, Scenario, Work};
use crate::results::record::{HttpSample, SampleRecord};

/// Sums up one cell. `wrong` is the failure that the comparison of checksums found, if it found one; `cores` is how many
/// CPUs the client could use.
#[must_use]
pub fn summarise_cell(
    scenario: &Scenario,
    cell: &Cell,
    cores: u32,
    records: Option<&CellRecords<'_>>,
    wrong: Option<&Failure>,
) -> CellSummary {
    let none = CellRecords::default();
    let records = records.unwrap_or(&none);
    let planned = scenario.schedule.runs;
    let runs: Vec<&SampleRecord> = records.runs.values().copied().collect();
    let count = u32::try_from(runs.len()).unwrap_or(u32::MAX);
    let mut summary = CellSummary::without_figures(cell.id.clone(), cell.axes.clone());
    summary.runs = count;
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
        fill_in(&mut summary, scenario, cell, cores, &runs);
        set_aside(&mut summary, scenario, &records.set_aside);
        if count < planned {
            summary.flags.push(Flag::Incomplete);
            summary.notes.push(format!("interrupted: {count} of {planned} runs were measured"));
        }
    }
    summary
}

/// What a run took, as the scenario counts it.
fn elapsed_ns(scenario: &Scenario, run: &SampleRecord) -> u64 {
    let setup_ns = if includes_setup(scenario, run) { run.sample.setup_ns() } else { 0 };
    run.sample.elapsed_ns().saturating_add(setup_ns)
}

/// The runs that were made again.
fn set_aside(summary: &mut CellSummary, scenario: &Scenario, runs: &[&SampleRecord]) {
    let one = |run: &&SampleRecord| {
        let elapsed_ns = elapsed_ns(scenario, run);
        SetAside {
            round: run.round,
            elapsed_ns,
            throughput_per_s: per_second(run.sample.done(), elapsed_ns),
            reason: run.disturbed.clone().unwrap_or_default(),
        }
    };
    summary.set_aside = runs.iter().map(one).collect();
    summary.notes.extend(match summary.set_aside.as_slice() {
        [] => None,
        [one] => Some(format!("round {} was made again: {}", one.round, one.reason)),
        [first, ..] => {
            let count = summary.set_aside.len();
            Some(format!("{count} runs were made again, the first in round {}: {}", first.round, first.reason))
        }
    });
}

fn fill_in(summary: &mut CellSummary, scenario: &Scenario, cell: &Cell, cores: u32, runs: &[&SampleRecord]) {
    let elapsed = |run: &&SampleRecord| elapsed_ns(scenario, run);
    summary.elapsed_ns = Spread::of(runs.iter().map(elapsed).collect());
    summary.setup_ns = Spread::of(runs.iter().map(|run| run.sample.setup_ns()).collect());
    let per_second: Option<Vec<f64>> = runs.iter().map(|run| per_second(run.sample.done(), elapsed(run))).collect();
    summary.throughput_per_s = per_second.and_then(Spread::of);
    summary.by_worker = by_worker(runs);
    summary.imbalance = summary.by_worker.as_deref().and_then(imbalance);
    summary.cores_used = runs.iter().map(|run| cores_used(run)).collect::<Option<Vec<f64>>>().and_then(|v| median(&v));
    summary.usage = usage(runs);
    if let Work::Http(work) = &cell.work {
        let samples: Vec<&HttpSample> = runs.iter().filter_map(|run| run.sample.http()).collect();
        http::fill_in(summary, work, &samples);
    }
    let notes = flags::notes(cell, cores, runs, summary);
    let mut words: Vec<Flag> = notes.iter().map(|(flag, _)| *flag).collect();
    words.sort();
    words.dedup();
    summary.flags = words;
    summary.notes = notes.into_iter().map(|(_, text)| text).collect();
}

/// Whether a run's set-up time counts as elapsed. A server's clients keep their connections, so opening them never does.
#[must_use]
pub fn includes_setup(scenario: &Scenario, run: &SampleRecord) -> bool {
    scenario.include_setup && run.sample.http().is_none()
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
    if let Some(by_name) = by_name(runs) {
        return Some(by_name);
    }
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

/// The same where only the answers tell: a worker that answered nothing in a run has no name there.
fn by_name(runs: &[&SampleRecord]) -> Option<Vec<u64>> {
    let named: Option<Vec<&HttpSample>> =
        runs.iter().map(|run| run.sample.http().filter(|sample| sample.served.is_none())).collect();
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, answered) in named?.iter().flat_map(|sample| &sample.load.by_worker) {
        *sums.entry(name).or_default() += answered;
    }
    (!sums.is_empty()).then(|| sums.into_values().collect())
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
        lock_wait_ns: middle(|usage| usage.lock_wait_ns),
        disk_read_bytes: middle(|usage| usage.disk_read_bytes),
        disk_write_bytes: middle(|usage| usage.disk_write_bytes),
    }
}
