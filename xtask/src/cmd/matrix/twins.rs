//! Which baselines are measured twice.

use std::time::SystemTime;

use super::Args;
use crate::engine::twins::Twins;
use crate::matrix::plan::{Comparison, Plan, Scenario};
use crate::number::counted;
use crate::results::floors;
use crate::stats::KnownFloors;

/// With fewer runs a side no interval covers enough to make a noise floor of it.
const RUNS: u32 = 4;

/// All that are asked for with `--aa`, none with `--no-aa` or small sizes; otherwise those whose noise floor is not known
/// from the last day.
pub fn choose(args: &Args, plan: &Plan, known: &KnownFloors) -> Twins {
    let enough = |scenario: &Scenario, _: &Comparison| scenario.schedule.runs >= RUNS;
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

fn warn_of_few_runs(plan: &Plan) {
    let few = plan.scenarios.iter().filter(|scenario| scenario.schedule.runs < RUNS).count() as u64;
    if few > 0 {
        eprintln!(
            "warning: {} fewer than {RUNS} runs, of which no noise floor can be told: --aa leaves them out. Give --runs 5",
            counted(few, "scenario has", "scenarios have"),
        );
    }
}
