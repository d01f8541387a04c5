//! `summary.json`: what every table, plot and page is made from.
//!
//! | file | what lives here |
//! | --- | --- |
//! | here | the summary, its scenarios and cells |
//! | `figure` | what a figure of several runs looks like, and what two make together |
//! | `floor` | the noise floor of a comparison |
//! | `conclusion` | what a comparison says to a person |
//! | `scaling` | how cells grow with their workers |
//! | `limit` | what holds a cell back |
//! | `http` | what only the cells of `http` scenarios have |
//! | `flag` | the list of flags |

use std::collections::BTreeMap;

mod conclusion;
mod figure;
mod flag;
mod floor;
mod http;
mod limit;
mod scaling;

pub use conclusion::Conclusion;
pub use figure::{Bound, Ratio, SetAside, Spread, Verdict};
pub use flag::Flag;
pub use floor::{FloorSource, NoiseFloor};
pub use http::{ClientSummary, Percentiles, RequestsSummary};
pub use limit::{Limit, LimitedBy};
pub use scaling::{ScalingFit, ScalingPoint, ScalingSummary};

use serde::{Deserialize, Serialize};

use super::verdict::ASSUMED_FLOOR;
use crate::engine::failure::FailureKind;
use crate::matrix::axis::{Axes, Axis, AxisValue};

/// The version of `summary.json`.
pub const SCHEMA: u32 = 1;

/// One run of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of this format.
    pub schema: u32,
    /// Whether every planned repetition was tried.
    pub complete: bool,
    /// When the first repetition began, RFC 3339 in UTC.
    pub started: String,
    /// When the last one ended, RFC 3339 in UTC.
    pub ended: String,
    /// How long it ran: from `started` to `ended`, without the gaps of a run that was interrupted and resumed.
    pub wall_ns: u64,
    /// How much of that went into making things ready between scenarios, while nothing was measured: building, counting.
    #[serde(default)]
    pub prepared_ns: u64,
    /// Set-up and elapsed time of all counted runs.
    pub measured_ns: u64,
    /// Set-up and elapsed time of all warm-ups.
    pub warmup_ns: u64,
    /// What the machine did meanwhile.
    pub machine: MachineSummary,
    /// The scenarios, in the order of the matrix.
    pub scenarios: Vec<ScenarioSummary>,
}

impl Summary {
    /// The text of `summary.json`: readable, ends in a line feed.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a summary has string keys only") + "\n"
    }

    /// The cells of all scenarios, in order.
    pub fn cells(&self) -> impl Iterator<Item = &CellSummary> {
        self.scenarios.iter().flat_map(|scenario| &scenario.cells)
    }
}

/// What the machine did during all repetitions, warm-ups included. What the system does not tell is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineSummary {
    /// CPU time that the hypervisor gave to others, all CPUs together.
    pub stolen_ns: Option<u64>,
    /// Time for which our control group was throttled.
    pub throttled_ns: Option<u64>,
    /// CPU time that other processes of this machine used while our cells ran, all CPUs together.
    pub others_ns: Option<u64>,
    /// Counted runs that were disturbed, those among them that were made again too.
    pub disturbed_runs: u32,
    /// Counted runs that were made again because the first try was disturbed.
    pub repeated_runs: u32,
    /// Counted runs, whatever came of them, with those of A/A twins.
    pub counted_runs: u32,
}

/// One scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioSummary {
    /// Its name.
    pub name: String,
    /// `batch` or `http`.
    pub kind: String,
    /// What it asks.
    pub question: Option<String>,
    /// The compared axis.
    pub compare: Option<String>,
    /// Whether the figures called elapsed include set-up time.
    pub include_setup: bool,
    /// Warm-ups, recorded and never counted.
    pub warmups: u32,
    /// Counted runs planned for each cell.
    pub runs: u32,
    /// `interleaved` or `sequential`.
    pub order: String,
    /// The axes and their values, in the order of the matrix: the columns and rows of a pivot.
    pub axes: Vec<Axis>,
    /// Settings that all its cells share, by key, as the matrix states them: tasks, workers, …
    pub settings: BTreeMap<String, AxisValue>,
    /// The cells.
    pub cells: Vec<CellSummary>,
    /// Which cells are compared with which.
    pub comparisons: Vec<ComparisonSummary>,
    /// How the cells grow with their workers, where `workers` was swept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<ScalingSummary>,
}

/// The cells that differ only in the compared axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonSummary {
    /// The values of the other axes.
    pub fixed: Axes,
    /// Id of the cell that ratios are taken against.
    pub baseline: Option<String>,
    /// The compared cells, in the order of the axis.
    pub rows: Vec<ComparisonRow>,
    /// How far apart two equal cells may seem to be here. `None` where it was never measured; see
    /// [`floor_share`](Self::floor_share).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<NoiseFloor>,
    /// What a person may conclude. `None` where less than two cells can be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Conclusion>,
}

impl ComparisonSummary {
    /// The noise floor that its verdicts take, as a share: [`ASSUMED_FLOOR`] where none was ever measured.
    #[must_use]
    pub fn floor_share(&self) -> f64 {
        self.floor.as_ref().map_or(ASSUMED_FLOOR, |floor| floor.share)
    }
}

/// One cell's standing in one comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The cell's id.
    pub cell: String,
    /// Speed relative to the baseline.
    pub ratio: Option<Ratio>,
    /// What the ratio says.
    pub verdict: Option<Verdict>,
}

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

/// How a cell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Measured.
    Ok,
    /// Tried and not measured to the end.
    Failed,
    /// Something that it needs is not installed.
    Skipped,
    /// The worker cannot do this combination.
    Unsupported,
    /// Not reached: the matrix was interrupted.
    NotRun,
}

impl Status {
    /// The word that people read.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Unsupported => "unsupported",
            Self::NotRun => "not run",
        }
    }
}

/// What one run cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageSummary {
    /// CPU time in user mode, child processes included.
    pub user_ns: Option<u64>,
    /// CPU time in the kernel, child processes included.
    pub sys_ns: Option<u64>,
    /// Largest resident set, child processes' added.
    pub peak_rss_bytes: Option<u64>,
    /// How many processes that adds up.
    pub processes: Option<u32>,
    /// Context switches because a thread waited.
    pub voluntary_switches: Option<u64>,
    /// Context switches because a thread was preempted.
    pub involuntary_switches: Option<u64>,
    /// Time that threads waited for an emulated interpreter lock, all threads added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_wait_ns: Option<u64>,
    /// Bytes really fetched from storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_read_bytes: Option<u64>,
    /// Bytes handed to storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_write_bytes: Option<u64>,
}
