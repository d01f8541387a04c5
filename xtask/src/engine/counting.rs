//! Time → a number of tasks: how many tasks one worker does in the time that `tasks = "330ms"` states, found once per run
//! of the matrix for each kind of task.
//!
//! It is counted with ordinary jobs: `sequential`, one worker, no lock, with a growing number of tasks until they take a
//! quarter of the time; the last number is done twice, and the faster one counts, as whatever disturbs makes it slower. All
//! cells that do the same task then do the same number, whatever their model, lock and runtime.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use protocol::{Lock, Model, Ready};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::calibrations::Calibrations;
use super::failure::Failure;
use super::launcher::{Assignment, Duty, Halt, Launcher, with_session};
use super::signals::Control;
use crate::matrix::plan::{BatchWork, BurnRate, Cell, Plan, Scenario, TaskCount, Work};
use crate::number::hex;

/// So much of the time is long enough to tell how long a task takes.
const LONG_ENOUGH: f64 = 0.25;
/// What the next number aims at, so that it is not missed by a little.
const AIM: f64 = 0.5;
/// How much more the next number may be: the first times are short and so not to be trusted.
const LARGEST_GROWTH: f64 = 100.0;
/// What `tasks` may be at most.
const MOST_TASKS: u64 = 10_000_000;

/// A number of tasks, and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskNumber {
    /// How many tasks every cell does.
    pub tasks: u64,
    /// How many were done by one worker to find it out.
    pub counted_tasks: u64,
    /// How long those took.
    pub took_ns: u64,
    /// The worker, as it calls itself.
    pub worker: String,
}

/// By [`key`]: the number, or why there is none, which is then the failure of every cell that needs it.
pub type Counts = BTreeMap<String, Result<TaskNumber, Failure>>;

/// A scenario whose tasks are counted.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The plan that it is in.
    pub plan: &'a Plan,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Ids of cells that are not run.
    pub skip: &'a HashSet<String>,
}

/// A name for what is counted: the same for two cells that do the same number of the same task.
#[must_use]
pub fn key(work: &BatchWork) -> String {
    let digest = Sha256::digest(format!("{:?} {}", work.task, work.steps));
    let digits = hex(&digest[..4]);
    match work.tasks {
        TaskCount::Time { time, multiple_of } => {
            format!("{} #{digits}: {time:?}, a multiple of {multiple_of}", work.task.op())
        }
        TaskCount::Exactly(count) => format!("{} #{digits}: {count}", work.task.op()),
    }
}

/// Counts the tasks of a scenario's cells that state a time. Numbers that are known already are left as they are: a run
/// that is resumed must do those that it began with. Burn rates must be known before. The answer is what was counted.
///
/// What a person should know goes to `warn`. When somebody asks to stop, what there is stays.
pub fn count(
    subject: &Subject<'_>,
    calibrations: &mut Calibrations,
    launcher: &mut dyn Launcher,
    control: &Control,
    warn: &mut dyn FnMut(String),
) -> Vec<String> {
    let mut counted = Vec::new();
    for cell in subject.scenario.cells.iter().filter(|cell| !subject.skip.contains(&cell.id)) {
        let Work::Batch(work) = &cell.work else { continue };
        let TaskCount::Time { time, multiple_of } = work.tasks else { continue };
        let key = key(work);
        if calibrations.counts.contains_key(&key) {
            continue;
        }
        let found = calibrations.rate(cell).map_err(Halt::Failed).and_then(|rate| {
            let mut counter = Counter { subject, cell, work, rate, launcher: &mut *launcher, warn: &mut *warn };
            counter.count(time, u64::from(multiple_of.max(1)), control)
        });
        let found = match found {
            Ok(number) => Ok(number),
            Err(Halt::Failed(failure)) => Err(failure.during(&format!("counting how many tasks {time:?} are"))),
            Err(Halt::Interrupted | Halt::Suspended) => break,
        };
        calibrations.counts.insert(key.clone(), found);
        counted.push(key);
    }
    counted
}

/// Counts one kind of task.
struct Counter<'a> {
    subject: &'a Subject<'a>,
    cell: &'a Cell,
    work: &'a BatchWork,
    rate: BurnRate,
    launcher: &'a mut dyn Launcher,
    warn: &'a mut dyn FnMut(String),
}

impl Counter<'_> {
    fn count(&mut self, time: Duration, multiple_of: u64, control: &Control) -> Result<TaskNumber, Halt> {
        let enough_ns = time.as_nanos() as f64;
        let mut tasks = 1;
        loop {
            if control.stopped() {
                return Err(Halt::Interrupted);
            }
            let (ready, took_ns) = match self.run(tasks, enough_ns * LONG_ENOUGH) {
                Ok(ran) => ran,
                // It was short: again.
                Err(Halt::Suspended) => continue,
                Err(halt) => return Err(halt),
            };
            #[expect(clippy::cast_precision_loss, reason = "times and counts far below 2⁵³")]
            let (took, done) = (took_ns.max(1) as f64, tasks as f64);
            if took < enough_ns * LONG_ENOUGH && tasks < MOST_TASKS {
                let growth = (enough_ns * AIM / took).clamp(1.25, LARGEST_GROWTH);
                tasks = rounded(done * growth).max(tasks + 1).min(MOST_TASKS);
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "a number of workers")]
            let multiples = rounded(enough_ns / (took / done) / multiple_of as f64);
            let most = MOST_TASKS / multiple_of;
            return Ok(TaskNumber {
                tasks: multiples.clamp(1, most.max(1)) * multiple_of,
                counted_tasks: tasks,
                took_ns,
                worker: ready.map(|ready| ready.worker).unwrap_or_default(),
            });
        }
    }

    /// How long so many tasks take one worker: the first try, or where that is long enough, the faster of two.
    fn run(&mut self, tasks: u64, enough_ns: f64) -> Result<(Option<Ready>, u64), Halt> {
        let work = BatchWork {
            model: Model::Sequential,
            workers: 1,
            lock: Lock::None,
            switch_interval: None,
            ..self.work.clone()
        };
        let label = format!("counting {}", key(self.work));
        let Subject { plan, scenario, .. } = *self.subject;
        let duty = Duty::batch(&work, tasks, self.rate, &scenario.needs, plan.cores);
        let timeout = scenario.schedule.timeout;
        let assignment = Assignment { label: &label, runtime: &self.cell.runtime, duty, timeout };
        with_session(self.launcher, &assignment, self.warn, |session| {
            let ready = session.prepare()?.into_iter().next();
            let first_ns = session.run(true)?.elapsed_ns();
            #[expect(clippy::cast_precision_loss, reason = "a time")]
            if (first_ns as f64) < enough_ns {
                return Ok((ready, first_ns));
            }
            Ok((ready, first_ns.min(session.run(false)?.elapsed_ns())))
        })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number that is bounded after")]
fn rounded(number: f64) -> u64 {
    number.round() as u64
}

#[cfg(test)]
mod tests {
    use super::super::failure::FailureKind;
    use super::super::scripted::{ScriptedLauncher, Step, plan_of};
    use super::*;
    use crate::matrix::plan::Order;
    use crate::stats::fixtures::work_of;

    fn plan(time_ms: u64, multiple_of: u32, names: &[&str]) -> Plan {
        let mut plan = plan_of(Order::Sequential, 0, 1, names);
        for cell in &mut plan.scenarios[0].cells {
            work_of(cell).tasks = TaskCount::Time { time: Duration::from_millis(time_ms), multiple_of };
        }
        plan
    }

    fn counted(plan: &Plan, calibrations: &mut Calibrations, launcher: &mut ScriptedLauncher) -> Vec<String> {
        let subject = Subject { plan, scenario: &plan.scenarios[0], skip: &HashSet::new() };
        let mut warn = |warning| panic!("{warning}");
        count(&subject, calibrations, launcher, &Control::new().unwrap(), &mut warn)
    }

    fn label(plan: &mut Plan) -> String {
        format!("counting {}", key(work_of(&mut plan.scenarios[0].cells[0])))
    }

    fn steps(milliseconds: &[u64]) -> Vec<Step> {
        milliseconds.iter().map(|ms| Step::Sample(Duration::from_millis(*ms))).collect()
    }

    #[test]
    fn a_time_becomes_a_number_that_all_cells_of_the_task_do() {
        let mut plan = plan(330, 4, &["a", "b"]);
        // A task takes 10 ms; the second number, 17, is done twice.
        let script = steps(&[10, 165, 160]);
        let mut launcher = ScriptedLauncher::new().script(&label(&mut plan), script);
        let mut calibrations = Calibrations::default();
        assert_eq!(counted(&plan, &mut calibrations, &mut launcher).len(), 1);
        for cell in &mut plan.scenarios[0].cells {
            // 35 tasks of 9.4 ms would fit, 36 is the nearest multiple of 4.
            assert_eq!(calibrations.tasks(work_of(cell)).unwrap(), 36);
        }
        assert_eq!(counted(&plan, &mut calibrations, &mut launcher), [""; 0], "what is known is not counted again");
    }

    #[test]
    fn a_task_that_takes_longer_is_done_once_by_every_worker() {
        let mut plan = plan(330, 4, &["a"]);
        let mut launcher = ScriptedLauncher::new().script(&label(&mut plan), steps(&[900, 800]));
        let mut calibrations = Calibrations::default();
        counted(&plan, &mut calibrations, &mut launcher);
        let number = calibrations.counts.values().next().unwrap().as_ref().unwrap();
        assert_eq!((number.tasks, number.counted_tasks, number.took_ns), (4, 1, 800_000_000));
    }

    #[test]
    fn tasks_that_take_no_time_have_a_largest_number() {
        let mut plan = plan(330, 3, &["a"]);
        let script = vec![Step::Sample(Duration::ZERO); 20];
        let mut launcher = ScriptedLauncher::new().script(&label(&mut plan), script);
        let mut calibrations = Calibrations::default();
        counted(&plan, &mut calibrations, &mut launcher);
        assert_eq!(calibrations.tasks(work_of(&mut plan.scenarios[0].cells[0])).unwrap(), 9_999_999);
    }

    #[test]
    fn a_failure_is_that_of_every_cell_with_the_task() {
        let mut plan = plan(330, 4, &["a"]);
        let died = Step::Halt(Halt::failed(FailureKind::Died, "the worker died"));
        let mut launcher = ScriptedLauncher::new().script(&label(&mut plan), [died]);
        let mut calibrations = Calibrations::default();
        counted(&plan, &mut calibrations, &mut launcher);
        let failure = calibrations.tasks(work_of(&mut plan.scenarios[0].cells[0])).unwrap_err();
        assert_eq!(failure.reason, "counting how many tasks 330ms are: the worker died");
    }
}
