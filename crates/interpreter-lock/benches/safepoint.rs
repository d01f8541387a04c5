//! What a safepoint costs a CPU-bound loop, in instructions, which no neighbour on the machine can disturb.
//!
//! Runs itself under Valgrind's Callgrind, for two numbers of steps each so that start and end cancel out, and prints
//! instructions per step with and without a safepoint after each block. Exits with 1 if the goal is missed.
//!
//! `cargo bench -p interpreter-lock --bench safepoint`. To count by hand, run the binary with one of `without`, `none`,
//! `gil` and `gvl` (`with` is `gil`), and optionally a number of blocks.
#![allow(clippy::print_stdout)]

use std::{
    hint::black_box,
    io,
    process::{Command, ExitCode},
};

use interpreter_lock::{GIL_SWITCH_INTERVAL, GVL_QUANTUM, InterpreterLock};

mod lcg;

/// A safepoint must not make the loop more than 2 % longer.
const GOAL: f64 = 1.02;

const FEW_BLOCKS: u32 = 1_000;
const MANY_BLOCKS: u32 = 11_000;

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some(variant) => {
            let blocks = arguments.get(1).map_or(MANY_BLOCKS, |blocks| blocks.parse().expect("a number of blocks"));
            run(variant, blocks);
            ExitCode::SUCCESS
        }
        None => compare(),
    }
}

/// The loops are functions of their own, so that one cannot borrow from the other's optimisation.
#[inline(never)]
fn without_safepoint(blocks: u32) -> u32 {
    lcg::run(black_box(1), blocks, || {})
}

#[inline(never)]
fn with_safepoint(blocks: u32, lock: &InterpreterLock) -> u32 {
    lcg::run(black_box(1), blocks, || lock.safepoint())
}

fn run(variant: &str, blocks: u32) {
    let lock = match variant {
        "without" => {
            black_box(without_safepoint(blocks));
            return;
        }
        "none" => InterpreterLock::none(),
        "gil" | "with" => InterpreterLock::gil(GIL_SWITCH_INTERVAL),
        "gvl" => InterpreterLock::gvl(GVL_QUANTUM),
        other => panic!("no variant {other:?}: one of without, with, none, gil, gvl"),
    };
    let _held = lock.hold();
    black_box(with_safepoint(blocks, &lock));
}

fn compare() -> ExitCode {
    let mut counts = Vec::new();
    for variant in ["without", "none", "gil", "gvl"] {
        match per_step(variant) {
            Ok(count) => counts.push((variant, count)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                println!("valgrind is not on the PATH, so instructions cannot be counted.");
                println!("It comes with the package of that name: apt install valgrind, dnf install valgrind, …");
                return ExitCode::SUCCESS;
            }
            Err(error) => panic!("counting the instructions of {variant:?}: {error}"),
        }
    }
    println!("safepoint    instructions/step      ratio");
    let base = counts[0].1;
    for (variant, count) in &counts {
        println!("{variant:<12} {count:>17.4} {:>10.4}", count / base);
    }
    let worst = counts.iter().map(|(_, count)| count / base).fold(1.0, f64::max);
    let met = worst <= GOAL;
    println!("goal: at most {GOAL}: {}", if met { "met" } else { "missed" });
    if met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn per_step(variant: &str) -> io::Result<f64> {
    let few = instructions(variant, FEW_BLOCKS)?;
    let many = instructions(variant, MANY_BLOCKS)?;
    Ok((many - few) as f64 / f64::from((MANY_BLOCKS - FEW_BLOCKS) * lcg::BLOCK))
}

/// Callgrind's count of one run of this binary.
fn instructions(variant: &str, blocks: u32) -> io::Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args([variant, &blocks.to_string()])
        .output()?;
    // It reports `==<pid>== Collected : <instructions>` on stderr.
    let report = String::from_utf8_lossy(&output.stderr);
    output
        .status
        .success()
        .then(|| report.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok()))
        .flatten()
        .ok_or_else(|| io::Error::other(format!("valgrind ended with {}: {report}", output.status)))
}
