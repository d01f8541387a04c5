//! The lines of `samples.jsonl`, written as things happen. With the matrix file beside them they are the whole truth
//! of a run: the summary is derived from them.

use protocol::Sample;
use serde::{Deserialize, Serialize};

use crate::engine::failure::Failure;

/// One line of `samples.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// The first line of the file.
    Header {
        /// Version of this file's format.
        schema: u32,
    },
    /// A repetition that was measured.
    Sample(SampleRecord),
    /// A cell that was not measured, or not to its end.
    Failure {
        /// The cell's id.
        cell: String,
        /// The round in which it ended; 0 before the first.
        round: u32,
        /// Whether it ended in a warm-up.
        warmup: bool,
        /// Why.
        failure: Failure,
    },
    /// A repetition that does not count because the orchestrator was suspended in it; it was repeated.
    Voided {
        /// The cell's id.
        cell: String,
        /// The round.
        round: u32,
        /// Why.
        reason: String,
    },
}

/// A repetition that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleRecord {
    /// The cell's id.
    pub cell: String,
    /// The round, from 1 on: which of the counted runs this belongs to.
    pub round: u32,
    /// Whether it is a warm-up: kept, never counted.
    pub warmup: bool,
    /// Place in the order of all repetitions of the matrix, from 0 on.
    pub position: u64,
    /// When the repetition began, in nanoseconds since the matrix started.
    pub started_ns: u64,
    /// What the worker measured.
    pub sample: Sample,
    /// What the machine did meanwhile.
    pub machine: MachineDelta,
}

/// What the machine did around one repetition. What the system does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineDelta {
    /// CPU time that the hypervisor gave to others, all CPUs together.
    pub stolen_ns: Option<u64>,
    /// Time for which our control group was throttled.
    pub throttled_ns: Option<u64>,
    /// Threads that were running or ready when the repetition began, ourselves left out.
    pub run_queue: Option<u32>,
    /// Clock frequency of the first usable CPU when the repetition ended.
    pub cpu_khz: Option<u64>,
}
