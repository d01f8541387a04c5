//! Whether the work was done: cells that do the same work must compute the same checksum.

use std::collections::HashMap;

use protocol::Model;

use super::records::{CellRecords, Sorted};
use crate::engine::failure::{Failure, FailureKind};
use crate::matrix::plan::{BatchWork, Cell, Plan, TaskCount, TaskSpec, Work};

/// What makes two cells do the same work. CPU work given as time is turned into a count for each runtime, so there the
/// runtime belongs to it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SameWork<'a> {
    task: &'a TaskSpec,
    tasks: TaskCount,
    steps: u32,
    runtime: Option<&'a str>,
}

/// A cell that may vote on its group's checksum.
#[derive(Debug)]
struct Voter<'a> {
    cell: &'a Cell,
    is_baseline: bool,
    checksum: &'a str,
}

/// The cells whose checksum is wrong, by id, with the reason.
///
/// Within a cell all runs must agree. Of the cells that do the same work, in whichever scenario, the majority is right;
/// at a tie the sequential cell, then a baseline, then the first of the plan is.
#[must_use]
pub fn wrong_checksums<'a>(plan: &'a Plan, sorted: &Sorted<'a>) -> HashMap<&'a str, Failure> {
    let mut wrong = HashMap::new();
    let mut groups: HashMap<SameWork<'a>, Vec<Voter<'a>>> = HashMap::new();
    for scenario in &plan.scenarios {
        for (index, cell) in scenario.cells.iter().enumerate() {
            let Some(records) = sorted.cells.get(cell.id.as_str()) else { continue };
            if records.failure.is_some() {
                continue;
            }
            match agreed(records) {
                Ok(Some(checksum)) => {
                    let is_baseline = scenario.comparisons.iter().any(|c| c.baseline == Some(index));
                    let Some(work) = same_work(cell) else { continue };
                    groups.entry(work).or_default().push(Voter { cell, is_baseline, checksum });
                }
                Ok(None) => {}
                Err(reason) => drop(wrong.insert(cell.id.as_str(), wrong_checksum(reason))),
            }
        }
    }
    for voters in groups.values() {
        let right = winner(voters);
        for voter in voters.iter().filter(|voter| voter.checksum != right.checksum) {
            let reason = format!(
                "computed checksum {}, but `{}` computed {} for the same work. The work was not done as asked: do not \
                 use its figures, and report it as a bug of the worker.",
                voter.checksum, right.cell.id, right.checksum
            );
            wrong.insert(voter.cell.id.as_str(), wrong_checksum(reason));
        }
    }
    wrong
}

/// The checksum that all counted runs of a cell computed; `None` where there is no run.
///
/// # Errors
/// They disagree: the reason.
pub fn agreed<'a>(records: &CellRecords<'a>) -> Result<Option<&'a str>, String> {
    let mut runs = records.runs.values();
    let Some(first) = runs.next() else { return Ok(None) };
    let Some(checksum) = first.sample.checksum() else { return Ok(None) };
    match runs.find_map(|run| run.sample.checksum().filter(|other| *other != checksum).map(|other| (run, other))) {
        None => Ok(Some(checksum)),
        Some((run, other)) => Err(format!(
            "computed checksum {checksum} in round {} and {other} in round {} of the same cell `{}`. The same work must \
             give the same result: report it as a bug of the worker.",
            first.round, run.round, first.cell
        )),
    }
}

fn same_work(cell: &Cell) -> Option<SameWork<'_>> {
    let Work::Batch(BatchWork { task, tasks, steps, .. }) = &cell.work else { return None };
    let runtime = cell.work.needs_calibration().then_some(cell.runtime.as_str());
    Some(SameWork { task, tasks: *tasks, steps: *steps, runtime })
}

fn is_sequential(cell: &Cell) -> bool {
    matches!(&cell.work, Work::Batch(batch) if batch.model == Model::Sequential)
}

/// The cell that speaks for the right checksum.
fn winner<'v, 'a>(voters: &'v [Voter<'a>]) -> &'v Voter<'a> {
    let mut votes: HashMap<&str, usize> = HashMap::new();
    for voter in voters {
        *votes.entry(voter.checksum).or_default() += 1;
    }
    let standing = |voter: &&Voter<'_>| (votes[voter.checksum], is_sequential(voter.cell), voter.is_baseline);
    // Reversed, because `max_by_key` takes the last of equals and the first of the plan should win.
    voters.iter().rev().max_by_key(standing).expect("a group is made with its first voter")
}

fn wrong_checksum(reason: String) -> Failure {
    Failure { kind: FailureKind::WrongChecksum, reason, stderr_tail: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::record::Record;
    use crate::stats::fixtures::{batch, plan, sample_with_checksum, work_of};
    use crate::stats::records::sort;

    fn wrong(plan: &Plan, records: &[Record]) -> Vec<(String, String)> {
        let mut wrong: Vec<_> = wrong_checksums(plan, &sort(records))
            .into_iter()
            .map(|(id, failure)| (id.to_owned(), failure.reason))
            .collect();
        wrong.sort();
        wrong
    }

    fn ids(wrong: &[(String, String)]) -> Vec<&str> {
        wrong.iter().map(|(id, _)| id.as_str()).collect()
    }

    #[test]
    fn the_majority_is_right_and_the_reason_names_both_checksums_and_a_cell() {
        let plan = plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Threads), batch(Model::Rayon)]);
        let records = [
            sample_with_checksum("s/model=sequential", 1, "bad"),
            sample_with_checksum("s/model=threads", 1, "good"),
            sample_with_checksum("s/model=rayon", 1, "good"),
        ];
        let wrong = wrong(&plan, &records);
        assert_eq!(ids(&wrong), ["s/model=sequential"]);
        for part in ["checksum bad", "`s/model=threads` computed good"] {
            assert!(wrong[0].1.contains(part), "{}", wrong[0].1);
        }
    }

    #[test]
    fn at_a_tie_the_sequential_cell_is_right() {
        let plan = plan("s", Some("model"), &[batch(Model::Threads), batch(Model::Sequential)]);
        let records =
            [sample_with_checksum("s/model=threads", 1, "a"), sample_with_checksum("s/model=sequential", 1, "b")];
        assert_eq!(ids(&wrong(&plan, &records)), ["s/model=threads"]);
    }

    #[test]
    fn at_a_tie_without_a_sequential_cell_the_baseline_is_right() {
        let mut plan = plan("s", Some("model"), &[batch(Model::Threads), batch(Model::Rayon)]);
        plan.scenarios[0].comparisons[0].baseline = Some(1);
        let records = [sample_with_checksum("s/model=threads", 1, "a"), sample_with_checksum("s/model=rayon", 1, "b")];
        assert_eq!(ids(&wrong(&plan, &records)), ["s/model=threads"]);
    }

    #[test]
    fn runs_of_one_cell_must_agree_and_such_a_cell_has_no_vote() {
        let plan = plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Threads)]);
        let records = [
            sample_with_checksum("s/model=sequential", 1, "a"),
            sample_with_checksum("s/model=sequential", 2, "b"),
            sample_with_checksum("s/model=threads", 1, "b"),
        ];
        let wrong = wrong(&plan, &records);
        assert_eq!(ids(&wrong), ["s/model=sequential"]);
        assert!(wrong[0].1.contains("a in round 1 and b in round 2"), "{}", wrong[0].1);
    }

    #[test]
    fn cells_that_do_other_work_need_not_agree() {
        let mut more_steps = batch(Model::Threads);
        let work = work_of(&mut more_steps);
        work.steps = 7;
        let plan = plan("s", Some("model"), &[batch(Model::Sequential), more_steps]);
        let records =
            [sample_with_checksum("s/model=sequential", 1, "a"), sample_with_checksum("s/model=threads", 1, "b")];
        assert_eq!(ids(&wrong(&plan, &records)), [""; 0]);
    }

    #[test]
    fn work_by_time_is_another_count_for_another_runtime() {
        use crate::matrix::plan::CpuWork;
        use std::time::Duration;
        let by_time = |model, runtime: &str| {
            let mut cell = batch(model);
            let work = work_of(&mut cell);
            work.task = TaskSpec::Burn { cpu: CpuWork::Time(Duration::from_millis(1)) };
            runtime.clone_into(&mut cell.runtime);
            cell
        };
        let records =
            [sample_with_checksum("s/model=sequential", 1, "a"), sample_with_checksum("s/model=threads", 1, "b")];
        let two = plan("s", Some("model"), &[by_time(Model::Sequential, "rust"), by_time(Model::Threads, "python")]);
        assert_eq!(ids(&wrong(&two, &records)), [""; 0]);
        let one = plan("s", Some("model"), &[by_time(Model::Sequential, "rust"), by_time(Model::Threads, "rust")]);
        assert_eq!(ids(&wrong(&one, &records)), ["s/model=threads"]);
    }
}
