//! Two results, cell by cell. Pure.
//!
//! | file | what it decides |
//! | --- | --- |
//! | here | what a comparison of two results is |
//! | [`pair`](mod@pair) | which cells belong together, and which cannot be compared |
//! | [`index`] | the cells of a result by their place |
//! | [`work`] | whether two cells of one id do the same work |
//! | [`change`] | how much faster or slower, with an interval and a verdict |
//! | [`standing`] | a cell's ratio to its baseline within one result |
//! | [`facts`] | what differs between machines, matrices and programs |
//! | [`plans`] | what differs between two plans |

pub mod change;
pub mod facts;
pub mod index;
pub mod pair;
pub mod plans;
pub mod standing;
pub mod work;

pub use change::Estimate;
pub use facts::Difference;
pub use pair::compare;

use serde::Serialize;

use super::interval::Interval;
use super::summary::Verdict;

/// The version of the JSON that a comparison is printed as.
pub const SCHEMA: u32 = 1;

/// Two results, cell by cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultComparison {
    /// Version of this format.
    pub schema: u32,
    /// The older result, or what the other is held against.
    pub base: Side,
    /// The newer one.
    pub new: Side,
    /// What is compared.
    pub basis: Basis,
    /// What differs between machines, matrices and programs.
    pub differences: Vec<Difference>,
    /// The cells that could be compared, in the order of the matrix.
    pub changes: Vec<Change>,
    /// The cells that could not, each with its reason.
    pub not_compared: Vec<NotCompared>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// One of the two results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Side {
    /// How it is called.
    pub name: String,
    /// When it was measured; `None` where somebody else published it.
    pub started: Option<String>,
    /// The machine in a few words.
    pub machine: String,
    /// Its CPUs that could be used.
    pub cpus: Option<u32>,
    /// Whether it is what somebody else published.
    pub is_published: bool,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Elapsed times of tasks, and answers a second of servers.
    Speed,
    /// The ratio of each cell to its own baseline: machines differ.
    Ratio,
}

/// One cell in both results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Its scenario.
    pub scenario: String,
    /// Its id.
    pub cell: String,
    /// Id of the baseline that ratios are taken against; `None` where speeds are compared.
    pub baseline: Option<String>,
    /// What the values are.
    pub unit: Unit,
    /// In the base.
    pub base: Estimate,
    /// In the new result.
    pub new: Estimate,
    /// New speed over base speed, or new ratio over base ratio: above 1 is faster than it was.
    pub change: Estimate,
    /// The noise floor of both results as a share; `None` where neither knows one.
    pub floor: Option<f64>,
    /// What that says; `None` where a side has no interval and can have none.
    pub verdict: Option<Verdict>,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Elapsed time in nanoseconds: less is faster.
    Ns,
    /// Tasks or right answers a second.
    PerS,
    /// A speed ratio.
    Ratio,
}

/// A cell that could not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotCompared {
    /// Its id.
    pub cell: String,
    /// What kind of reason it is.
    pub why: Why,
    /// The reason in words.
    pub reason: String,
}

/// Why a cell could not be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Measured in the base, and no figures in the new result.
    Lost,
    /// Only the base has it.
    OnlyInBase,
    /// Only the new result has it.
    OnlyInNew,
    /// Figures in the new result only.
    Gained,
    /// It does not do the same work in both.
    OtherWork,
    /// There is no figure of it that could be compared.
    NoFigure,
}

impl Change {
    /// Whether there are runs enough on both sides for a verdict other than unresolved.
    #[must_use]
    pub fn can_be_resolved(&self) -> bool {
        let Estimate { low: Some(low), high: Some(high), confidence: Some(confidence), .. } = self.change else {
            return false;
        };
        Interval { low, high, confidence }.is_enough()
    }
}

impl ResultComparison {
    /// How many changes have this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.changes.iter().filter(|change| change.verdict == Some(verdict)).count()
    }

    /// The cells that are slower by more than this share of their speed, and those that cannot be measured any more.
    #[must_use]
    pub fn slower_by(&self, share: f64) -> Vec<&str> {
        let is_slower = |change: &&Change| change.verdict == Some(Verdict::Slower) && 1.0 - change.change.value > share;
        let slower = self.changes.iter().filter(is_slower).map(|change| change.cell.as_str());
        let lost = self.not_compared.iter().filter(|it| it.why == Why::Lost).map(|it| it.cell.as_str());
        slower.chain(lost).collect()
    }

    /// How many of the intervals miss the truth by chance alone, on average; `None` where there are no intervals.
    #[must_use]
    pub fn missed_by_chance(&self) -> Option<f64> {
        let confidences: Vec<f64> = self.changes.iter().filter_map(|change| change.change.confidence).collect();
        (!confidences.is_empty()).then(|| confidences.iter().map(|confidence| 1.0 - confidence).sum())
    }
}
