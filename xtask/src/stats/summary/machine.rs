//! What the machine did during a run of the matrix.

use serde::{Deserialize, Serialize};

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
