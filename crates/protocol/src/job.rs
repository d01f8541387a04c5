//! What a worker is asked to do.

use serde::{Deserialize, Serialize};

use crate::http::{LoadJob, ServeJob};
use crate::task::Task;
use crate::words::words;

/// The work of a job, by its `kind`.
///
/// The fields of the kind stand in the job object itself: `{"type":"job","protocol":1,"kind":"batch","model":…}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// A fixed set of tasks, run to its end once for every `run` request.
    Batch(BatchJob),
    /// An HTTP server, until stdin closes; a `run` request asks what it served since the last one.
    Serve(ServeJob),
    /// Load on an HTTP server, once for every `run` request.
    Load(LoadJob),
    /// A mail server that takes every mail and keeps none, until stdin closes; a `run` request asks how many it took
    /// since the last one.
    Mail(MailJob),
}

/// A mail server for `smtp-send`, on a loopback port of its choice, which `ready` names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailJob {
    /// How long it waits before it answers a message, as a server across a network does.
    pub delay_ns: u64,
}

/// A fixed set of tasks under one concurrency model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchJob {
    /// How the tasks are made to run at the same time.
    pub model: Model,
    /// How many threads, processes or event loops the model may use; at least 1.
    pub workers: u32,
    /// The interpreter lock that the tasks run under.
    pub lock: Lock,
    /// The lock's switch interval in nanoseconds; `null` or absent means the default of the kind (GIL 5 ms, GVL 100 ms).
    #[serde(default)]
    pub switch_interval_ns: Option<u64>,
    /// How many tasks there are.
    pub tasks: u64,
    /// Index of the first task. Seeds are made from a task's index, so a part of a task set gives its part of the checksum.
    #[serde(default)]
    pub first_task: u64,
    /// How many times each task repeats its operation.
    #[serde(default = "one")]
    pub steps: u32,
    /// What one step of a task does.
    pub task: Task,
}

fn one() -> u32 {
    1
}

words! {
    /// How tasks are made to run at the same time.
    Model {
        /// One after another on one thread.
        Sequential = "sequential",
        /// A fixed pool of OS threads that take tasks from one counter.
        Threads = "threads",
        /// A fixed pool of child processes, each given an even share of the tasks.
        Processes = "processes",
        /// One event loop, all tasks at once.
        Async = "async",
        /// Threads with an event loop each, tasks dealt out evenly.
        Loops = "loops",
        /// One multi-thread work-stealing runtime.
        WorkStealing = "work-stealing",
        /// A rayon pool.
        Rayon = "rayon",
        /// One event loop; the CPU part of each step goes to a pool of threads.
        Offload = "offload",
        /// A fixed pool of threads with an interpreter each (CPython 3.14 and later).
        Interpreters = "interpreters",
        /// A fixed pool of Ractors (Ruby 3.0 and later).
        Ractors = "ractors",
    }
}

words! {
    /// An emulated interpreter lock.
    Lock {
        /// No lock: tasks run in parallel.
        None = "none",
        /// CPython's global interpreter lock.
        Gil = "gil",
        /// Ruby's global VM lock.
        Gvl = "gvl",
    }
}

impl Model {
    /// Whether the model's parallelism depends on `workers`. Where it does not, the axis collapses to one cell.
    #[must_use]
    pub fn uses_workers(self) -> bool {
        !matches!(self, Self::Sequential | Self::Async)
    }

    /// The language that alone has this model, if one has it for itself: workers in others answer `unsupported`.
    #[must_use]
    pub fn language(self) -> Option<&'static str> {
        match self {
            Self::Interpreters => Some("Python"),
            Self::Ractors => Some("Ruby"),
            _ => None,
        }
    }
}
