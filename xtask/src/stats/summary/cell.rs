//! A cell and all its figures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    ClientSummary, Flag, LimitedBy, Percentiles, Ratio, RequestsSummary, SetAside, Spread, Status, UsageSummary,
    Verdict,
};
use crate::engine::failure::FailureKind;
use crate::matrix::axis::Axes;

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellSummary {
    /// Its id.
    pub id: String,
    /// Its coordinates.
    pub axes: Axes,
    /// How it ended.
    pub status: Status,
    /// Why it has no figures, where it has none.
    pub reason: Option<String>,
    /// The same as a word, for programs.
    pub failure: Option<FailureKind>,
    /// The last lines of the worker's stderr, where it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
    /// Counted runs that gave a sample.
    pub runs: u32,
    /// Tasks of each counted run; absent for servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Elapsed time of the counted runs, in nanoseconds; set-up included where the scenario says so. Opening connections
    /// is never included.
    pub elapsed_ns: Option<Spread<u64>>,
    /// Set-up time of the counted runs, in nanoseconds.
    pub setup_ns: Option<Spread<u64>>,
    /// Tasks a second over the counted runs; right answers a second of an HTTP cell.
    pub throughput_per_s: Option<Spread<f64>>,
    /// Speed relative to the baseline, where the cell is in one comparison or its ratio is the same in all.
    pub ratio: Option<Ratio>,
    /// What the ratio says.
    pub verdict: Option<Verdict>,
    /// From the intended send time of a request to its whole answer, right answers of all counted runs together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<Percentiles>,
    /// The same from the real send time. Absent in a closed loop, where the two are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_ns: Option<Percentiles>,
    /// How late the client sent, by its own fault. Absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_lag_ns: Option<Percentiles>,
    /// Latency of every answer, right or wrong, by its class of status, such as `5xx`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_status: BTreeMap<String, Percentiles>,
    /// What became of the requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestsSummary>,
    /// What the load generator took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientSummary>,
    /// Tasks done, or requests answered, by each worker, all counted runs together.
    pub by_worker: Option<Vec<u64>>,
    /// The busiest worker's tasks or requests over the mean.
    pub imbalance: Option<f64>,
    /// Connections accepted by each worker of our own server since its start, as of the last counted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections_by_worker: Option<Vec<u64>>,
    /// Cores really used by the worker or the server: CPU time over set-up and elapsed time, both of which CPU time
    /// covers. Median over the counted runs.
    pub cores_used: Option<f64>,
    /// Cost of a run for the worker or the server: medians over the counted runs, `peak_rss_bytes` their maximum.
    pub usage: UsageSummary,
    /// Time for which some thread of the machine waited for I/O during a run: the median over the counted runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_pressure_ns: Option<u64>,
    /// What holds the cell back, as far as the figures tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<LimitedBy>,
    /// Runs that were measured and do not count, as the machine was disturbed and they were made again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SetAside>,
    /// The checksum that all counted runs computed.
    pub checksum: Option<String>,
    /// What a reader should know, as words from one list.
    pub flags: Vec<Flag>,
    /// The same in sentences, with figures: which run lies how far out, which time was stolen.
    pub notes: Vec<String>,
}

impl CellSummary {
    /// A cell of which nothing is known but its place.
    #[must_use]
    pub fn without_figures(id: String, axes: Axes) -> Self {
        Self {
            id,
            axes,
            status: Status::NotRun,
            reason: None,
            failure: None,
            stderr_tail: Vec::new(),
            runs: 0,
            tasks: None,
            elapsed_ns: None,
            setup_ns: None,
            throughput_per_s: None,
            ratio: None,
            verdict: None,
            latency_ns: None,
            service_ns: None,
            send_lag_ns: None,
            by_status: BTreeMap::new(),
            requests: None,
            client: None,
            by_worker: None,
            imbalance: None,
            connections_by_worker: None,
            cores_used: None,
            usage: UsageSummary::default(),
            io_pressure_ns: None,
            limited_by: None,
            set_aside: Vec::new(),
            checksum: None,
            flags: Vec::new(),
            notes: Vec::new(),
        }
    }
}
