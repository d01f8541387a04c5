//! Whether a sample can be an answer to its job. Whether its checksum is the right one is not decided here: only the
//! whole of a result can tell, see [`stats::verify`](crate::stats::verify).

use protocol::{Checksum, Job, Sample};

use super::failure::{Failure, FailureKind};

/// Checks a sample against its job.
///
/// # Errors
/// Not all tasks were done, or the checksum is not one.
pub fn check(job: &Job, sample: &Sample) -> Result<(), Failure> {
    let bad = |reason| Err(Failure { kind: FailureKind::BadAnswer, reason, stderr_tail: Vec::new() });
    let Job::Batch(batch) = job else { return Ok(()) };
    if sample.tasks != batch.tasks {
        return bad(format!("the sample says that {} tasks were done; asked for were {}", sample.tasks, batch.tasks));
    }
    if sample.checksum.len() != 16 || sample.checksum.parse::<Checksum>().is_err() {
        return bad(format!("the checksum {:?} is not a number of 16 hexadecimal digits", sample.checksum));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use protocol::{BatchJob, Lock, Model, Task};

    use super::*;

    fn reason(tasks: u64, checksum: &str) -> Option<String> {
        let job = Job::Batch(BatchJob {
            model: Model::Sequential,
            workers: 1,
            lock: Lock::None,
            switch_interval_ns: None,
            tasks: 2,
            first_task: 0,
            steps: 1,
            task: Task::SumOfSquares { n: 1 },
        });
        let sample =
            Sample { elapsed_ns: 1, setup_ns: 1, tasks, checksum: checksum.to_owned(), workers: vec![], usage: None };
        check(&job, &sample).err().map(|failure| failure.reason)
    }

    #[test]
    fn a_sample_of_all_tasks_with_a_checksum_is_an_answer() {
        assert_eq!(reason(2, "00000000000000ff"), None);
    }

    #[test]
    fn a_sample_of_other_tasks_or_without_a_checksum_is_none() {
        let reasons = [reason(1, "00000000000000ff"), reason(2, "ff"), reason(2, "a checksum of 16")];
        assert_eq!(
            reasons.map(Option::unwrap),
            [
                "the sample says that 1 tasks were done; asked for were 2",
                "the checksum \"ff\" is not a number of 16 hexadecimal digits",
                "the checksum \"a checksum of 16\" is not a number of 16 hexadecimal digits",
            ]
        );
    }
}
