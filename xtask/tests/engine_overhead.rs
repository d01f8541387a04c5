//! What the orchestrator itself costs a run. A measurement and not a test, as it depends on the machine:
//!
//! ```text
//! cargo test -p xtask --test engine_overhead -- --ignored --nocapture
//! ```

#![expect(clippy::print_stdout, reason = "what is measured is for a person")]

mod engine_support;

use std::time::Duration;

use engine_support::{launcher, new_mark, plan, run};
use xtask::engine::signals::Control;
use xtask::matrix::plan::{Comparison, Order};

#[test]
#[ignore = "a measurement"]
fn own_time_a_run() {
    const RUNS: u32 = 50;
    let mut plan = plan(&new_mark(), 1, RUNS, &["good", "as-good"]);
    plan.scenarios[0].schedule.order = Order::Interleaved;
    plan.scenarios[0].comparisons.push(Comparison { fixed: <_>::default(), cells: vec![0, 1], baseline: None });
    let control = Control::new().unwrap();
    let (outcome, _) = run(&plan, launcher(&plan, &control).alone(), &control);
    let own: Duration = outcome.wall - outcome.measured - outcome.warmup;
    println!("own time a run, a fresh process and a warm-up each: {:?}", own / (2 * RUNS));
}
