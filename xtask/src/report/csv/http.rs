//! The columns that only servers need.

use super::{Figure, Place, text, words};
use crate::stats::summary::{Bound, ClientSummary, Percentiles, RequestsSummary};

pub(super) const FIGURES: &[Figure] = &[
    ("ratio_bound", |at| text(at.row.ratio.and_then(|ratio| ratio.bound).map(bound_word))),
    ("latency_p50_ns", |at| text(latency(at).and_then(|it| it.p50))),
    ("latency_p95_ns", |at| text(latency(at).and_then(|it| it.p95))),
    ("latency_p99_ns", |at| text(latency(at).and_then(|it| it.p99))),
    ("latency_p999_ns", |at| text(latency(at).and_then(|it| it.p999))),
    ("latency_max_ns", |at| text(latency(at).map(|it| it.max))),
    ("latency_count", |at| text(latency(at).map(|it| it.count))),
    ("service_p50_ns", |at| text(at.cell.service_ns.and_then(|it| it.p50))),
    ("service_p99_ns", |at| text(at.cell.service_ns.and_then(|it| it.p99))),
    ("service_max_ns", |at| text(at.cell.service_ns.map(|it| it.max))),
    ("send_lag_p50_ns", |at| text(at.cell.send_lag_ns.and_then(|it| it.p50))),
    ("send_lag_p99_ns", |at| text(at.cell.send_lag_ns.and_then(|it| it.p99))),
    ("send_lag_max_ns", |at| text(at.cell.send_lag_ns.map(|it| it.max))),
    ("asked_rate_per_s", |at| text(requests(at).and_then(|it| it.asked_rate_per_s))),
    ("achieved_rate_per_s", |at| text(requests(at).and_then(|it| it.achieved_rate_per_s))),
    ("sent", |at| text(requests(at).map(|it| it.sent))),
    ("completed", |at| text(requests(at).map(|it| it.completed))),
    ("unsent", |at| text(requests(at).map(|it| it.unsent))),
    ("sent_late", |at| text(requests(at).map(|it| it.sent_late))),
    ("errors", |at| text(requests(at).map(RequestsSummary::failed))),
    ("errors_by_kind", |at| requests(at).map(by_kind).unwrap_or_default()),
    ("stragglers", |at| text(requests(at).map(|it| it.stragglers))),
    ("oldest_straggler_ns", |at| text(requests(at).and_then(|it| it.oldest_straggler_ns))),
    ("max_in_flight", |at| text(requests(at).map(|it| it.max_in_flight))),
    ("client_threads", |at| text(client(at).map(|it| it.threads))),
    ("client_cores_used", |at| text(client(at).and_then(|it| it.cores_used))),
    ("client_cpu_ns_per_request", |at| text(client(at).and_then(|it| it.cpu_ns_per_request))),
    ("connections_by_worker", |at| at.cell.connections_by_worker.as_deref().map(words).unwrap_or_default()),
];

fn latency(at: &Place<'_>) -> Option<Percentiles> {
    at.cell.latency_ns
}

fn requests<'a>(at: &Place<'a>) -> Option<&'a RequestsSummary> {
    at.cell.requests.as_ref()
}

fn client(at: &Place<'_>) -> Option<ClientSummary> {
    at.cell.client
}

/// `reset=10 timeout=2`.
fn by_kind(requests: &RequestsSummary) -> String {
    requests.errors.iter().map(|(kind, count)| format!("{kind}={count}")).collect::<Vec<_>>().join(" ")
}

fn bound_word(bound: Bound) -> &'static str {
    match bound {
        Bound::AtLeast => "at least",
        Bound::AtMost => "at most",
    }
}
