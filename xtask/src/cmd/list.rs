//! `cargo xtask list`: the cells, and how long they will take.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::matrix::twins;
use super::{Exit, load_options, load_plan, matrix_file, runtime, select, to_stdout};
use crate::matrix::plan::Plan;
use crate::number::{counted, nanoseconds, roughly};

/// Show the cells, and how long they will take.
///
/// Nothing is run. Times are estimates, warm-ups included, without building and calibrating.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask list                           every cell
  cargo xtask list cpu-bound                 the cells of one scenario
  cargo xtask list '*model=threads*'         the cells of one model, in every scenario
  cargo xtask list --format ids | wc -l      one id a line, for programs

Exit status: 0 all well, 2 the command line or the matrix is wrong.")]
pub struct Args {
    /// Which cells: a glob on the cell's id, or on the scenario's name if it has no `/` [default: all].
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The matrix file [default: the nearest bench-matrix.toml, here or in a folder above].
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// With the small sizes of --quick: one warm-up and three runs at most, and what the scenarios' `quick` tables say.
    #[arg(long)]
    quick: bool,
    /// A runtime that the matrix need not have, as for `cargo xtask matrix`. May be repeated.
    #[arg(long = "runtime", value_name = "NAME=PROGRAM")]
    runtimes: Vec<String>,
    /// Allow a `target` that is another machine: only one that is yours to put under load.
    #[arg(long)]
    allow_remote: bool,
    /// How to print them.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How to print cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns and a total, for people.
    Table,
    /// One object, for programs.
    Json,
    /// One id a line.
    Ids,
}

/// Runs the subcommand.
///
/// # Errors
/// Stdout cannot be written to.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let plan = runtime::read(&args.runtimes).and_then(|extra| {
        let options = load_options(args.quick, args.allow_remote);
        let mut plan = load_plan(&matrix_file(args.matrix.as_deref()), &options, &extra)?;
        select(&mut plan, &args.patterns)?;
        runtime::check_used(&extra, &plan)?;
        Ok(plan)
    });
    let plan = match plan {
        Ok(plan) => plan,
        Err(exit) => return Ok(exit),
    };
    to_stdout(|out| match args.format {
        Format::Table => table(&plan, args.quick, out),
        Format::Json => json(&plan, out),
        Format::Ids => {
            plan.scenarios.iter().flat_map(|scenario| &scenario.cells).try_for_each(|cell| writeln!(out, "{}", cell.id))
        }
    })?;
    Ok(Exit::Ok)
}

fn table(plan: &Plan, quick: bool, out: &mut dyn Write) -> io::Result<()> {
    // Looking every character up takes a second for 100,000 ids, and most are ASCII.
    let width_of = |id: &str| if id.is_ascii() { id.len() } else { id.width() };
    let ids = plan.scenarios.iter().flat_map(|scenario| &scenario.cells).map(|cell| width_of(&cell.id));
    let width = ids.max().unwrap_or(0).max("cell".len());
    writeln!(out, "{:width$}  {:>7}  {:>5}  {:>12}", "cell", "warmups", "runs", "about")?;
    let mut total = Duration::ZERO;
    for scenario in &plan.scenarios {
        let runs = scenario.schedule.runs;
        let warmups = scenario.schedule.repetitions() - u64::from(runs);
        for cell in &scenario.cells {
            let estimate = plan.estimate_cell(scenario, cell);
            total += estimate;
            // One string a line: formatting piece by piece through a writer takes twice as long.
            let padding = width - width_of(&cell.id);
            let about = roughly(estimate);
            let line = format!("{}{:padding$}  {warmups:>7}  {runs:>5}  {about:>12}\n", cell.id, "");
            out.write_all(line.as_bytes())?;
        }
    }
    let first_time = if quick { String::new() } else { twins::first_time(plan) };
    writeln!(
        out,
        "\n{}, {}, {} with warm-ups, about {}{first_time}",
        counted(plan.scenarios.len() as u64, "scenario", "scenarios"),
        counted(plan.cell_count(), "cell", "cells"),
        counted(plan.repetitions(), "run", "runs"),
        roughly(total),
    )
}

fn json(plan: &Plan, out: &mut dyn Write) -> io::Result<()> {
    let cells: Vec<_> = plan
        .scenarios
        .iter()
        .flat_map(|scenario| scenario.cells.iter().map(move |cell| (scenario, cell)))
        .map(|(scenario, cell)| {
            let runs = scenario.schedule.runs;
            json!({
                "id": cell.id,
                "scenario": scenario.name,
                "axes": cell.axes,
                "runtime": cell.runtime,
                "warmups": scenario.schedule.repetitions() - u64::from(runs),
                "runs": runs,
                "estimate_ns": nanoseconds(plan.estimate_cell(scenario, cell)),
            })
        })
        .collect();
    let object = json!({
        "schema": 1,
        "matrix": plan.file.display().to_string(),
        "cells": cells,
        "total": {
            "scenarios": plan.scenarios.len(),
            "cells": plan.cell_count(),
            "repetitions": plan.repetitions(),
            "estimate_ns": nanoseconds(plan.estimate()),
        },
    });
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}
