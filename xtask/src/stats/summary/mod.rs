//! `summary.json`: what every table, plot and page is made from.
//!
//! | file | what lives here |
//! | --- | --- |
//! | here | the summary as a whole |
//! | `machine` | what the machine did meanwhile |
//! | `scenario` | a scenario: settings, cells, comparisons |
//! | `comparison` | which cells are held against which, and how they stand |
//! | `cell`, `status` | a cell and its figures; how it ended |
//! | `figure` | what a figure of several runs looks like, and what two make together |
//! | `usage` | what a run cost |
//! | `http` | what only the cells of `http` scenarios have |
//! | `limit` | what holds a cell back |
//! | `flag` | the list of flags |
//! | `floor` | the noise floor of a comparison |
//! | `conclusion` | what a comparison says to a person |
//! | `scaling` | how cells grow with their workers |

mod cell;
mod comparison;
mod conclusion;
mod figure;
mod flag;
mod floor;
mod http;
mod limit;
mod machine;
mod scaling;
mod scenario;
mod status;
mod usage;

pub use cell::CellSummary;
pub use comparison::{ComparisonRow, ComparisonSummary};
pub use conclusion::Conclusion;
pub use figure::{Bound, Ratio, SetAside, Spread, Verdict};
pub use flag::Flag;
pub use floor::{FloorSource, NoiseFloor};
pub use http::{ClientSummary, Percentiles, RequestsSummary};
pub use limit::{Limit, LimitedBy};
pub use machine::MachineSummary;
pub use scaling::{ScalingFit, ScalingPoint, ScalingSummary};
pub use scenario::ScenarioSummary;
pub use status::Status;
pub use usage::UsageSummary;

use serde::{Deserialize, Serialize};

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
