//! Which baselines are measured twice.

use std::time::{Duration, SystemTime};

use super::Args;
use crate::engine::twins::Twins;
use crate::matrix::plan::{Comparison, Plan, Scenario};
use crate::number::{counted, roughly};
use crate::results::floors;
use crate::stats::KnownFloors;

/// With fewer runs a side no interval covers enough to make a noise floor of it.
const RUNS: u32 = 4;

/// All that are asked for with `--aa`, none with `--no-aa` or small sizes; otherwise those whose noise floor is not known
/// from the last day.
pub fn choose(args: &Args, plan: &Plan, known: &KnownFloors) -> Twins {
    if args.aa {
        warn_of_few_runs(plan);
        Twins::of(plan, enough)
    } else if args.no_aa || args.quick || args.smoke {
        Twins::default()
    } else {
        let now = SystemTime::now();
        Twins::of(plan, |scenario, comparison| {
            enough(scenario, comparison) && !floors::is_fresh(known, scenario, comparison, now)
        })
    }
}

fn enough(scenario: &Scenario, _: &Comparison) -> bool {
    scenario.schedule.runs >= RUNS
}

/// `, 8 min the first time in a day`: how long a plan takes where no noise floor is known and its baselines are measured
/// twice, behind how long it takes otherwise; empty where that makes no difference.
pub fn first_time(plan: &Plan) -> String {
    let twins = Twins::of(plan, enough);
    let usual = plan.estimate();
    let with_twins = plan
        .scenarios
        .iter()
        .flat_map(|scenario| scenario.cells.iter().map(move |cell| (scenario, cell)))
        .filter(|(_, cell)| twins.has(&cell.id))
        .map(|(scenario, cell)| plan.estimate_cell(scenario, cell))
        .fold(usual, Duration::saturating_add);
    let (usual, with_twins) = (roughly(usual), roughly(with_twins));
    if usual == with_twins { String::new() } else { format!(", {with_twins} the first time in a day") }
}

fn warn_of_few_runs(plan: &Plan) {
    let few = plan.scenarios.iter().filter(|scenario| scenario.schedule.runs < RUNS).count() as u64;
    if few > 0 {
        eprintln!(
            "warning: {} fewer than {RUNS} runs, of which no noise floor can be told: --aa leaves them out. Give --runs 5",
            counted(few, "scenario has", "scenarios have"),
        );
    }
}
