//! `cargo xtask check`: is this matrix valid?

use std::path::PathBuf;

use super::matrix::twins;
use super::{Exit, load_options, matrix_file, report, to_stdout};
use crate::matrix;
use crate::number::{counted, roughly};

/// Is this matrix valid?
///
/// Reads the matrix file, both with its full sizes and with those of --quick, and reports every mistake with its place
/// and what was expected. Nothing is run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0 if the matrix is valid, 2 if it is not.")]
pub struct Args {
    /// The matrix file [default: the nearest bench-matrix.toml, here or in a folder above].
    file: Option<PathBuf>,
    /// Allow a `target` that is another machine: only one that is yours to put under load.
    #[arg(long)]
    allow_remote: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// Stdout cannot be written to.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let file = matrix_file(args.file.as_deref());
    let (plan, quick) = match matrix::load_both(&file, &load_options(false, args.allow_remote)) {
        Ok(plans) => plans,
        Err(problems) => return Ok(report(&problems)),
    };
    let scenarios = counted(plan.scenarios.len() as u64, "scenario", "scenarios");
    let cells = counted(plan.cell_count(), "cell", "cells");
    let (full, quick) = (roughly(plan.estimate()) + &twins::first_time(&plan), roughly(quick.estimate()));
    to_stdout(|out| {
        writeln!(out, "{}: valid: {scenarios}, {cells}, about {full} (with --quick about {quick})", file.display())
    })?;
    Ok(Exit::Ok)
}
