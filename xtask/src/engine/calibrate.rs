//! CPU time → iterations: how fast the burn of each runtime runs, found once per run of the matrix.
//!
//! It is measured with ordinary jobs of the protocol: one task of `burn` on one worker without a lock, with a growing
//! count until it takes 20 ms, then some repetitions. The fastest counts: whatever disturbs a burn makes it slower, so
//! the fastest is the nearest to what the machine can do, and differs least from one run of the matrix to the next.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use protocol::Ready;
use serde::{Deserialize, Serialize};

use super::failure::{Failure, FailureKind};
use super::launcher::{Assignment, Duty, Halt, Launcher, with_session};
use super::signals::Control;
use crate::matrix::plan::{BurnRate, Cell, Plan};
use crate::results::record::Measured;

/// The first count: a few milliseconds for the slowest interpreters.
const FIRST_COUNT: u64 = 100_000;
/// A burn this long can be timed well.
const LONG_ENOUGH: Duration = Duration::from_millis(20);
/// What the next count aims at, so that it is not missed by a little.
const AIM: Duration = Duration::from_millis(25);
/// How much more the next count may be: the first times are short and so not to be trusted.
const LARGEST_GROWTH: f64 = 1000.0;
/// Repetitions of the last count.
const REPETITIONS: usize = 7;
/// For one repetition.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How fast a runtime burns, and how that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Iterations a second on one core.
    pub iterations_per_s: f64,
    /// Iterations of each repetition.
    pub iterations: u64,
    /// CPU time of the repetitions; their elapsed time where the worker does not tell it.
    pub took_ns: Vec<u64>,
    /// The worker, as it calls itself.
    pub worker: String,
    /// What executed it, as it calls itself.
    pub runtime: String,
}

impl Calibration {
    /// What turns CPU time into a count.
    #[must_use]
    pub fn rate(&self) -> BurnRate {
        BurnRate { iterations_per_s: self.iterations_per_s }
    }
}

/// By runtime: its calibration, or why there is none, which is then the failure of every cell that needs it.
pub type Rates = BTreeMap<String, Result<Calibration, Failure>>;

/// Calibrates every runtime that has a cell with CPU time, cells in `skip` (by id) left out. Runtimes that `rates`
/// already knows are left as they are: a run that is resumed must do the counts that it began with.
///
/// What a person should know goes to `warn`. When somebody asks to stop, what there is stays.
pub fn calibrate(
    plan: &Plan,
    skip: &HashSet<String>,
    rates: &mut Rates,
    launcher: &mut dyn Launcher,
    control: &Control,
    warn: &mut dyn FnMut(String),
) {
    for runtime in runtimes(plan, skip) {
        if rates.contains_key(runtime) {
            continue;
        }
        match calibrate_runtime(runtime, launcher, control, warn) {
            Ok(calibration) => rates.insert(runtime.to_owned(), Ok(calibration)),
            Err(Halt::Failed(failure)) => rates.insert(runtime.to_owned(), Err(failure.during("calibration"))),
            Err(Halt::Interrupted | Halt::Suspended) => return,
        };
    }
}

/// The runtimes that must be calibrated, by name.
#[must_use]
pub fn runtimes<'a>(plan: &'a Plan, skip: &HashSet<String>) -> BTreeSet<&'a str> {
    let cells = plan.scenarios.iter().flat_map(|scenario| &scenario.cells);
    cells.filter(|cell| cell.work.needs_calibration() && !skip.contains(&cell.id)).map(Cell::burns_in).collect()
}

fn calibrate_runtime(
    runtime: &str,
    launcher: &mut dyn Launcher,
    control: &Control,
    warn: &mut dyn FnMut(String),
) -> Result<Calibration, Halt> {
    let mut count = FIRST_COUNT;
    loop {
        if control.stopped() {
            return Err(Halt::Interrupted);
        }
        match burn(runtime, count, launcher, warn) {
            Ok((ready, times)) if times.len() > 1 => {
                let best = times.iter().copied().min().unwrap_or(u64::MAX).max(1);
                #[expect(clippy::cast_precision_loss, reason = "counts and times far below 2⁵³")]
                let iterations_per_s = count as f64 * 1e9 / best as f64;
                return Ok(Calibration {
                    iterations_per_s,
                    iterations: count,
                    took_ns: times,
                    worker: ready.as_ref().map(|ready| ready.worker.clone()).unwrap_or_default(),
                    runtime: ready.map(|ready| ready.runtime).unwrap_or_default(),
                });
            }
            Ok((_, times)) => {
                count = next_count(count, times.first().copied().unwrap_or(0)).ok_or_else(|| {
                    let reason = format!("{count} iterations of burn take no time: the work is not done");
                    Halt::failed(FailureKind::BadAnswer, reason)
                })?;
            }
            // It was short: again.
            Err(Halt::Suspended) => {}
            Err(halt) => return Err(halt),
        }
    }
}

/// What a burn took: its CPU time, so that a neighbour who takes our core away does not make the machine seem slower; or
/// its elapsed time where that is shorter or all that is known.
fn took_ns(measured: &Measured) -> u64 {
    let cpu_ns = measured.usage().and_then(|usage| usage.user_ns?.checked_add(usage.sys_ns?)).filter(|&ns| ns > 0);
    cpu_ns.unwrap_or(u64::MAX).min(measured.elapsed_ns())
}

/// A count that should take [`AIM`], where this one took less than [`LONG_ENOUGH`]. `None` when no count will.
fn next_count(count: u64, elapsed_ns: u64) -> Option<u64> {
    #[expect(clippy::cast_precision_loss, reason = "a factor")]
    let growth = (AIM.as_nanos() as f64 / elapsed_ns.max(1) as f64).clamp(1.25, LARGEST_GROWTH);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a count")]
    let next = (count as f64 * growth) as u64;
    // Ten thousand million steps of a generator take seconds on any machine.
    (next <= 10_000_000_000_000).then_some(next)
}

/// Runs the burn once, and if that took long enough, [`REPETITIONS`] times more, which are then what is returned.
fn burn(
    runtime: &str,
    iterations: u64,
    launcher: &mut dyn Launcher,
    warn: &mut dyn FnMut(String),
) -> Result<(Option<Ready>, Vec<u64>), Halt> {
    let label = format!("calibration of {runtime}");
    let assignment = Assignment { label: &label, runtime, duty: Duty::burn(iterations), timeout: TIMEOUT };
    with_session(launcher, &assignment, warn, |session| {
        let ready = session.prepare()?.into_iter().next();
        let first_ns = took_ns(&session.run(true)?);
        if Duration::from_nanos(first_ns) < LONG_ENOUGH {
            return Ok((ready, vec![first_ns]));
        }
        let times = (0..REPETITIONS).map(|_| session.run(false).map(|it| took_ns(&it))).collect::<Result<_, _>>()?;
        Ok((ready, times))
    })
}

#[cfg(test)]
mod tests {
    use protocol::Task;

    use super::super::scripted::{BurnCost, ScriptedLauncher, Step, plan_of};
    use super::*;
    use crate::matrix::plan::{CpuWork, Endpoints, Order, TaskSpec};
    use crate::stats::fixtures::work_of;

    fn burning_plan(cpu: CpuWork) -> Plan {
        let mut plan = plan_of(Order::Sequential, 0, 1, &["a", "b"]);
        for cell in &mut plan.scenarios[0].cells {
            let batch = work_of(cell);
            batch.task = TaskSpec::Burn { cpu };
        }
        plan
    }

    fn calibrated(plan: &Plan, launcher: &mut ScriptedLauncher) -> Rates {
        let mut rates = Rates::new();
        let mut warn = |warning| panic!("{warning}");
        calibrate(plan, &HashSet::new(), &mut rates, launcher, &Control::new().unwrap(), &mut warn);
        rates
    }

    #[test]
    fn time_becomes_a_count_at_the_measured_rate() {
        let mut plan = burning_plan(CpuWork::Time(Duration::from_millis(10)));
        let mut launcher = ScriptedLauncher::new().burning(BurnCost(0.5));
        let rates = calibrated(&plan, &mut launcher);
        let calibration = rates["rust"].as_ref().unwrap();
        // 100,000 iterations take 50 µs, 500 times too few.
        assert_eq!(calibration.iterations, 50_000_000);
        assert_eq!(calibration.took_ns, [25_000_000; 7]);
        let work = work_of(&mut plan.scenarios[0].cells[0]);
        assert_eq!(work.job(calibration.rate(), 1, &Endpoints::default()).task, Task::Burn { iterations: 20_000_000 });
    }

    #[test]
    fn a_slow_runtime_is_measured_at_once() {
        let plan = burning_plan(CpuWork::Time(Duration::from_millis(10)));
        let mut launcher = ScriptedLauncher::new().burning(BurnCost(1000.0));
        assert_eq!(calibrated(&plan, &mut launcher)["rust"].as_ref().unwrap().iterations, 100_000);
        let launches = launcher.log().iter().filter(|line| line.starts_with("launch")).count();
        assert_eq!(launches, 1);
    }

    #[test]
    fn the_fastest_repetition_counts() {
        let plan = burning_plan(CpuWork::Time(Duration::from_millis(10)));
        let times = [100, 100, 90, 50, 70, 100, 100, 100].map(|ms| Step::Sample(Duration::from_millis(ms)));
        let mut launcher = ScriptedLauncher::new().script("calibration of rust", times);
        let rates = calibrated(&plan, &mut launcher);
        assert_eq!(rates["rust"].as_ref().unwrap().iterations_per_s, 2_000_000.0);
    }

    #[test]
    fn counts_need_no_calibration() {
        let plan = burning_plan(CpuWork::Iterations(5));
        let mut launcher = ScriptedLauncher::new();
        assert!(calibrated(&plan, &mut launcher).is_empty());
        assert!(launcher.log().is_empty());
    }

    #[test]
    fn a_burn_that_takes_no_time_is_refused() {
        let plan = burning_plan(CpuWork::Time(Duration::from_millis(10)));
        let mut launcher = ScriptedLauncher::new().burning(BurnCost(0.0));
        let rates = calibrated(&plan, &mut launcher);
        let failure = rates["rust"].as_ref().unwrap_err();
        assert_eq!(failure.kind, FailureKind::BadAnswer);
        assert!(failure.reason.starts_with("calibration: "), "{}", failure.reason);
    }

    #[test]
    fn a_runtime_that_is_missing_is_missing_for_its_cells() {
        let plan = burning_plan(CpuWork::Time(Duration::from_millis(10)));
        let missing = Failure { kind: FailureKind::Missing, reason: "not installed".into(), stderr_tail: vec![] };
        let mut launcher = ScriptedLauncher::new().script("calibration of rust", [Step::NotLaunched(missing.clone())]);
        assert_eq!(calibrated(&plan, &mut launcher)["rust"], Err(missing));
    }
}
