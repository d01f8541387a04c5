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
        sent_late: sum(|load| load.sent_late),
        stragglers: sum(|load| load.stragglers),
        oldest_straggler_ns: runs.iter().filter_map(|run| run.load.oldest_straggler_ns).max(),
        errors,
        max_in_flight: runs.iter().map(|run| run.load.max_in_flight).max().unwrap_or(0),
        asked_rate_per_s: asked.and_then(|rates| median(&rates)),
        achieved_rate_per_s: achieved(work, runs),
    }
}

/// Requests a second that an open loop sent while its schedule lasted.
#[expect(clippy::cast_precision_loss, reason = "requests are far below 2^53")]
fn achieved(work: &HttpWork, runs: &[&HttpSample]) -> Option<f64> {
    let PaceSpec::Open { duration, .. } = work.load.pace else { return None };
    let rates: Vec<f64> = runs.iter().map(|run| in_time(&run.load) as f64 / duration.as_secs_f64()).collect();
    median(&rates).filter(|rate| rate.is_finite())
}

/// Requests that were sent before the end of the schedule.
fn in_time(load: &LoadSample) -> u64 {
    load.sent.saturating_sub(load.sent_late)
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use protocol::ErrorKind;

    use super::*;
    use crate::matrix::plan::{Cell, Plan};
    use crate::results::record::{Record, SampleRecord};
    use crate::stats::fixtures::{histogram, http, http_sample, load_of, open, plan};
    use crate::stats::summary::{Bound, Flag, ScenarioSummary, Spread};
    use crate::stats::{KnownFloors, RunTimes, summarise};

    const MS: u64 = 1_000_000;

    fn one(plan: &Plan, records: Vec<SampleRecord>) -> ScenarioSummary {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_058_922);
        let times = RunTimes { started: now, ended: now, wall_ns: 0, prepared_ns: 0, complete: true };
        let records: Vec<Record> = records.into_iter().map(Record::Sample).collect();
        summarise(plan, &records, &times, &KnownFloors::default()).scenarios.remove(0)
    }

    fn two_runs(cell: Cell, change: impl Fn(&mut HttpSample)) -> CellSummary {
        let records = [1, 2].map(|round| {
            let mut record = http_sample("s/workers=4", round, 500 * MS);
            change(load_of(&mut record));
            record
        });
        one(&plan("s", None, &[cell]), records.into()).cells.remove(0)
    }

    #[test]
    fn a_closed_loop_has_requests_a_second_latency_balance_and_what_both_sides_took() {
        let cell = two_runs(http(4), |_| {});
        assert_eq!(cell.throughput_per_s, Spread::of(vec![2_000.0, 2_000.0]));
        let latency = cell.latency_ns.unwrap();
        assert_eq!((latency.count, latency.p99, latency.p999, latency.max), (2_000, Some(MS), None, MS));
        assert_eq!((cell.service_ns, cell.send_lag_ns), (None, None));
        assert_eq!(cell.by_status["2xx"].count, 2_000);
        assert_eq!(cell.by_worker, Some(vec![500; 4]));
        assert_eq!((cell.imbalance, cell.connections_by_worker), (Some(1.0), Some(vec![16; 4])));
        assert_eq!(cell.cores_used, Some(2.0));
        let client = cell.client.unwrap();
        assert_eq!((client.threads, client.cores_used, client.cpu_ns_per_request), (1, Some(0.25), Some(125_000.0)));
        let requests = cell.requests.unwrap();
        assert_eq!((requests.sent, requests.completed, requests.max_in_flight), (2_000, 2_000, 64));
        assert_eq!((requests.asked_rate_per_s, requests.achieved_rate_per_s), (None, None));
        assert_eq!(cell.flags, []);
    }

    #[test]
    fn an_open_loop_has_service_time_send_lag_and_both_rates() {
        let cell = two_runs(open(4), |sample| {
            sample.asked_rate_per_s = Some(500.0);
            sample.load.sent = 900;
            sample.load.unsent = 100;
            sample.load.send_lag = histogram(&[(20_000, 899), (30_000, 1)]);
        });
        assert_eq!(cell.service_ns.unwrap().p50, Some(MS));
        assert_eq!((cell.send_lag_ns.unwrap().p99, cell.send_lag_ns.unwrap().max), (Some(20_000), 30_000));
        let requests = cell.requests.unwrap();
        assert_eq!((requests.asked_rate_per_s, requests.achieved_rate_per_s), (Some(500.0), Some(450.0)));
        assert_eq!(cell.flags, [Flag::RateNotMet]);
    }

    #[test]
    fn errors_add_up_by_kind_and_stay_out_of_the_latency_of_right_answers() {
        let cell = two_runs(http(4), |sample| {
            sample.load.errors = [(ErrorKind::Status, 10), (ErrorKind::Timeout, 1)].into();
            sample.load.by_status.insert("5xx".to_owned(), histogram(&[(50_000, 10)]));
            sample.load.stragglers = 1;
            sample.load.oldest_straggler_ns = Some(7_000 * MS);
        });
        let requests = cell.requests.unwrap();
        assert_eq!(requests.errors, [(ErrorKind::Timeout, 2), (ErrorKind::Status, 20)].into());
        assert_eq!((requests.failed(), requests.stragglers), (22, 2));
        assert_eq!(cell.latency_ns.unwrap().p50, Some(MS));
        assert_eq!((cell.by_status["5xx"].p50, cell.by_status["5xx"].p95), (Some(50_000), None));
        assert_eq!(cell.flags, [Flag::Errors, Flag::Stragglers]);
    }

    #[test]
    fn all_requests_on_one_loop_are_skewed() {
        let cell = two_runs(http(4), |sample| sample.served.as_mut().unwrap().requests = vec![0, 0, 0, 256]);
        assert_eq!((cell.flags.as_slice(), cell.imbalance), (&[Flag::Skewed][..], Some(4.0)));
        assert_eq!(cell.notes, ["worker 4 of 4 did 512 of 512 requests"]);
    }

    #[test]
    fn workers_that_only_answers_tell_of_are_added_by_name() {
        let names = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 100)).collect();
        let mut records: Vec<SampleRecord> =
            [1, 2].map(|round| http_sample("s/workers=4", round, 500 * MS)).into_iter().collect();
        for (record, seen) in records.iter_mut().zip([&["a", "b"][..], &["b", "c"][..]]) {
            let sample = load_of(record);
            sample.served = None;
            sample.load.by_worker = names(seen);
        }
        let cell = one(&plan("s", None, &[http(4)]), records).cells.remove(0);
        assert_eq!(cell.by_worker, Some(vec![100, 200, 100]));
        assert_eq!((cell.cores_used, cell.connections_by_worker), (None, None));
    }

    #[test]
    fn the_ratio_is_of_requests_a_second_and_opening_connections_is_no_part_of_it() {
        let mut plan = plan("s", Some("workers"), &[http(1), http(4)]);
        plan.scenarios[0].include_setup = true;
        let run = |cell: &str, round, elapsed_ms| {
            let mut record = http_sample(cell, round, elapsed_ms * MS);
            load_of(&mut record).load.setup_ns = 999 * MS;
            record
        };
        let records = [1, 2].map(|round| [run("s/workers=1", round, 650), run("s/workers=4", round, 200)]);
        let scenario = one(&plan, records.into_iter().flatten().collect());
        assert_eq!(scenario.kind, "http");
        let ratio = scenario.cells[1].ratio.unwrap();
        assert_eq!((format!("{:.2}", ratio.value), ratio.bound), ("3.25".to_owned(), None));
        assert_eq!(scenario.cells[1].elapsed_ns.as_ref().unwrap().median, 200 * MS);
    }

    #[test]
    fn a_client_at_its_limit_makes_the_ratio_a_bound() {
        let records = [1, 2].map(|round| {
            let mut bound = http_sample("s/workers=4", round, 200 * MS);
            load_of(&mut bound).load.usage.as_mut().unwrap().user_ns = Some(190 * MS);
            [http_sample("s/workers=1", round, 650 * MS), bound]
        });
        let plan = plan("s", Some("workers"), &[http(1), http(4)]);
        let scenario = one(&plan, records.into_iter().flatten().collect());
        assert_eq!(scenario.cells[1].flags, [Flag::ClientBound]);
        assert_eq!(scenario.cells[1].ratio.unwrap().bound, Some(Bound::AtLeast));
    }

    #[test]
    fn open_loops_have_no_ratio() {
        let plan = plan("s", Some("workers"), &[open(1), open(4)]);
        let records =
            [1, 2].map(|round| ["s/workers=1", "s/workers=4"].map(|cell| http_sample(cell, round, 2_000 * MS)));
        let scenario = one(&plan, records.into_iter().flatten().collect());
        assert_eq!((scenario.cells[0].ratio, scenario.cells[1].ratio), (None, None));
    }

    #[test]
    fn what_a_batch_cell_does_not_have_is_not_in_its_json() {
        let batch = serde_json::to_value(crate::stats::fixtures::cell("b", &[1])).unwrap();
        let http = serde_json::to_value(two_runs(http(4), |_| {})).unwrap();
        for key in ["latency_ns", "by_status", "requests", "client", "connections_by_worker"] {
            assert!(batch.get(key).is_none() && http.get(key).is_some(), "{key}");
        }
        assert_eq!(http["latency_ns"]["p999"], serde_json::Value::Null);
    }
}
