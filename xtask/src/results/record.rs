//! The lines of `samples.jsonl`, written as things happen. With the matrix file beside them they are the whole truth
//! of a run: the summary is derived from them.

use protocol::{LoadSample, Sample, Served, Usage};
use serde::{Deserialize, Serialize};

use crate::engine::failure::Failure;

/// One line of `samples.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "nearly all records are samples")]
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

impl Record {
    /// The counted run that it is, if it is one.
    #[must_use]
    pub fn counted(&self) -> Option<&SampleRecord> {
        match self {
            Self::Sample(sample) if !sample.warmup => Some(sample),
            _ => None,
        }
    }
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
    /// What was measured.
    pub sample: Measured,
    /// What the machine did meanwhile.
    pub machine: MachineDelta,
    /// Which attempt at this round it is, from 1 on: a disturbed one is made again.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// What others took of the machine, with figures, where it was more than a run can bear; see
    /// [`disturbance`](crate::engine::disturbance).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<String>,
}

fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_first(attempt: &u32) -> bool {
    *attempt == 1
}

/// What one repetition measured, by the kind of its scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Measured {
    /// A fixed set of tasks: the worker's sample.
    Batch(Sample),
    /// A server under load.
    Http(Box<HttpSample>),
}

/// What a repetition of an HTTP cell measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HttpSample {
    /// The load generator's side.
    pub load: LoadSample,
    /// Our own server's side.
    #[serde(default)]
    pub served: Option<Served>,
    /// What the repetition cost a server that the matrix brings along, read from its process tree.
    #[serde(default)]
    pub server_usage: Option<Usage>,
    /// Requests a second that an open loop was asked for.
    #[serde(default)]
    pub asked_rate_per_s: Option<f64>,
    /// Sockets of this machine in `TIME_WAIT` when the repetition began.
    #[serde(default)]
    pub time_wait: Option<u64>,
}

impl Measured {
    /// Making threads, processes and loops, or opening connections.
    #[must_use]
    pub fn setup_ns(&self) -> u64 {
        match self {
            Self::Batch(sample) => sample.setup_ns,
            Self::Http(sample) => sample.load.setup_ns,
        }
    }

    /// Tasks that were done, or requests that got the right answer.
    #[must_use]
    pub fn done(&self) -> u64 {
        match self {
            Self::Batch(sample) => sample.tasks,
            Self::Http(sample) => sample.load.completed,
        }
    }

    /// What a repetition of an HTTP cell measured.
    #[must_use]
    pub fn http(&self) -> Option<&HttpSample> {
        match self {
            Self::Batch(_) => None,
            Self::Http(sample) => Some(sample),
        }
    }

    /// Tasks or requests by worker, where that is known.
    #[must_use]
    pub fn by_worker(&self) -> Vec<u64> {
        match self {
            Self::Batch(sample) => sample.workers.clone(),
            Self::Http(sample) => match &sample.served {
                Some(served) => served.requests.clone(),
                None => sample.load.by_worker.values().copied().collect(),
            },
        }
    }

    /// What the repetition cost the worker, or the server.
    #[must_use]
    pub fn usage(&self) -> Option<&Usage> {
        match self {
            Self::Batch(sample) => sample.usage.as_ref(),
            Self::Http(sample) => sample.served.as_ref().map_or(sample.server_usage.as_ref(), |it| it.usage.as_ref()),
        }
    }

    /// What the tasks computed. Answers of a server are checked one by one, by the client.
    #[must_use]
    pub fn checksum(&self) -> Option<&str> {
        match self {
            Self::Batch(sample) => Some(&sample.checksum),
            Self::Http(_) => None,
        }
    }

    /// CPU time of all processes of the cell together: the worker's, or the server's and the client's.
    #[must_use]
    pub fn cpu_ns(&self) -> Option<u64> {
        let spent = |usage: &Usage| usage.user_ns?.checked_add(usage.sys_ns?);
        let server = spent(self.usage()?)?;
        match self {
            Self::Batch(_) => Some(server),
            Self::Http(sample) => server.checked_add(spent(sample.load.usage.as_ref()?)?),
        }
    }

    /// The work itself.
    #[must_use]
    pub fn elapsed_ns(&self) -> u64 {
        match self {
            Self::Batch(sample) => sample.elapsed_ns,
            Self::Http(sample) => sample.load.elapsed_ns,
        }
    }
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
    /// Time for which some thread of the machine waited for I/O (pressure stall information).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_pressure_ns: Option<u64>,
    /// Clock frequency of the first usable CPU when the repetition ended.
    pub cpu_khz: Option<u64>,
    /// CPU time that other programs used on the CPUs that we may use: all busy time, less that of the cell's processes
    /// and our own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others_ns: Option<u64>,
    /// Time for which some thread of this machine, ours included, was ready and had to wait for a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure_ns: Option<u64>,
    /// Context switches of the whole machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_switches: Option<u64>,
}
