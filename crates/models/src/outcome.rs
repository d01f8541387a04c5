//! What one run of a batch came to.

use std::time::Duration;

use protocol::{Checksum, Sample, Usage};

/// What one run of a batch came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Making threads, processes and loops, until all were ready to be let go.
    pub setup: Duration,
    /// From there to the end of the last task.
    pub elapsed: Duration,
    /// What the tasks computed.
    pub checksum: Checksum,
    /// How many tasks each thread, process or loop did.
    pub by_worker: Vec<u64>,
    /// What child processes cost, if there were any.
    pub children: Option<Usage>,
}

impl Outcome {
    /// The sample on the wire. Its usage is that of the child processes: the process that ran the model adds its own.
    #[must_use]
    pub fn into_sample(self) -> Sample {
        Sample {
            elapsed_ns: nanoseconds(self.elapsed),
            setup_ns: nanoseconds(self.setup),
            tasks: self.by_worker.iter().sum(),
            checksum: self.checksum.to_string(),
            workers: self.by_worker,
            usage: self.children,
        }
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
