//! What only the cells of `http` scenarios have.

use std::collections::BTreeMap;

use protocol::ErrorKind;
use serde::{Deserialize, Serialize};

/// Times below which a share of the requests lies, in nanoseconds. A percentile with too few requests behind it is
/// `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Half of the requests took no longer.
    pub p50: Option<u64>,
    /// 95 % took no longer.
    pub p95: Option<u64>,
    /// 99 % took no longer.
    pub p99: Option<u64>,
    /// 99.9 % took no longer.
    pub p999: Option<u64>,
    /// The longest, exact.
    pub max: u64,
    /// How many requests these figures are of.
    pub count: u64,
}

impl Percentiles {
    /// The highest percentile up to the 99th that is known, with its name.
    #[must_use]
    pub fn tail(&self) -> Option<(&'static str, u64)> {
        [("p99", self.p99), ("p95", self.p95), ("p50", self.p50)].into_iter().find_map(|(name, ns)| Some((name, ns?)))
    }
}

/// What became of the requests: sums over the counted runs, rates their medians.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestsSummary {
    /// Requests that were sent.
    pub sent: u64,
    /// Requests that got the right answer.
    pub completed: u64,
    /// Requests that were planned and never sent, because the run was over before a connection was free.
    pub unsent: u64,
    /// Requests that were sent only after the end of the schedule.
    pub sent_late: u64,
    /// Requests that were out when the client stopped waiting.
    pub stragglers: u64,
    /// How old the oldest of them was.
    pub oldest_straggler_ns: Option<u64>,
    /// Requests without the right answer by kind; a kind that did not happen is absent.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Most requests that were out at the same time, in any run.
    pub max_in_flight: u64,
    /// Requests a second that an open loop was asked for.
    pub asked_rate_per_s: Option<f64>,
    /// Requests a second that it sent over the planned duration.
    pub achieved_rate_per_s: Option<f64>,
}

impl RequestsSummary {
    /// Requests without the right answer, of all kinds.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// What the load generator took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientSummary {
    /// Its threads.
    pub threads: u32,
    /// Cores that it really used: CPU time over set-up and elapsed time. Median over the counted runs.
    pub cores_used: Option<f64>,
    /// Its CPU time for each request that it sent, all counted runs together.
    pub cpu_ns_per_request: Option<f64>,
}
