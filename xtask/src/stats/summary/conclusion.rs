//! What a comparison says to a person.

use serde::{Deserialize, Serialize};

/// What a person may conclude from a comparison: one sentence with figures, and the same for programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// The sentence. It names cells by their value on the compared axis.
    pub sentence: String,
    /// Id of the fastest cell.
    pub fastest: String,
    /// Ids of the cells that cannot be told from it, in the order of the axis; the fastest itself is not among them.
    pub not_told_apart: Vec<String>,
    /// Id of the simplest among the fastest and those that cannot be told from it, or only those of them that are faster
    /// than the baseline, where any is. There is one where the compared axis has ranks of simplicity: `model`, `workers`.
    pub simplest: Option<String>,
    /// Id of the one among the same that needs the least memory, where all of them know theirs.
    pub least_memory: Option<String>,
    /// Verdicts of this comparison that would not stand with Holm's correction for their number.
    pub not_after_holm: Vec<String>,
}
