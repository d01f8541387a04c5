//! A/A twins: baselines that are measured twice. Their runs are made and recorded like all others, and fail nobody.

mod engine_support;

use std::collections::BTreeMap;

use engine_support::{Heard, compare_all, run_scripted};
use xtask::engine::failure::{Failure, FailureKind};
use xtask::engine::launcher::Halt;
use xtask::engine::scripted::{ScriptedLauncher, ScriptedMachine, Step, http_plan, plan_of};
use xtask::engine::twins::Twins;
use xtask::engine::{Options, Outcome};
use xtask::matrix::plan::{Order, Plan};
use xtask::results::record::Record;

fn plan(order: Order) -> Plan {
    let mut plan = plan_of(order, 1, 3, &["a", "b"]);
    compare_all(&mut plan);
    plan
}

fn run(plan: &Plan, launcher: &mut ScriptedLauncher) -> (Outcome, Heard) {
    let options = Options { twins: Twins::of(plan, |_, _| true), ..Options::default() };
    run_scripted(&mut ScriptedMachine::default(), plan, &options, launcher)
}

/// How many samples each id has, warm-ups included.
fn counts(heard: &Heard) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    heard.samples.iter().for_each(|record| *counts.entry(record.cell.clone()).or_default() += 1);
    counts
}

#[test]
fn a_twin_runs_as_often_as_its_baseline_and_counts_in_the_plan() {
    for (order, each) in [(Order::Interleaved, 6), (Order::Sequential, 4)] {
        let (outcome, heard) = run(&plan(order), &mut ScriptedLauncher::new());
        let expected = ["s/cell=a", "s/cell=a#aa", "s/cell=b"].map(|id| (id.to_owned(), each));
        assert_eq!(counts(&heard), BTreeMap::from(expected));
        assert_eq!((heard.done, heard.planned), (3 * each as u64, 3 * each as u64));
        assert!(outcome.complete);
    }
}

#[test]
fn a_server_has_a_twin_too() {
    let mut plan = http_plan(&["a", "b"]);
    compare_all(&mut plan);
    let (_, heard) = run(&plan, &mut ScriptedLauncher::new());
    assert_eq!(counts(&heard)["s/cell=a#aa"], 1);
    assert!(heard.samples.iter().all(|record| record.sample.http().is_some()));
}

#[test]
fn a_twin_that_fails_is_a_warning_and_fails_no_cell() {
    let died = Step::Halt(Halt::failed(FailureKind::Died, "the worker died"));
    let mut launcher = ScriptedLauncher::new().script("s/cell=a#aa", [died]);
    let (outcome, heard) = run(&plan(Order::Interleaved), &mut launcher);
    assert_eq!((outcome.failed_cells, outcome.complete, heard.failures.len()), (0, true, 0));
    assert_eq!(heard.warnings, ["the A/A twin of s/cell=a failed, so its noise floor is not known: the worker died"]);
    assert_eq!(counts(&heard).values().sum::<usize>(), 12);
    assert_eq!((heard.done, heard.planned), (18, 18));
    let failures = heard.records.iter().filter(|record| matches!(record, Record::Failure { .. })).count();
    assert_eq!(failures, 1, "it is in the sample file");
}

#[test]
fn the_twin_of_a_baseline_that_failed_is_not_run_any_further() {
    let died = Step::Halt(Halt::failed(FailureKind::Died, "the worker died"));
    let mut launcher = ScriptedLauncher::new().script("s/cell=a", [died]);
    let (outcome, heard) = run(&plan(Order::Sequential), &mut launcher);
    assert_eq!(outcome.failed_cells, 1);
    assert_eq!(counts(&heard).keys().collect::<Vec<_>>(), ["s/cell=b"]);
    assert_eq!((heard.done, heard.planned), (12, 12));
}

#[test]
fn what_is_missing_is_told_once() {
    let missing = || Failure { kind: FailureKind::Missing, reason: "not installed".into(), stderr_tail: vec![] };
    let mut launcher = ScriptedLauncher::new()
        .script("s/cell=a", [Step::NotLaunched(missing())])
        .script("s/cell=a#aa", [Step::NotLaunched(missing())]);
    let (_, heard) = run(&plan(Order::Interleaved), &mut launcher);
    assert_eq!((heard.failures.len(), heard.warnings.len()), (1, 0));
}
