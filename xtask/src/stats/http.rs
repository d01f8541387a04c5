//! The figures that only an HTTP cell has: latency, what became of the requests, what the client took.

use std::collections::BTreeMap;

use protocol::{Histogram, LoadSample};

use super::histogram::{merge, percentiles};
use super::spread::median;
use super::summary::{CellSummary, ClientSummary, Percentiles, RequestsSummary};
use crate::matrix::plan::{HttpWork, PaceSpec};
use crate::results::record::HttpSample;

/// Fills in what the counted runs of an HTTP cell measured.
pub fn fill_in(summary: &mut CellSummary, work: &HttpWork, runs: &[&HttpSample]) {
    summary.latency_ns = over_all(runs, |load| &load.latency);
    summary.by_status = by_status(runs);
    if let PaceSpec::Open { .. } = work.load.pace {
        summary.service_ns = over_all(runs, |load| &load.service);
        summary.send_lag_ns = over_all(runs, |load| &load.send_lag);
    }
    summary.requests = Some(requests(work, runs));
    summary.client = Some(client(work, runs));
    // Connections outlive runs and are counted from the server's start, so the last run has them all.
    summary.connections_by_worker = runs.last().and_then(|run| Some(run.served.as_ref()?.connections.clone()));
}

/// Percentiles of one histogram of all runs together.
fn over_all(runs: &[&HttpSample], of: impl Fn(&LoadSample) -> &Histogram) -> Option<Percentiles> {
    percentiles(&merge(runs.iter().map(|run| of(&run.load))))
}

fn by_status(runs: &[&HttpSample]) -> BTreeMap<String, Percentiles> {
    let mut classes: BTreeMap<&str, Vec<&Histogram>> = BTreeMap::new();
    for (class, histogram) in runs.iter().flat_map(|run| &run.load.by_status) {
        classes.entry(class).or_default().push(histogram);
    }
    let figures =
        |(class, histograms): (&str, Vec<&Histogram>)| Some((class.to_owned(), percentiles(&merge(histograms))?));
    classes.into_iter().filter_map(figures).collect()
}

fn requests(work: &HttpWork, runs: &[&HttpSample]) -> RequestsSummary {
    let sum = |of: fn(&LoadSample) -> u64| runs.iter().map(|run| of(&run.load)).sum();
    let mut errors = BTreeMap::new();
    for (kind, count) in runs.iter().flat_map(|run| &run.load.errors) {
        *errors.entry(*kind).or_default() += count;
    }
    let asked: Option<Vec<f64>> = runs.iter().map(|run| run.asked_rate_per_s).collect();
    RequestsSummary {
        sent: sum(|load| load.sent),
        completed: sum(|load| load.completed),
        unsent: sum(|load| load.unsent),
        stragglers: sum(|load| load.stragglers),
        oldest_straggler_ns: runs.iter().filter_map(|run| run.load.oldest_straggler_ns).max(),
        errors,
        max_in_flight: runs.iter().map(|run| run.load.max_in_flight).max().unwrap_or(0),
        asked_rate_per_s: asked.and_then(|rates| median(&rates)),
        achieved_rate_per_s: achieved(work, runs),
    }
}

/// Requests a second that an open loop sent, over the duration of its schedule: nothing is sent after that.
#[expect(clippy::cast_precision_loss, reason = "requests are far below 2^53")]
fn achieved(work: &HttpWork, runs: &[&HttpSample]) -> Option<f64> {
    let PaceSpec::Open { duration, .. } = work.load.pace else { return None };
    let rates: Vec<f64> = runs.iter().map(|run| run.load.sent as f64 / duration.as_secs_f64()).collect();
    median(&rates).filter(|rate| rate.is_finite())
}

/// The client measures its CPU time from the opening of its connections to the end of the run.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn client(work: &HttpWork, runs: &[&HttpSample]) -> ClientSummary {
    let cpu_ns = |run: &HttpSample| {
        let usage = run.load.usage.as_ref()?;
        usage.user_ns?.checked_add(usage.sys_ns?)
    };
    let cores = |run: &&HttpSample| {
        let covered = run.load.setup_ns.checked_add(run.load.elapsed_ns).filter(|&ns| ns > 0)?;
        Some(cpu_ns(run)? as f64 / covered as f64)
    };
    let sent: u64 = runs.iter().map(|run| run.load.sent).sum();
    let cpu: Option<u64> = runs.iter().map(|run| cpu_ns(run)).sum();
    ClientSummary {
        threads: work.load.threads,
        cores_used: runs.iter().map(cores).collect::<Option<Vec<f64>>>().and_then(|values| median(&values)),
        cpu_ns_per_request: cpu.filter(|_| sent > 0).map(|cpu| cpu as f64 / sent as f64),
    }
}
