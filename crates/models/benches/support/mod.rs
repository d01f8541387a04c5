//! What the benches share: being a worker themselves, and medians.

use std::{env, process::ExitCode, time::Duration};

use models::{Worker, worker_main};
use protocol::{BatchJob, Lock, Model, PARENT_PID_VARIABLE, Task};

/// The `processes` model starts the program again that it runs in, which is the bench: then it is a worker.
pub fn be_a_worker_if_started_as_one() -> Option<ExitCode> {
    env::var_os(PARENT_PID_VARIABLE)?;
    Some(worker_main(Worker::Cpu, "0"))
}

/// A batch of burns.
pub fn burns(model: Model, workers: u32, lock: Lock, tasks: u64, iterations: u64) -> BatchJob {
    let task = Task::Burn { iterations };
    BatchJob { model, workers, lock, switch_interval_ns: None, tasks, first_task: 0, steps: 1, task }
}

/// The median of an odd number of durations, or the upper of the two in the middle.
pub fn median(durations: &[Duration]) -> Duration {
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}
