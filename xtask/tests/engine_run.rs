//! The walk over a schedule, with a launcher that starts no process: order, events, counts, and what ends what.

use std::cell::Cell;
use std::time::Duration;

use anyhow::bail;
use xtask::engine::calibrate::{Calibration, Rates};
use xtask::engine::calibrations::Calibrations;
use xtask::engine::event::{Event, Listener};
use xtask::engine::failure::{Failure, FailureKind};
use xtask::engine::launcher::Halt;
use xtask::engine::scripted::{ScriptedLauncher, Step, plan_of};
use xtask::engine::signals::Control;
use xtask::engine::{self, Options, Outcome};
use xtask::matrix::plan::{Comparison, CpuWork, Order, Plan, TaskSpec, Work};
use xtask::results::record::Record;

/// Writes each event as a line, and may stop the engine or fail at one of them.
struct Script<F> {
    lines: Vec<String>,
    at: F,
}

impl<F: FnMut(&str) -> anyhow::Result<()>> Script<F> {
    fn new(at: F) -> Self {
        Self { lines: Vec::new(), at }
    }
}

impl<F: FnMut(&str) -> anyhow::Result<()>> Listener for Script<F> {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        let line = match event {
            Event::Started { .. } => "started".to_owned(),
            Event::RunStarted { .. } => return Ok(()),
            Event::Sampled { record, done } => {
                let what = if record.warmup { "warm-up" } else { "run" };
                format!("{what} {} of {} is #{}, {done} done", record.round, record.cell, record.position)
            }
            Event::SetAside { record } => format!("set aside {} of {}", record.round, record.cell),
            Event::TwinFailed { warning, .. } => format!("twin failed: {warning:?}"),
            Event::CellFailed { cell, failure, done, record } => {
                let Record::Failure { round, warmup, .. } = record else { panic!("{record:?}") };
                format!("{cell} failed in {round} (warm-up: {warmup}), {done} done: {}", failure.reason)
            }
            Event::Voided { record } => {
                let Record::Voided { cell, round, .. } = record else { panic!("{record:?}") };
                format!("voided {round} of {cell}")
            }
            Event::ScenarioFinished { scenario } => format!("scenario {scenario} finished"),
            Event::Warning { message } => format!("warning: {message}"),
            Event::Finished { complete, .. } => format!("finished, complete: {complete}"),
        };
        self.lines.push(line.clone());
        (self.at)(&line)
    }
}

fn walk(plan: &Plan, launcher: &mut ScriptedLauncher) -> (Outcome, Vec<String>) {
    let mut script = Script::new(|_| Ok(()));
    let control = Control::new().unwrap();
    let outcome =
        engine::run(plan, &Calibrations::default(), &Options::default(), launcher, &control, &mut [&mut script])
            .unwrap();
    (outcome, script.lines)
}

fn died(reason: &str) -> Step {
    Step::Halt(Halt::failed(FailureKind::Died, reason))
}

fn ok() -> Step {
    Step::Sample(Duration::from_millis(1))
}

#[test]
fn a_sequential_cell_has_one_process_for_all_its_repetitions() {
    let plan = plan_of(Order::Sequential, 1, 2, &["a", "b"]);
    let mut launcher = ScriptedLauncher::new();
    let (outcome, lines) = walk(&plan, &mut launcher);
    assert_eq!(
        lines,
        [
            "started",
            "warm-up 1 of s/cell=a is #0, 1 done",
            "run 1 of s/cell=a is #1, 2 done",
            "run 2 of s/cell=a is #2, 3 done",
            "warm-up 1 of s/cell=b is #3, 4 done",
            "run 1 of s/cell=b is #4, 5 done",
            "run 2 of s/cell=b is #5, 6 done",
            "scenario 0 finished",
            "finished, complete: true",
        ]
    );
    let log = launcher.log();
    let a = ["launch s/cell=a", "warm-up s/cell=a", "run s/cell=a", "run s/cell=a", "close s/cell=a"];
    assert_eq!(log[..5], a);
    assert_eq!(log.len(), 10);
    assert_eq!((outcome.measured, outcome.warmup), (Duration::from_millis(4), Duration::from_millis(2)));
    assert_eq!((outcome.samples, outcome.failed_cells, outcome.interrupted), (6, 0, false));
}

#[test]
fn an_interleaved_cell_has_a_fresh_process_and_a_warm_up_each_round() {
    let mut plan = plan_of(Order::Interleaved, 1, 2, &["a"]);
    plan.scenarios[0].comparisons.push(Comparison { fixed: <_>::default(), cells: vec![0], baseline: None });
    let mut launcher = ScriptedLauncher::new();
    let (_, lines) = walk(&plan, &mut launcher);
    let round = ["launch s/cell=a", "warm-up s/cell=a", "run s/cell=a", "close s/cell=a"];
    assert_eq!(launcher.log(), [round, round].concat());
    assert_eq!(
        lines[1..5],
        [
            "warm-up 1 of s/cell=a is #0, 1 done",
            "run 1 of s/cell=a is #1, 2 done",
            "warm-up 2 of s/cell=a is #2, 3 done",
            "run 2 of s/cell=a is #3, 4 done",
        ]
    );
}

#[test]
fn the_same_seed_gives_the_same_order() {
    let mut plan = plan_of(Order::Interleaved, 0, 4, &["a", "b", "c"]);
    plan.scenarios[0].comparisons.push(Comparison { fixed: <_>::default(), cells: vec![0, 1, 2], baseline: None });
    let order = |seed| {
        let mut launcher = ScriptedLauncher::new();
        let options = Options { seed, ..Options::default() };
        engine::run(&plan, &Calibrations::default(), &options, &mut launcher, &Control::new().unwrap(), &mut [])
            .unwrap();
        launcher.log()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn a_cell_ends_with_its_first_failure_and_the_matrix_goes_on() {
    let plan = plan_of(Order::Sequential, 1, 5, &["a", "b"]);
    let mut launcher = ScriptedLauncher::new().script("s/cell=a", [ok(), ok(), ok(), died("the worker died")]);
    let (outcome, lines) = walk(&plan, &mut launcher);
    assert_eq!(
        lines[4..6],
        ["s/cell=a failed in 3 (warm-up: false), 6 done: the worker died", "warm-up 1 of s/cell=b is #3, 7 done",]
    );
    assert_eq!(lines.last().unwrap(), "finished, complete: true");
    assert_eq!((outcome.failed_cells, outcome.complete), (1, true));
    assert_eq!(launcher.log()[5], "close s/cell=a", "a worker that failed is closed too");
}

#[test]
fn later_rounds_of_a_failed_cell_are_dropped() {
    let mut plan = plan_of(Order::Interleaved, 1, 3, &["a", "b"]);
    plan.scenarios[0].comparisons.push(Comparison { fixed: <_>::default(), cells: vec![0, 1], baseline: None });
    let mut launcher = ScriptedLauncher::new().script("s/cell=a", [died("the worker died")]);
    let (_, lines) = walk(&plan, &mut launcher);
    let failed = lines.iter().filter(|line| line.contains("failed in 1 (warm-up: true)")).count();
    assert_eq!(failed, 1, "{lines:?}");
    let launches = |cell: &str| launcher.log().iter().filter(|line| **line == format!("launch s/cell={cell}")).count();
    assert_eq!((launches("a"), launches("b")), (1, 3));
    assert!(lines.iter().any(|line| line.ends_with("12 done")), "dropped ones count as done: {lines:?}");
}

#[test]
fn what_is_missing_or_cannot_be_done_is_no_failure() {
    let plan = plan_of(Order::Sequential, 0, 1, &["a", "b", "c"]);
    let missing = Failure { kind: FailureKind::Missing, reason: "not installed".into(), stderr_tail: vec![] };
    let mut launcher = ScriptedLauncher::new()
        .script("s/cell=a", [Step::NotLaunched(missing)])
        .script("s/cell=b", [Step::NotReady(Halt::failed(FailureKind::Unsupported, "no such model"))]);
    let (outcome, lines) = walk(&plan, &mut launcher);
    assert_eq!(lines[1], "s/cell=a failed in 0 (warm-up: false), 1 done: not installed");
    assert_eq!(lines[2], "s/cell=b failed in 0 (warm-up: false), 2 done: no such model");
    assert_eq!((outcome.failed_cells, outcome.complete, outcome.samples), (0, true, 1));
}

#[test]
fn a_suspended_repetition_is_repeated_with_a_fresh_process() {
    let plan = plan_of(Order::Sequential, 1, 3, &["a"]);
    let mut launcher = ScriptedLauncher::new().script("s/cell=a", [ok(), ok(), Step::Halt(Halt::Suspended)]);
    let (outcome, lines) = walk(&plan, &mut launcher);
    assert_eq!(
        lines[1..7],
        [
            "warm-up 1 of s/cell=a is #0, 1 done",
            "run 1 of s/cell=a is #1, 2 done",
            "voided 2 of s/cell=a",
            "warm-up 2 of s/cell=a is #2, 2 done",
            "run 2 of s/cell=a is #3, 3 done",
            "run 3 of s/cell=a is #4, 4 done",
        ]
    );
    assert!(outcome.complete);
    assert_eq!(launcher.log().iter().filter(|line| line.starts_with("launch")).count(), 2);
}

#[test]
fn an_interruption_keeps_what_there_is() {
    let plan = plan_of(Order::Sequential, 0, 3, &["a", "b"]);
    let mut launcher = ScriptedLauncher::new().script("s/cell=a", [ok(), Step::Halt(Halt::Interrupted)]);
    let (outcome, lines) = walk(&plan, &mut launcher);
    assert_eq!(lines, ["started", "run 1 of s/cell=a is #0, 1 done", "finished, complete: false"]);
    assert_eq!((outcome.complete, outcome.interrupted, outcome.failed_cells), (false, true, 0));
    assert_eq!(launcher.log().last().unwrap(), "close s/cell=a");
}

#[test]
fn who_asks_to_stop_between_two_repetitions_waits_for_none() {
    let plan = plan_of(Order::Sequential, 0, 3, &["a"]);
    let control = Control::new().unwrap();
    let mut script = Script::new(|line| {
        if line.starts_with("run 1") {
            control.stop();
        }
        Ok(())
    });
    let mut launcher = ScriptedLauncher::new();
    let options = Options::default();
    let outcome =
        engine::run(&plan, &Calibrations::default(), &options, &mut launcher, &control, &mut [&mut script]).unwrap();
    assert!(outcome.interrupted);
    assert_eq!(launcher.log(), ["launch s/cell=a", "run s/cell=a", "close s/cell=a"]);
}

#[test]
fn a_listener_that_fails_ends_the_worker_and_the_matrix() {
    let plan = plan_of(Order::Sequential, 0, 3, &["a", "b"]);
    let heard = Cell::new(0);
    let mut full_disk = Script::new(|line| {
        if line.starts_with("run 1 ") {
            bail!("no space left on device");
        }
        Ok(())
    });
    let mut other = Script::new(|_| {
        heard.set(heard.get() + 1);
        Ok(())
    });
    // What the worker leaves behind must not hide the error.
    let mut launcher = ScriptedLauncher::new().warning("something is left");
    let control = Control::new().unwrap();
    let options = Options::default();
    let listeners: &mut [&mut dyn Listener] = &mut [&mut full_disk, &mut other];
    let error = engine::run(&plan, &Calibrations::default(), &options, &mut launcher, &control, listeners).unwrap_err();
    assert_eq!(error.to_string(), "no space left on device");
    assert_eq!(launcher.log(), ["launch s/cell=a", "run s/cell=a", "close s/cell=a"]);
    assert_eq!(heard.get(), 2, "the start and the warning");
}

#[test]
fn what_a_worker_leaves_behind_is_told_with_the_cell() {
    let plan = plan_of(Order::Sequential, 0, 1, &["a"]);
    let mut launcher = ScriptedLauncher::new().warning("the worker left 1 process running");
    let (_, lines) = walk(&plan, &mut launcher);
    assert_eq!(lines[2], "warning: s/cell=a: the worker left 1 process running");
}

#[test]
fn every_cell_of_a_runtime_that_could_not_be_calibrated_fails_with_that_reason() {
    let mut plan = plan_of(Order::Sequential, 0, 1, &["a", "b"]);
    let Work::Batch(batch) = &mut plan.scenarios[0].cells[0].work else { unreachable!() };
    batch.task = TaskSpec::Burn { cpu: CpuWork::Time(Duration::from_millis(10)) };
    let failure =
        Failure { kind: FailureKind::Died, reason: "calibration: the worker died".into(), stderr_tail: vec![] };
    let rates = Rates::from([("rust".to_owned(), Err(failure))]);
    let calibrations = Calibrations { rates, ..Calibrations::default() };
    let mut script = Script::new(|_| Ok(()));
    let mut launcher = ScriptedLauncher::new();
    let options = Options::default();
    let control = Control::new().unwrap();
    engine::run(&plan, &calibrations, &options, &mut launcher, &control, &mut [&mut script]).unwrap();
    assert_eq!(
        script.lines[1..3],
        [
            "s/cell=a failed in 0 (warm-up: false), 1 done: calibration: the worker died",
            "run 1 of s/cell=b is #0, 2 done",
        ]
    );
}

#[test]
fn what_workers_say_about_themselves_is_kept() {
    let mut plan = plan_of(Order::Sequential, 0, 1, &["a"]);
    let Work::Batch(batch) = &mut plan.scenarios[0].cells[0].work else { unreachable!() };
    batch.task = TaskSpec::Burn { cpu: CpuWork::Time(Duration::from_millis(10)) };
    let calibration = Calibration {
        iterations_per_s: 1e9,
        iterations: 1,
        took_ns: vec![1],
        worker: "scripted 1".into(),
        runtime: "none".into(),
    };
    let rates = Rates::from([("rust".to_owned(), Ok(calibration))]);
    let calibrations = Calibrations { rates, ..Calibrations::default() };
    let control = Control::new().unwrap();
    let options = Options::default();
    let outcome = engine::run(&plan, &calibrations, &options, &mut ScriptedLauncher::new(), &control, &mut []).unwrap();
    let ready = &outcome.workers[&("rust".to_owned(), "scripted 1".to_owned())];
    assert_eq!(ready.runtime, "none");
}
