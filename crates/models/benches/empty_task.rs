//! What an empty task costs under each model, beside a loop of the same kind written by hand.
//!
//! `cargo bench -p models --bench empty_task [-- MODEL]`. The bare loops (`bare.rs`) use the same primitive straight: no
//! operation to choose, no lock, no steps, no errors, no counts by worker.
#![allow(clippy::print_stdout)]

mod bare;
mod support;

use std::{
    env,
    process::ExitCode,
    time::{Duration, Instant},
};

use protocol::{Checksum, Lock, Model};
use support::{burns, median};

const TASKS: u64 = 100_000;
const WORKERS: u32 = 2;

fn main() -> ExitCode {
    if let Some(ended) = bare::be_a_child_if_started_as_one().or_else(support::be_a_worker_if_started_as_one) {
        return ended;
    }
    let only = env::args().skip(1).find(|argument| argument != "--bench");
    println!("an empty task, ns: {TASKS} tasks, {WORKERS} workers; medians and quartiles of alternating repetitions\n");
    println!("{:<14} {:>8} {:>17} {:>8} {:>17} {:>6}", "model", "ours", "", "bare", "", "ratio");
    let wanted = |model: &&Model| only.as_ref().is_none_or(|only| only == model.name());
    for &model in Model::ALL.iter().filter(|model| model.language().is_none()).filter(wanted) {
        // A repetition under `offload` takes a hundred times as long as others.
        let repetitions = if model == Model::Offload { 21 } else { 101 };
        compare(model, repetitions);
    }
    ExitCode::SUCCESS
}

fn compare(model: Model, repetitions: usize) {
    let job = burns(model, WORKERS, Lock::None, TASKS, 0);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut checksums: Vec<Checksum> = Vec::new();
    for repetition in 0..repetitions + 1 {
        let mut measure_ours = || {
            let outcome = models::run(&job).expect("an empty task cannot fail");
            checksums.push(outcome.checksum);
            ours.push(outcome.elapsed);
        };
        // Each goes first every other time.
        if repetition % 2 == 0 {
            measure_ours();
        }
        let (elapsed, checksum) = bare::run(model, TASKS, WORKERS as usize);
        theirs.push(elapsed);
        if repetition % 2 != 0 {
            measure_ours();
        }
        checksums.push(checksum);
        let paused = Instant::now();
        // Lets the threads of the last pool end.
        while paused.elapsed() < Duration::from_millis(2) {
            std::thread::yield_now();
        }
    }
    assert!(checksums.iter().all(|checksum| *checksum == checksums[0]), "{model}: not the same work");
    // The first of each only warms up.
    let (ours, theirs) = (&ours[1..], &theirs[1..]);
    let ratio = median(ours).as_secs_f64() / median(theirs).as_secs_f64();
    let (a, b) = (figures(ours), figures(theirs));
    println!("{:<14} {} {} {ratio:>6.2}", model.name(), a, b);
}

fn figures(durations: &[Duration]) -> String {
    let mut each: Vec<f64> = durations.iter().map(|elapsed| elapsed.as_secs_f64() * 1e9 / TASKS as f64).collect();
    each.sort_by(f64::total_cmp);
    let at = |part: usize| each[(each.len() - 1) * part / 4];
    format!("{:>8.2} {:>17}", at(2), format!("({:.2}-{:.2})", at(1), at(3)))
}
