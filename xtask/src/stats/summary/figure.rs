//! A figure of several runs, and what two such figures make together.

use serde::{Deserialize, Serialize};

/// The values of the counted runs, in the order in which they ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread<T> {
    /// The middle one; the mean of the middle two where their number is even.
    pub median: T,
    /// The smallest.
    pub min: T,
    /// The largest.
    pub max: T,
    /// All.
    pub values: Vec<T>,
}

/// A speed ratio: above 1 is faster than the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Ratio of the medians.
    pub value: f64,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// Probability that the interval covers the true ratio.
    pub confidence: Option<f64>,
    /// Which side of `value` the true ratio lies on, where the load generator held one of the two cells back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
}

/// What a ratio is worth of which one side is only a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The true ratio is at least this: the cell was held back.
    AtLeast,
    /// The true ratio is at most this: its baseline was held back.
    AtMost,
}

/// What a ratio says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is what the others are compared with.
    Baseline,
    /// Faster than the baseline.
    Faster,
    /// Slower than the baseline.
    Slower,
    /// Cannot be told from the baseline.
    Unresolved,
}

impl Verdict {
    /// The word that people read.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Unresolved => "unresolved",
        }
    }
}

/// A run that was measured and does not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetAside {
    /// The round that it was made for.
    pub round: u32,
    /// Its elapsed time in nanoseconds, as `elapsed_ns` of the cell counts it.
    pub elapsed_ns: u64,
    /// Its tasks or right answers a second.
    pub throughput_per_s: Option<f64>,
    /// Why, with figures: which time was lost to whom.
    pub reason: String,
}
