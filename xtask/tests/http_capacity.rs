//! Rates that are shares of a capacity, and open loops' schedules: what is measured and drawn before the first round.

mod engine_support;
mod http_support;

use std::collections::HashSet;

use http_support::Case;
use protocol::Arrivals;
use xtask::engine::calibrations::Calibrations;
use xtask::engine::capacity;
use xtask::engine::failure::FailureKind;
use xtask::engine::scripted::{ScriptedLauncher, http_plan};
use xtask::engine::signals::Control;
use xtask::engine::{self, Options};
use xtask::matrix::plan::{Comparison, Order, PaceSpec, Rate, Work};

fn measure(case: &Case) -> (Calibrations, Vec<String>) {
    let mut calibrations = Calibrations::default();
    let control = Control::new().unwrap();
    let mut warnings = Vec::new();
    let mut warn = |warning| warnings.push(warning);
    let mut launcher = case.launcher(&control);
    capacity::measure(&case.plan, &HashSet::new(), &mut calibrations, &mut launcher, &control, &mut warn);
    assert_eq!(engine_support::marked(&case.mark), [""; 0], "processes are left");
    (calibrations, warnings)
}

#[test]
fn the_capacity_of_a_server_is_measured_once_and_its_share_is_asked_for() {
    let mut case = Case::own("serve-good").open(Rate::OfCapacity(0.5));
    let mut other = case.plan.scenarios[0].cells[0].clone();
    "s/cell=b".clone_into(&mut other.id);
    let Work::Http(work) = &mut other.work else { unreachable!() };
    let PaceSpec::Open { rate, .. } = &mut work.load.pace else { unreachable!() };
    *rate = Rate::OfCapacity(1.2);
    case.plan.scenarios[0].cells.push(other);

    let (calibrations, warnings) = measure(&case);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(calibrations.capacities.len(), 1);
    // The fixture claims that ten thousand requests take a second.
    let capacity = calibrations.capacities.values().next().unwrap().as_ref().unwrap();
    assert_eq!((capacity.requests_per_s, capacity.values.len()), (10_000.0, 3));
    case.calibrations = calibrations;
    let asked = case.run().heard.samples;
    let asked = asked.iter().map(|record| match &record.sample {
        xtask::results::record::Measured::Http(sample) => sample.asked_rate_per_s,
        xtask::results::record::Measured::Batch(_) => panic!("not an HTTP cell"),
    });
    assert_eq!(asked.collect::<Vec<_>>(), [Some(5_000.0), Some(12_000.0)]);
}

#[test]
fn a_server_whose_capacity_cannot_be_measured_fails_the_cells_that_need_it() {
    let mut case = Case::own("serve-dying-under-load").open(Rate::OfCapacity(0.5));
    case.calibrations = measure(&case).0;
    let (failure, _) = case.failure();
    assert_eq!(failure.kind, FailureKind::Died);
    assert_eq!(failure.reason, "capacity: the server was killed by SIGABRT while it was under load");
}

#[test]
fn send_times_are_the_same_for_all_cells_of_a_round_and_others_in_the_next() {
    let mut plan = http_plan(&["a", "b"]);
    let scenario = &mut plan.scenarios[0];
    (scenario.schedule.order, scenario.schedule.runs) = (Order::Interleaved, 2);
    scenario.comparisons.push(Comparison { fixed: <_>::default(), cells: vec![0, 1], baseline: None });
    for cell in &mut scenario.cells {
        let Work::Http(work) = &mut cell.work else { unreachable!() };
        let (rate, duration) = (Rate::PerSecond(100.0), std::time::Duration::from_secs(1));
        work.load.pace = PaceSpec::Open { rate, duration, arrivals: Arrivals::Poisson };
    }
    let seeds = |seed| {
        let mut launcher = ScriptedLauncher::new();
        let options = Options { seed, ..Options::default() };
        let control = Control::new().unwrap();
        engine::run(&plan, &Calibrations::default(), &options, &mut launcher, &control, &mut []).unwrap();
        let launches = launcher.log().into_iter().filter(|line| line.starts_with("launch"));
        launches.map(|line| line.rsplit_once(' ').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    let first = seeds(1);
    assert_eq!((&first[0], &first[2]), (&first[1], &first[3]));
    assert_ne!(first[0], first[2]);
    assert_eq!(first, seeds(1));
    assert_ne!(first[0], seeds(2)[0]);
}
