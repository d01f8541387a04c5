//! Capacities from a script.

use protocol::Arrivals;

use super::super::scripted::{ScriptedLauncher, Step, http_plan};
use super::*;
use crate::matrix::plan::{PaceSpec, Rate};

fn plan(shares: &[f64]) -> Plan {
    let mut plan = http_plan(&["a", "b"][..shares.len()]);
    for (cell, share) in plan.scenarios[0].cells.iter_mut().zip(shares) {
        let Work::Http(work) = &mut cell.work else { unreachable!() };
        let rate = Rate::OfCapacity(*share);
        work.load.pace = PaceSpec::Open { rate, duration: Duration::from_secs(1), arrivals: Arrivals::Constant };
    }
    plan
}

fn work(plan: &Plan, cell: usize) -> &HttpWork {
    let Work::Http(work) = &plan.scenarios[0].cells[cell].work else { unreachable!() };
    work
}

fn measured(plan: &Plan, launcher: &mut ScriptedLauncher) -> Calibrations {
    let mut calibrations = Calibrations::default();
    let mut warn = |warning| panic!("{warning}");
    measure(plan, &HashSet::new(), &mut calibrations, launcher, &Control::new().unwrap(), &mut warn);
    calibrations
}

#[test]
fn a_server_is_measured_once_and_both_shares_are_of_that() {
    let plan = plan(&[0.5, 1.2]);
    let mut launcher = ScriptedLauncher::new().serving(10_000.0);
    let calibrations = measured(&plan, &mut launcher);
    // 8 requests of 2 connections take 0.8 ms; growth is bounded once, then aims at 700 ms.
    let capacity = calibrations.capacities.values().next().unwrap().as_ref().unwrap();
    assert_eq!((capacity.requests_per_s, capacity.requests), (10_000.0, 7_000));
    assert_eq!(launcher.log().iter().filter(|line| line.starts_with("launch")).count(), 3);
    let rate = |cell| match calibrations.pace("rust", work(&plan, cell), 7).unwrap() {
        Pace::Open { rate_per_s, seed: 7, .. } => rate_per_s,
        other => panic!("{other:?}"),
    };
    assert_eq!((rate(0), rate(1)), (5_000.0, 12_000.0));
}

#[test]
fn the_median_repetition_counts() {
    let plan = plan(&[0.5]);
    let label = format!("capacity of {}", key("rust", work(&plan, 0)));
    let times = [600, 800, 500, 1000].map(|ms| Step::Sample(Duration::from_millis(ms)));
    let mut launcher = ScriptedLauncher::new().script(&label, times);
    let calibrations = measured(&plan, &mut launcher);
    let capacity = calibrations.capacities.values().next().unwrap().as_ref().unwrap();
    assert_eq!(capacity.values, [10.0, 16.0, 8.0]);
    assert_eq!(capacity.requests_per_s, 10.0);
}

#[test]
fn a_failure_is_that_of_every_cell_that_wants_a_share() {
    let plan = plan(&[0.5]);
    let label = format!("capacity of {}", key("rust", work(&plan, 0)));
    let died = Step::Halt(Halt::failed(FailureKind::Died, "the server died"));
    let calibrations = measured(&plan, &mut ScriptedLauncher::new().script(&label, [died]));
    let failure = calibrations.pace("rust", work(&plan, 0), 1).unwrap_err();
    assert_eq!(failure.reason, "capacity: the server died");
}

#[test]
fn rates_in_numbers_need_no_measurement() {
    let plan = http_plan(&["a"]);
    let mut launcher = ScriptedLauncher::new();
    assert!(measured(&plan, &mut launcher).capacities.is_empty());
    assert!(launcher.log().is_empty());
}

#[test]
fn a_key_reads_well_and_tells_loads_apart() {
    let mut work = super::super::scripted::http_work();
    let plain = key("rust", &work);
    assert_eq!(
        plain,
        "loops workers=1 lock=none listen=hand-off io=1ms cpu=10 iterations, 2 connections, 1 client threads, GET /"
    );
    work.load.requests[0].body = Some("x".into());
    let with_body = key("rust", &work);
    assert!(with_body.starts_with(&plain) && with_body != plain, "{with_body}");
    work.load.connections = 3;
    assert_ne!(key("rust", &work), with_body);
}
