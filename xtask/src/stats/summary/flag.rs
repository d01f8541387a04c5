//! The words for what a reader should know about a cell.

use serde::{Deserialize, Serialize};

/// What a reader should know about a cell, in the order in which tables show it. `docs/flags.md` says what each means
/// and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// Too short for the clock: no ratio is taken.
    BelowResolution,
    /// The load generator was at its limit, or late: the server could have done more.
    ClientBound,
    /// An open loop could not send as many requests as it was asked for.
    RateNotMet,
    /// Some requests did not get the right answer.
    Errors,
    /// Some requests were still out when the client stopped waiting.
    Stragglers,
    /// CPU time was stolen, or the control group was throttled, in a counted run.
    Disturbed,
    /// A counted run lies far from the median.
    Outlier,
    /// One worker did far more than its share.
    Skewed,
    /// Fewer runs than planned: the matrix was interrupted.
    Incomplete,
}
