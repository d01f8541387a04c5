//! Whether all who do the same work compute the same: the check that turns a wrong checksum into a failed cell.
//!
//! Nobody here knows the right answer, as the orchestrator does no work itself. So cells vote: what most cells
//! computed is taken for right, and of two that tie, what was computed first.

use std::collections::{BTreeSet, HashMap};

use protocol::{Checksum, Job, Sample, Task};

use super::failure::{Failure, FailureKind};

/// What makes two jobs the same work: everything but who does it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct WorkKey {
    tasks: u64,
    first_task: u64,
    steps: u32,
    task: Task,
}

/// Who computed what, in the order of the first vote.
type Votes = Vec<(Checksum, BTreeSet<String>)>;

/// The checksums seen so far.
#[derive(Debug, Default)]
pub struct Agreement {
    votes: HashMap<WorkKey, Votes>,
}

impl Agreement {
    /// Takes a cell's sample into account.
    ///
    /// # Errors
    /// The sample is not one of this job, or most others computed something else.
    pub fn check(&mut self, cell: &str, job: &Job, sample: &Sample) -> Result<(), Failure> {
        let Job::Batch(batch) = job else { return Ok(()) };
        let failure = |kind, reason| Failure { kind, reason, stderr_tail: Vec::new() };
        if sample.tasks != batch.tasks {
            let reason =
                format!("the sample says that {} tasks were done; asked for were {}", sample.tasks, batch.tasks);
            return Err(failure(FailureKind::BadAnswer, reason));
        }
        let checksum: Checksum = sample.checksum.parse().map_err(|_| {
            let reason = format!("the checksum {:?} is not a number of 16 hexadecimal digits", sample.checksum);
            failure(FailureKind::BadAnswer, reason)
        })?;
        let key =
            WorkKey { tasks: batch.tasks, first_task: batch.first_task, steps: batch.steps, task: batch.task.clone() };
        let votes = self.votes.entry(key).or_default();
        match votes.iter_mut().find(|(seen, _)| *seen == checksum) {
            Some((_, cells)) => {
                if !cells.contains(cell) {
                    cells.insert(cell.to_owned());
                }
            }
            None => votes.push((checksum, BTreeSet::from([cell.to_owned()]))),
        }
        // `max_by_key` returns the last of equal ones, hence the reversal.
        let (right, cells) = votes.iter().rev().max_by_key(|(_, cells)| cells.len()).expect("there is this vote");
        if *right == checksum {
            return Ok(());
        }
        let other = cells.first().expect("nobody votes anonymously");
        let more = match cells.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let reason = format!("its checksum is {checksum}, but {other}{more} computed {right} for the same work");
        Err(failure(FailureKind::WrongChecksum, reason))
    }
}

#[cfg(test)]
mod tests {
    use protocol::{BatchJob, Lock, Model};

    use super::*;

    fn job(n: u64) -> Job {
        Job::Batch(BatchJob {
            model: Model::Sequential,
            workers: 1,
            lock: Lock::None,
            switch_interval_ns: None,
            tasks: 2,
            first_task: 0,
            steps: 1,
            task: Task::SumOfSquares { n },
        })
    }

    fn sample(checksum: &str) -> Sample {
        Sample { elapsed_ns: 1, setup_ns: 1, tasks: 2, checksum: checksum.to_owned(), workers: vec![], usage: None }
    }

    #[test]
    fn who_computes_something_else_for_the_same_work_has_failed() {
        let mut agreement = Agreement::default();
        agreement.check("a", &job(1), &sample("000000000000000a")).unwrap();
        agreement.check("a", &job(1), &sample("000000000000000a")).unwrap();
        let failure = agreement.check("b", &job(1), &sample("000000000000000b")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::WrongChecksum);
        assert_eq!(
            failure.reason,
            "its checksum is 000000000000000b, but a computed 000000000000000a for the same work"
        );
    }

    #[test]
    fn other_work_has_another_checksum() {
        let mut agreement = Agreement::default();
        agreement.check("a", &job(1), &sample("000000000000000a")).unwrap();
        agreement.check("b", &job(2), &sample("000000000000000b")).unwrap();
    }

    #[test]
    fn two_outvote_the_first() {
        let mut agreement = Agreement::default();
        agreement.check("wrong", &job(1), &sample("000000000000000a")).unwrap();
        agreement.check("b", &job(1), &sample("000000000000000b")).unwrap_err();
        agreement.check("c", &job(1), &sample("000000000000000b")).unwrap();
        let failure = agreement.check("wrong", &job(1), &sample("000000000000000a")).unwrap_err();
        assert_eq!(
            failure.reason,
            "its checksum is 000000000000000a, but b and 1 more computed 000000000000000b for the same work"
        );
    }

    #[test]
    fn a_sample_of_fewer_tasks_is_a_bad_answer() {
        let short = Sample { tasks: 1, ..sample("000000000000000a") };
        let failure = Agreement::default().check("a", &job(1), &short).unwrap_err();
        assert_eq!(failure.kind, FailureKind::BadAnswer);
        assert_eq!(failure.reason, "the sample says that 1 tasks were done; asked for were 2");
    }

    #[test]
    fn a_checksum_that_is_no_number_is_a_bad_answer() {
        let failure = Agreement::default().check("a", &job(1), &sample("xyz")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::BadAnswer);
    }
}
