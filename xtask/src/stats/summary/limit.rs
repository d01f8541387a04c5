//! What holds a cell back.

use serde::{Deserialize, Serialize};

/// What holds a cell back, as far as its figures tell, and the figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitedBy {
    /// What.
    pub limit: Limit,
    /// Why we think so, with figures: a sentence.
    pub evidence: String,
}

/// What may hold a cell back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The CPUs: it used about as many cores as there are, or as its model can use.
    Cpu,
    /// The disk.
    Disk,
    /// The interpreter lock.
    Lock,
    /// Whoever it waits for: a server, a timer, another program.
    Peer,
}
