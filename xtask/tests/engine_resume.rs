//! A run that goes on where an earlier one was interrupted: only what is missing is made, in the same order.

mod engine_support;

use std::time::Duration;

use engine_support::{Heard, compare_all, line, run_scripted};
use xtask::engine::Options;
use xtask::engine::before::Before;
use xtask::engine::failure::FailureKind;
use xtask::engine::launcher::Halt;
use xtask::engine::scripted::{ScriptedLauncher, ScriptedMachine, Step, plan_of};
use xtask::engine::twins::Twins;
use xtask::matrix::plan::{Order, Plan};
use xtask::results::record::{MachineDelta, Record, SampleRecord};

const SEED: u64 = 5;

fn run(plan: &Plan, before: Before, launcher: ScriptedLauncher) -> Heard {
    let options = Options { seed: SEED, twins: Twins::of(plan, |_, _| true), before, ..Options::default() };
    let mut launcher = launcher;
    run_scripted(&mut ScriptedMachine::default(), plan, &options, &mut launcher).1
}

fn lines(records: &[Record]) -> Vec<String> {
    records.iter().map(line).collect()
}

fn samples(records: &[Record]) -> Vec<&SampleRecord> {
    records.iter().filter_map(|record| if let Record::Sample(sample) = record { Some(sample) } else { None }).collect()
}

#[test]
fn two_parts_make_the_same_runs_in_the_same_order_as_one() {
    for order in [Order::Interleaved, Order::Sequential] {
        let mut plan = plan_of(order, 0, 4, &["a", "b", "c"]);
        compare_all(&mut plan);
        let whole = lines(&run(&plan, Before::default(), ScriptedLauncher::new()).records);
        assert_eq!(whole.len(), 16);
        for cut in 0..=whole.len() {
            // Interrupted before the repetition of this number, in whichever cell that is.
            let records = run(&plan, Before::default(), ScriptedLauncher::new()).records[..cut].to_vec();
            let rest = run(&plan, Before::of(&records, Duration::ZERO), ScriptedLauncher::new());
            let both: Vec<String> = lines(&records).into_iter().chain(lines(&rest.records)).collect();
            assert_eq!(both, whole, "cut at {cut}");
            assert_eq!((rest.done, rest.planned), (16 - cut as u64, 16 - cut as u64));
            let positions: Vec<u64> = samples(&rest.records).iter().map(|sample| sample.position).collect();
            assert_eq!(positions, (cut as u64..16).collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_was_put_off_to_be_made_again_is_made_by_the_second_part() {
    let noisy = MachineDelta { others_ns: Some(1_000_000), ..MachineDelta::default() };
    // The first, the fifth with its second attempt, and the last but one.
    let disturbed = [0, 4, 6, 12];
    let deltas: Vec<MachineDelta> =
        (0..30).map(|at| if disturbed.contains(&at) { noisy.clone() } else { MachineDelta::default() }).collect();
    for order in [Order::Interleaved, Order::Sequential] {
        let mut plan = plan_of(order, 0, 4, &["a", "b", "c"]);
        compare_all(&mut plan);
        let made = |before: Before, skip: usize| {
            let options = Options { seed: SEED, before, repeat_disturbed: true, ..Options::default() };
            let mut machine = ScriptedMachine::new(deltas[skip..].iter().cloned());
            run_scripted(&mut machine, &plan, &options, &mut ScriptedLauncher::new()).1.records
        };
        let whole = made(Before::default(), 0);
        // Three runs of twelve may be made again, the fourth counts as it is.
        assert_eq!(whole.len(), 15, "{:?}", lines(&whole));
        for cut in 0..=whole.len() {
            let before = Before::of(&whole[..cut], Duration::ZERO).with_repeats(&whole[..cut], 12);
            let both = [&whole[..cut], &made(before, cut)].concat();
            // What is put off may change places with what else is put off in its round.
            let sorted = |records: &[Record]| {
                let mut lines = lines(records);
                lines.sort();
                lines
            };
            assert_eq!(sorted(&both)[..], sorted(&whole)[..], "cut at {cut}, {order:?}");
        }
    }
}

#[test]
fn time_goes_on_where_the_first_part_ended() {
    let plan = plan_of(Order::Sequential, 0, 1, &["a"]);
    let rest = run(&plan, Before::of(&[], Duration::from_secs(3600)), ScriptedLauncher::new());
    assert!(samples(&rest.records)[0].started_ns >= 3_600_000_000_000);
}

#[test]
fn a_cell_that_failed_stays_failed() {
    let plan = plan_of(Order::Sequential, 0, 3, &["a", "b"]);
    let died = Step::Halt(Halt::failed(FailureKind::Died, "the worker died"));
    let first = run(&plan, Before::default(), ScriptedLauncher::new().script("s/cell=a", [died]));
    assert_eq!(first.records.len(), 4);
    let rest = run(&plan, Before::of(&first.records, Duration::ZERO), ScriptedLauncher::new());
    assert_eq!(rest.records, []);
}

#[test]
fn a_warm_up_without_its_run_is_made_again() {
    let plan = plan_of(Order::Sequential, 2, 1, &["a"]);
    let first = run(&plan, Before::default(), ScriptedLauncher::new());
    let rest = run(&plan, Before::of(&first.records[..2], Duration::ZERO), ScriptedLauncher::new());
    assert_eq!(lines(&rest.records), ["warm-up 1 of s/cell=a", "warm-up 1 of s/cell=a", "run 1 of s/cell=a"]);
}
