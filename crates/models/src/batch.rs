//! A job, prepared for its runs.

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use interpreter_lock::InterpreterLock;
use protocol::{BatchJob, Model};
use worker::rehearse;
use workloads::{Operation, interpreter_lock};

/// More threads or processes than this are a mistake in the job rather than a question about this machine.
const MAX_WORKERS: u32 = 32_768;

/// A job, prepared: its operation made, with the files and connections that it needs, its numbers checked, and a lock. All
/// runs of a job share the operation; each has a lock of its own, so that a run does not depend on the ones before.
#[derive(Clone)]
pub struct Batch {
    /// What one step of a task does.
    pub operation: Operation,
    /// The tasks' indices.
    pub indices: Range<u64>,
    /// How many times a task repeats the operation.
    pub steps: u32,
    /// How many threads, processes or loops the model may use.
    pub workers: usize,
    /// The lock that the tasks run under.
    pub lock: InterpreterLock,
    /// The job itself, of which the processes model passes on parts.
    pub job: BatchJob,
}

impl Batch {
    /// Prepares a job.
    ///
    /// # Errors
    /// A number of the job is out of range, the system refuses so many threads, or something that its operation needs is not there;
    /// [`Unsupported`](workloads::Unsupported) if this program does not do the operation.
    pub fn new(job: &BatchJob) -> Result<Self> {
        ensure!(job.workers >= 1, "workers is 0: a job needs at least one");
        ensure!(job.workers <= MAX_WORKERS, "workers is {}: at most {MAX_WORKERS} are possible", job.workers);
        ensure!(job.steps >= 1, "steps is 0: a task does at least one");
        let end = job
            .first_task
            .checked_add(job.tasks)
            .with_context(|| format!("first_task {} and tasks {} together exceed 2^64", job.first_task, job.tasks))?;
        if matches!(job.model, Model::WorkStealing | Model::Offload) {
            rehearse(job.workers as usize)?;
        }
        Ok(Self {
            operation: Operation::prepare(job)?,
            indices: job.first_task..end,
            steps: job.steps,
            workers: job.workers as usize,
            lock: interpreter_lock(job.lock, job.switch_interval_ns),
            job: job.clone(),
        })
    }

    /// The same job, for another run: with a lock that nobody has held yet.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { lock: interpreter_lock(self.job.lock, self.job.switch_interval_ns), ..self.clone() }
    }

    /// The contiguous share of the tasks that falls to one of `workers`. Shares differ by at most one task; the first
    /// ones are the larger.
    #[must_use]
    pub fn share(&self, worker: usize) -> Range<u64> {
        let (worker, workers) = (worker as u64, self.workers as u64);
        let (each, left) = (self.job.tasks / workers, self.job.tasks % workers);
        let start = self.indices.start + worker * each + worker.min(left);
        start..start + each + u64::from(worker < left)
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Lock, Task};

    use super::*;

    fn job(tasks: u64, workers: u32) -> BatchJob {
        BatchJob {
            model: Model::Sequential,
            workers,
            lock: Lock::None,
            switch_interval_ns: None,
            tasks,
            first_task: 10,
            steps: 1,
            task: Task::Burn { iterations: 1 },
        }
    }

    #[test]
    fn shares_are_contiguous_and_differ_by_one_task_at_most() {
        let batch = Batch::new(&job(8, 3)).unwrap();
        assert_eq!([0, 1, 2].map(|worker| batch.share(worker)), [10..13, 13..16, 16..18]);
    }

    #[test]
    fn with_fewer_tasks_than_workers_some_shares_are_empty() {
        let batch = Batch::new(&job(1, 3)).unwrap();
        assert_eq!([0, 1, 2].map(|worker| batch.share(worker)), [10..11, 11..11, 11..11]);
    }

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        let error = |job: BatchJob| Batch::new(&job).err().unwrap().to_string();
        assert_eq!(error(job(1, 0)), "workers is 0: a job needs at least one");
        assert_eq!(error(job(1, 40_000)), "workers is 40000: at most 32768 are possible");
        assert_eq!(error(BatchJob { steps: 0, ..job(1, 1) }), "steps is 0: a task does at least one");
        assert_eq!(error(job(u64::MAX, 1)), "first_task 10 and tasks 18446744073709551615 together exceed 2^64");
    }
}
