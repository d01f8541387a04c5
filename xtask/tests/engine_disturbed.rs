//! Runs in which the machine was disturbed: made again, how often, where, and what is kept of them.

mod engine_support;

use std::time::Duration;

use engine_support::{compare_all, line, run_scripted};
use xtask::engine::Options;
use xtask::engine::launcher::Halt;
use xtask::engine::scripted::{ScriptedLauncher, ScriptedMachine, Step, plan_of};
use xtask::matrix::plan::{Order, Plan};
use xtask::results::record::{MachineDelta, Record};

/// Others took half of both CPUs in a run of a millisecond.
fn noisy() -> MachineDelta {
    MachineDelta { others_ns: Some(1_000_000), ..MachineDelta::default() }
}

fn calm() -> MachineDelta {
    MachineDelta::default()
}

const REPEATING: fn() -> Options = || Options { repeat_disturbed: true, ..Options::default() };

fn lines(records: &[Record]) -> Vec<String> {
    records.iter().map(line).collect()
}

/// One cell of so many rounds, each in a process of its own, without warm-ups.
fn one_cell(runs: u32) -> Plan {
    let mut plan = plan_of(Order::Interleaved, 0, runs, &["a"]);
    compare_all(&mut plan);
    plan
}

#[test]
fn a_disturbed_run_is_kept_and_made_again_with_a_fresh_process() {
    let mut launcher = ScriptedLauncher::new();
    let mut machine = ScriptedMachine::new([calm(), noisy()]);
    let (outcome, heard) = run_scripted(&mut machine, &one_cell(2), &REPEATING(), &mut launcher);
    assert_eq!(
        lines(&heard.records),
        [
            "run 1 of s/cell=a",
            "run 2 of s/cell=a, attempt 1: other programs used 50 % of the CPUs",
            "run 2 of s/cell=a, attempt 2",
        ]
    );
    assert_eq!(launcher.log().iter().filter(|line| line.starts_with("launch")).count(), 3);
    assert_eq!((heard.done, heard.planned), (2, 2), "what is made again takes nobody further");
    assert!(outcome.complete);
    let positions: Vec<u64> =
        heard.records.iter().map(|record| if let Record::Sample(it) = record { it.position } else { 0 }).collect();
    assert_eq!(positions, [0, 1, 2]);
}

#[test]
fn it_is_made_again_when_the_others_of_its_round_had_their_turn() {
    let mut plan = plan_of(Order::Interleaved, 0, 2, &["a", "b", "c"]);
    compare_all(&mut plan);
    let (_, heard) =
        run_scripted(&mut ScriptedMachine::new([noisy()]), &plan, &REPEATING(), &mut ScriptedLauncher::new());
    let rounds: Vec<(u32, u32)> = heard
        .records
        .iter()
        .map(|record| if let Record::Sample(it) = record { (it.round, it.attempt) } else { (0, 0) })
        .collect();
    assert_eq!(rounds, [(1, 1), (1, 1), (1, 1), (1, 2), (2, 1), (2, 1), (2, 1)]);
    let first = lines(&heard.records)[0].clone();
    assert_eq!(lines(&heard.records)[3].split(',').next(), first.split(',').next());
}

#[test]
fn a_sequential_cell_goes_on_from_the_disturbed_round_and_warms_up_again() {
    let plan = plan_of(Order::Sequential, 1, 3, &["a"]);
    let mut machine = ScriptedMachine::new([calm(), calm(), noisy()]);
    let (_, heard) = run_scripted(&mut machine, &plan, &REPEATING(), &mut ScriptedLauncher::new());
    assert_eq!(
        lines(&heard.records),
        [
            "warm-up 1 of s/cell=a",
            "run 1 of s/cell=a",
            "run 2 of s/cell=a, attempt 1: other programs used 50 % of the CPUs",
            "warm-up 2 of s/cell=a",
            "run 2 of s/cell=a, attempt 2",
            "run 3 of s/cell=a",
        ]
    );
    assert_eq!((heard.done, heard.planned), (4, 4));
}

#[test]
fn after_three_attempts_the_last_one_counts() {
    let plan = one_cell(20);
    let (_, heard) = run_scripted(
        &mut ScriptedMachine::new([noisy(), noisy(), noisy()]),
        &plan,
        &REPEATING(),
        &mut ScriptedLauncher::new(),
    );
    let why = "other programs used 50 % of the CPUs";
    assert_eq!(
        lines(&heard.records)[..4],
        [
            format!("run 1 of s/cell=a, attempt 1: {why}"),
            format!("run 1 of s/cell=a, attempt 2: {why}"),
            format!("run 1 of s/cell=a, attempt 3: {why}"),
            "run 2 of s/cell=a".to_owned(),
        ]
    );
    assert_eq!((heard.samples.len(), heard.warnings.len()), (20, 0));
}

#[test]
fn a_machine_that_is_never_quiet_gets_a_quarter_more_runs_and_one_warning() {
    let plan = one_cell(12);
    let noise = vec![noisy(); 100];
    let (_, heard) = run_scripted(&mut ScriptedMachine::new(noise), &plan, &REPEATING(), &mut ScriptedLauncher::new());
    // 12 planned and 3 made again: rounds 1 (twice) and 2 (once).
    assert_eq!((heard.records.len(), heard.samples.len()), (15, 12));
    assert_eq!(heard.warnings.len(), 1, "{:?}", heard.warnings);
    assert!(heard.warnings[0].contains("not quiet"), "{:?}", heard.warnings);
    assert!(heard.samples.iter().all(|record| record.disturbed.is_some()), "they are marked all the same");
}

#[test]
fn who_does_not_want_repeats_gets_marks_alone() {
    let (_, heard) = run_scripted(
        &mut ScriptedMachine::new([noisy(), noisy()]),
        &one_cell(2),
        &Options::default(),
        &mut ScriptedLauncher::new(),
    );
    assert_eq!((heard.records.len(), heard.samples.len()), (2, 2));
    assert!(heard.samples.iter().all(|record| record.disturbed.is_some()));
    assert_eq!(heard.warnings, [""; 0]);
}

#[test]
fn a_disturbed_warm_up_is_not_made_again() {
    let mut plan = plan_of(Order::Interleaved, 1, 1, &["a"]);
    compare_all(&mut plan);
    let (_, heard) =
        run_scripted(&mut ScriptedMachine::new([noisy()]), &plan, &REPEATING(), &mut ScriptedLauncher::new());
    assert_eq!(lines(&heard.records), ["warm-up 1 of s/cell=a", "run 1 of s/cell=a"]);
}

#[test]
fn how_long_a_run_took_decides_nothing() {
    // A hundred times as long as the others, on a quiet machine.
    let steps = [1, 100, 1].map(|ms| Step::Sample(Duration::from_millis(ms)));
    let mut launcher = ScriptedLauncher::new().script("s/cell=a", steps);
    let (_, heard) = run_scripted(&mut ScriptedMachine::default(), &one_cell(3), &REPEATING(), &mut launcher);
    assert_eq!((heard.records.len(), heard.samples.len()), (3, 3));
}

#[test]
fn a_second_attempt_that_fails_fails_the_cell() {
    let died = Step::Halt(Halt::failed(xtask::engine::failure::FailureKind::Died, "the worker died"));
    let mut launcher = ScriptedLauncher::new().script("s/cell=a", [Step::Sample(Duration::from_millis(1)), died]);
    let (outcome, heard) =
        run_scripted(&mut ScriptedMachine::new([noisy()]), &one_cell(3), &REPEATING(), &mut launcher);
    assert_eq!((outcome.failed_cells, heard.failures.len()), (1, 1));
    assert_eq!((heard.done, heard.planned), (3, 3));
}
