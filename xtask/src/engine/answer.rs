//! Whether a sample can be an answer to its job. Whether its checksum is the right one is not decided here: only the
//! whole of a result can tell, see [`stats::verify`](crate::stats::verify).

use protocol::{Checksum, Job, LoadSample, Sample};

use super::failure::{Failure, FailureKind};

/// Checks a sample against its job.
///
/// # Errors
/// Not all tasks were done, or the checksum is not one.
pub fn check(job: &Job, sample: &Sample) -> Result<(), Failure> {
    let bad = |reason| Err(Failure::new(FailureKind::BadAnswer, reason));
    let Job::Batch(batch) = job else { return Ok(()) };
    if sample.tasks != batch.tasks {
        return bad(format!("the sample says that {} tasks were done; asked for were {}", sample.tasks, batch.tasks));
    }
    if sample.checksum.len() != 16 || sample.checksum.parse::<Checksum>().is_err() {
        return bad(format!("the checksum {:?} is not a number of 16 hexadecimal digits", sample.checksum));
    }
    Ok(())
}

/// Checks that a load generator got right answers. Some errors are no failure: the figures show them.
///
/// # Errors
/// No request got the right answer. The reason has the errors by kind, the most frequent first.
pub fn check_load(sample: &LoadSample) -> Result<(), Failure> {
    if sample.completed > 0 {
        return Ok(());
    }
    let mut kinds: Vec<(u64, String)> = sample.errors.iter().map(|(kind, count)| (*count, kind.to_string())).collect();
    kinds.push((sample.stragglers, "unanswered at the end of the drain".to_owned()));
    kinds.push((sample.unsent, "never sent".to_owned()));
    kinds.retain(|(count, _)| *count > 0);
    kinds.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let all: u64 = kinds.iter().map(|(count, _)| count).sum();
    let kinds: Vec<String> = kinds.into_iter().map(|(count, kind)| format!("{count} {kind}")).collect();
    let mut reason = format!("{all} of {all} requests failed: {}", kinds.join(", "));
    if kinds.is_empty() {
        "the client sent no request".clone_into(&mut reason);
    }
    Err(Failure::new(FailureKind::NoAnswers, reason))
}

#[cfg(test)]
mod tests {
    use protocol::{BatchJob, ErrorKind, Lock, Model, Task};

    use super::super::scripted::load_sample;
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
    fn a_load_without_a_right_answer_is_a_failure_by_kinds() {
        let mut sample = load_sample(0);
        sample.errors = [(ErrorKind::Refused, 2), (ErrorKind::Reset, 997)].into();
        sample.unsent = 1;
        let failure = check_load(&sample).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NoAnswers);
        assert_eq!(failure.reason, "1000 of 1000 requests failed: 997 reset, 2 refused, 1 never sent");
        sample.completed = 1;
        assert_eq!(check_load(&sample), Ok(()));
    }

    #[test]
    fn a_load_that_sent_nothing_says_so() {
        assert_eq!(check_load(&load_sample(0)).unwrap_err().reason, "the client sent no request");
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
