//! Batches: every model with every operation that the worker does, in several shapes.

use protocol::{Job, Model, Reply, Sample, Task};

use super::jobs::{self, Folder, SHAPES, Shape, WAIT_NS};
use super::ledger::{Breach, Ledger};
use super::life::{ends_well, nothing_left};
use super::rules::Rule;
use super::support::Known;
use super::talk::{Answer, Stop, Talk};
use super::{Inspector, reference};

/// Runs of a job: a warm-up and two that count.
const RUNS: [bool; 3] = [true, false, false];

pub(super) fn check(
    inspector: &Inspector<'_>,
    folder: &Folder,
    known: &Known,
    ledger: &mut Ledger,
) -> Result<(), Stop> {
    for (model, task) in &known.batches {
        let mut talk = inspector.start()?;
        // The cheapest operation shows what the model makes of the shapes; the others show the operation.
        let first = known.batches.iter().find(|(other, _)| other == model).is_some_and(|(_, first)| first == task);
        let shapes = if first { &SHAPES[..] } else { &SHAPES[..1] };
        let mut whole = true;
        for (number, shape) in shapes.iter().enumerate() {
            if number > 0 && !known.takes_second_job {
                talk.end();
                talk = inspector.start()?;
            }
            whole = job(&mut talk, *model, task, *shape, ledger)?;
            if !whole {
                break;
            }
        }
        let case = format!("{model}, {}", task.op());
        if whole {
            ledger.note(Rule::EndWithJob, ends_well(&mut talk, &case, inspector.limits.exit)?);
        }
        ledger.note(Rule::Children, nothing_left(talk, &case));
        if matches!(task.op(), "file-read" | "file-write" | "zip" | "resize-image") {
            let left = folder.entries();
            let result = match left.is_empty() {
                true => Ok(()),
                false => Err(Breach {
                    case,
                    sent: Vec::new(),
                    answered: format!("left {} in `folder`", left.join(", ")),
                    expected: "an empty folder after its end".to_owned(),
                    stderr_tail: Vec::new(),
                }),
            };
            ledger.note(Rule::LeavesNoFiles, result);
        }
    }
    if known.batches.is_empty() {
        ledger.not_checked(Rule::Sample, "it does no batches");
    } else {
        let why = "needs a server";
        jobs::NEED_A_SERVER.iter().for_each(|op| ledger.not_checked(Rule::Checksum, format!("{op}: {why}")));
    }
    Ok(())
}

/// One job and its runs. `false` where it did not come to its end.
fn job(talk: &mut Talk, model: Model, task: &Task, shape: Shape, ledger: &mut Ledger) -> Result<bool, Stop> {
    let Shape { tasks, steps, first_task, workers } = shape;
    let case = format!("{model}, {}: {tasks} tasks from {first_task} on, {steps} steps, {workers} workers", task.op());
    if let Err(breach) = talk.prepare(&Job::Batch(jobs::batch(model, task.clone(), shape)), &case)? {
        ledger.note(Rule::Job, Err(breach));
        return Ok(false);
    }
    let expected = reference::checksum(task, shape).to_string();
    for (number, warmup) in RUNS.into_iter().enumerate() {
        let Answer::Reply(Reply::Sample(sample)) = talk.run(warmup)? else {
            ledger.note(Rule::Sample, Err(talk.breach(&case, "`sample`")));
            return Ok(false);
        };
        ledger.note(Rule::Sample, Ok(()));
        let hold = |holds: bool, words: String| if holds { Ok(()) } else { Err(talk.breach(&case, words)) };
        let right = sample.checksum == expected;
        let told = format!("`checksum` \"{expected}\"");
        let rule = match (number, first_task > u64::from(u32::MAX)) {
            // That the first run is right and a later one is not is another mistake than a wrong sum.
            (0, false) => Rule::Checksum,
            (0, true) => Rule::LargeNumbers,
            _ => Rule::SameWork,
        };
        ledger.note(rule, hold(right, told));
        ledger.note(Rule::Tasks, hold(sample.tasks == tasks, format!("`tasks` {tasks}")));
        let sum: u64 = sample.workers.iter().fold(0, |sum, tasks| sum.saturating_add(*tasks));
        let fits = sample.workers.is_empty() || sum == sample.tasks;
        ledger.note(Rule::ByWorker, hold(fits, format!("`workers` whose sum is {tasks}, or no `workers`")));
        if let Some(least) = least_ns(model, task, shape) {
            ledger.note(Rule::Waits, hold(took_ns(&sample) >= least, format!("`elapsed_ns` of at least {least}")));
        }
        if !right {
            // All further runs would say the same.
            return Ok(true);
        }
        let others = talk.dialogue().others();
        let result = match others.first() {
            None => Ok(()),
            Some(seen) => {
                let did = format!("{} (process {}) lives after the answer", seen.name, seen.pid);
                Err(talk.breach_by(&case, did, "all children are reaped before the answer"))
            }
        };
        ledger.note(Rule::Children, result);
    }
    Ok(true)
}

fn took_ns(sample: &Sample) -> u64 {
    sample.elapsed_ns
}

/// How long a run takes at least, whatever the machine: its waits, one after another where the model cannot do several
/// at once.
fn least_ns(model: Model, task: &Task, shape: Shape) -> Option<u64> {
    if !matches!(task, Task::Wait { .. } | Task::WaitAndBurn { .. }) || shape.tasks == 0 {
        return None;
    }
    let waits = match model {
        Model::Sequential => shape.tasks * u64::from(shape.steps),
        _ => u64::from(shape.steps),
    };
    Some(waits * WAIT_NS)
}
