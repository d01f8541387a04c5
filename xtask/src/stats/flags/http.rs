//! What only HTTP cells are flagged for: whether the load generator can be trusted, and what became of the requests.

use std::time::Duration;

use super::Note;
use crate::matrix::plan::HttpWork;
use crate::number::{counted, grouped, significant};
use crate::stats::summary::{CellSummary, Flag, RequestsSummary};

/// The client is at its limit when it used this share of the cores that its threads could use.
pub const CLIENT_SHARE: f64 = 0.9;

/// The client is late when its send lag exceeds this share of the median latency: that much of it may be the client's.
pub const LAG_SHARE: f64 = 0.1;

/// Send lag up to this is what a timer and a wake-up take, and is forgiven however fast the server.
pub const LAG_FORGIVEN: Duration = Duration::from_micros(100);

/// An open loop has met its rate when it sent this share of its schedule before the end of it.
pub const RATE_SHARE: f64 = 0.99;

/// The flags of an HTTP cell whose figures are filled in. `cores` is how many CPUs the client could use.
#[must_use]
pub fn notes(work: &HttpWork, cores: u32, summary: &CellSummary) -> Vec<Note> {
    let mut notes = Vec::new();
    notes.extend(saturated(work, cores, summary));
    notes.extend(late(summary));
    if let Some(requests) = &summary.requests {
        notes.extend(rate_not_met(requests));
        notes.extend(errors(requests));
        notes.extend(stragglers(requests));
    }
    notes
}

/// The client's CPU time against what its threads could have had.
fn saturated(work: &HttpWork, cores: u32, summary: &CellSummary) -> Option<Note> {
    let used = summary.client?.cores_used?;
    let could = work.load.threads.min(cores).max(1);
    (used >= f64::from(could) * CLIENT_SHARE).then(|| {
        let could = counted(could.into(), "core", "cores");
        let text = format!("the client used {used:.2} of the {could} that it could: the server may be able to do more");
        (Flag::ClientBound, text)
    })
}

/// How late the client sent, against the latency that it reports. Open loops only: a closed one has no send lag.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn late(summary: &CellSummary) -> Option<Note> {
    let (name, lag) = summary.send_lag_ns?.tail()?;
    let median = summary.latency_ns?.p50?;
    let (lag, median) = (Duration::from_nanos(lag), Duration::from_nanos(median));
    let share = lag.as_nanos() as f64 / median.as_nanos().max(1) as f64;
    (lag > LAG_FORGIVEN && share > LAG_SHARE).then(|| {
        let text = format!(
            "the client sent late: the {name} of its send lag is {} ms, {:.0} % of the median latency",
            significant(lag.as_secs_f64() * 1e3, 3),
            share * 100.0
        );
        (Flag::ClientBound, text)
    })
}

/// Whole where it is large: `1,109`, `0.500`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates are at most 10,000,000")]
fn asked_rate(per_s: f64) -> String {
    if per_s < 100.0 { significant(per_s, 3) } else { grouped(per_s.round() as u64) }
}

/// Held against the schedule and not against the rate: Poisson arrivals are more or fewer by chance.
#[expect(clippy::cast_precision_loss, reason = "requests are far below 2^53")]
fn rate_not_met(requests: &RequestsSummary) -> Option<Note> {
    let asked = requests.asked_rate_per_s?;
    let planned = requests.sent.saturating_add(requests.unsent);
    let in_time = requests.sent.saturating_sub(requests.sent_late);
    let is_short = (in_time as f64) < planned as f64 * RATE_SHARE;
    is_short.then(|| {
        let text = format!(
            "{} of {} requests were not sent in time at {} a second, because no connection was free",
            grouped(planned - in_time),
            grouped(planned),
            asked_rate(asked)
        );
        (Flag::RateNotMet, text)
    })
}

fn errors(requests: &RequestsSummary) -> Option<Note> {
    let failed = requests.failed();
    (failed > 0).then(|| {
        let kinds: Vec<String> =
            requests.errors.iter().map(|(kind, count)| format!("{} {kind}", grouped(*count))).collect();
        let of = counted(requests.sent, "request", "requests");
        (Flag::Errors, format!("{} of {of} failed: {}", grouped(failed), kinds.join(", ")))
    })
}

fn stragglers(requests: &RequestsSummary) -> Option<Note> {
    (requests.stragglers > 0).then(|| {
        let count = counted(requests.stragglers, "request", "requests");
        let age = requests.oldest_straggler_ns.map(|ns| Duration::from_nanos(ns).as_secs_f64());
        let age = age.map(|seconds| format!(", the oldest {seconds:.1} s old")).unwrap_or_default();
        (Flag::Stragglers, format!("{count} had no answer when the client stopped waiting{age}"))
    })
}

#[cfg(test)]
mod tests {
    use protocol::ErrorKind;

    use super::*;
    use crate::stats::fixtures::{http_summary, http_work, spread_out};
    use crate::stats::summary::ClientSummary;

    fn flagged(change: impl FnOnce(&mut CellSummary)) -> Vec<Note> {
        let mut summary = http_summary("c");
        change(&mut summary);
        notes(&http_work(), 2, &summary)
    }

    fn asked(requests: &mut RequestsSummary, sent: u64, unsent: u64) {
        *requests = RequestsSummary {
            sent,
            completed: sent,
            unsent,
            asked_rate_per_s: Some(500.0),
            ..RequestsSummary::default()
        };
    }

    #[test]
    fn a_good_run_has_no_flags() {
        assert_eq!(flagged(|_| {}), []);
    }

    #[test]
    fn a_client_that_used_nine_tenths_of_its_threads_is_at_its_limit() {
        let client = |cores: f64| ClientSummary { threads: 1, cores_used: Some(cores), cpu_ns_per_request: None };
        assert_eq!(flagged(|summary| summary.client = Some(client(0.89))), []);
        assert_eq!(
            flagged(|summary| summary.client = Some(client(0.9))),
            [(
                Flag::ClientBound,
                "the client used 0.90 of the 1 core that it could: the server may be able to do more".to_owned()
            )]
        );
    }

    #[test]
    fn more_threads_than_cpus_cannot_use_more_than_the_cpus() {
        let mut summary = http_summary("c");
        summary.client = Some(ClientSummary { threads: 8, cores_used: Some(1.85), cpu_ns_per_request: None });
        let mut work = http_work();
        work.load.threads = 8;
        assert_eq!(notes(&work, 2, &summary).len(), 1);
        assert_eq!(notes(&work, 8, &summary), []);
    }

    #[test]
    fn a_client_that_sends_late_for_the_latency_it_reports_is_bound() {
        let lag = |lag_us: u64, latency_us: u64| {
            flagged(|summary| {
                summary.send_lag_ns = Some(spread_out(lag_us * 1_000));
                summary.latency_ns = Some(spread_out(latency_us * 1_000));
            })
        };
        assert_eq!(lag(100, 200), [], "100 µs are forgiven");
        assert_eq!(lag(2_000, 20_000), [], "a tenth is not more than a tenth");
        assert_eq!(
            lag(3_000, 20_000),
            [(
                Flag::ClientBound,
                "the client sent late: the p99 of its send lag is 3.00 ms, 15 % of the median latency".to_owned()
            )]
        );
    }

    #[test]
    fn a_schedule_of_which_a_hundredth_was_not_sent_is_not_met() {
        let met = flagged(|summary| asked(summary.requests.as_mut().unwrap(), 990, 10));
        assert_eq!(met, []);
        let not_met = flagged(|summary| asked(summary.requests.as_mut().unwrap(), 2_200, 300));
        let text = "300 of 2,500 requests were not sent in time at 500 a second, because no connection was free";
        assert_eq!(not_met, [(Flag::RateNotMet, text.to_owned())]);
        let late = flagged(|summary| {
            let requests = summary.requests.as_mut().unwrap();
            asked(requests, 2_500, 0);
            requests.sent_late = 300;
        });
        assert_eq!(late, not_met, "a queue that was worked off later was a queue");
    }

    #[test]
    fn errors_are_told_by_kind_and_stragglers_by_age() {
        let notes = flagged(|summary| {
            let requests = summary.requests.as_mut().unwrap();
            requests.errors = [(ErrorKind::Timeout, 2), (ErrorKind::Reset, 10)].into();
            requests.stragglers = 1;
            requests.oldest_straggler_ns = Some(8_240_000_000);
        });
        assert_eq!(
            notes,
            [
                (Flag::Errors, "12 of 5,000 requests failed: 10 reset, 2 timeout".to_owned()),
                (
                    Flag::Stragglers,
                    "1 request had no answer when the client stopped waiting, the oldest 8.2 s old".to_owned()
                )
            ]
        );
    }
}
