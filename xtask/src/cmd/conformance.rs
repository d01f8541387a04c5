//! `cargo xtask conformance -- COMMAND`: is this program a worker?

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;

use super::{Exit, terminal, to_stdout};
use crate::conformance::{Limits, check};
use crate::engine::binaries::find_program;
use crate::engine::dialogue::Stage;
use crate::engine::signals::Control;
use crate::engine::spawn::WorkerCommand;
use crate::report;

/// Is this program a worker? Checks it against docs/protocol.md.
///
/// It is started many times, given right and wrong lines, and every answer is held against the protocol: what it can
/// do, whether its checksums are right, how it ends. Nothing is measured.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask conformance -- python3 crates/interpreters/python/worker.py
  cargo xtask conformance -- node examples/bring-your-own/worker.mjs
  cargo xtask conformance --format json -- target/release/cpu-worker

Exit status: 0 it conforms, 1 it breaks a rule, 2 there is no such program, 130 interrupted.")]
pub struct Args {
    /// How the result is printed.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// How long it may take for one answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// The command that starts the worker.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// How the result is printed on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Table,
    /// One object, for programs.
    Json,
}

/// Runs the subcommand.
///
/// # Errors
/// There is no place for temporary files, or stdout cannot be written to.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let name = &args.command[0];
    let Some(program) = find_program(name, &[], Path::new("")) else {
        let why = if name.contains('/') { "is not an executable file" } else { "is not on the PATH" };
        eprintln!("error: {name} {why}");
        return Ok(Exit::Usage);
    };
    let control = Control::install().context("cannot listen for Ctrl-C")?;
    let stage = Stage::open(control.clone()).context("cannot listen for the ends of workers")?;
    let command = WorkerCommand { arguments: args.command[1..].to_vec(), ..WorkerCommand::of(program) };
    let limits = Limits { answer: Duration::from_secs(args.timeout), ..Limits::default() };
    let report = check(&stage, &command, &control, limits).context("cannot make a folder for temporary files")?;
    let text = match args.format {
        Format::Table => report::conformance::conformance(&report, &terminal(false)),
        Format::Json => serde_json::to_string_pretty(&report)? + "\n",
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(match (report.complete, report.conforms()) {
        (false, _) => Exit::Interrupted,
        (true, true) => Exit::Ok,
        (true, false) => Exit::Failed,
    })
}
