//! `cargo xtask matrix`: runs the cells and keeps what came of them. Joins all stages.
//!
//! | file | what lives there |
//! | --- | --- |
//! | here | the command line, and what is printed at the end |
//! | `start` | a new result, or an interrupted one: everything that can go wrong before anything is measured |
//! | `resume` | whether an interrupted run may go on here and now |
//! | `measure` | from the calibration to the files of the result |
//! | `tools` | where its workers work, and what killed runs left there |
//! | `keeper` | keeps what is found out meanwhile |
//! | `twins` | which baselines are measured twice |
//! | `live` | tables as soon as their scenarios are over |

mod keeper;
mod live;
mod measure;
mod resume;
mod start;
mod tools;
pub(super) mod twins;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;

use super::{Exit, TableFormat, load_options, load_plan, matrix_file, runtime, to_stdout};
use crate::engine::build::workspace;
use crate::engine::lock::MachineLock;
use crate::engine::signals::Control;
use crate::number::counted;
use crate::report::{self, Format as _};
use crate::results::folder::{PAGE, TABLES};
use crate::results::machine::Machine;
use crate::results::options::RunOptions;
use crate::results::unfinished::narrowed;
use crate::results::{ResultFolder, floors};
use crate::stats::summary::{Status, Summary};
use measure::Matrix;
use start::Place;

/// Run the matrix: build the workers, measure every cell, print the tables.
///
/// Cells run one after another, never two at a time. Every sample is on disk before the next run starts; Ctrl-C keeps
/// what there is. Tables go to stdout, everything else to stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask matrix                         everything in bench-matrix.toml
  cargo xtask matrix --quick                 the same questions with small sizes, for a first look
  cargo xtask matrix cpu-bound               one scenario
  cargo xtask matrix '*lock=gil*' --runs 9   some cells, more often
  cargo xtask matrix --smoke                 every cell once: does everything work here?
  cargo xtask matrix interpreters-cpu --runtime python3.13t=/opt/python/bin/python3.13t
                                             an interpreter of yours beside those of the matrix
  cargo xtask matrix --resume                the rest of a run that was interrupted
  cargo xtask matrix --aa                    how far apart are two equal cells here?
  cargo xtask matrix --format csv > t.csv    data for other programs

Exit status: 0 all well, 1 a cell failed, 2 the command line or the matrix is wrong, 130 interrupted.")]
pub struct Args {
    /// Which cells: a glob on the cell's id, or on the scenario's name if it has no `/` [default: all].
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The matrix file [default: the nearest bench-matrix.toml, here or in a folder above].
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Counted runs of every cell, whatever the matrix says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: Option<u32>,
    /// Warm-ups, whatever the matrix says: before each counted run of an interleaved scenario, as that has a fresh
    /// process each time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000))]
    warmups: Option<u32>,
    /// Small sizes: one warm-up and three runs at most, and what the scenarios' `quick` tables say.
    #[arg(long)]
    quick: bool,
    /// Every cell once, without warm-up, in small sizes: shows what works, measures nothing worth keeping.
    #[arg(long, conflicts_with_all = ["runs", "warmups"])]
    smoke: bool,
    /// A runtime that the matrix need not have: an interpreter of Python or Ruby, with the worker that comes along. It
    /// joins every scenario whose `runtime` is an array, and takes the place of a runtime of that name. May be repeated.
    #[arg(long = "runtime", value_name = "NAME=PROGRAM")]
    runtimes: Vec<String>,
    /// Allow a `target` that is another machine: only one that is yours to put under load.
    #[arg(long)]
    allow_remote: bool,
    /// Use the workers as they were last built.
    #[arg(long)]
    no_build: bool,
    /// Draws the order of interleaved runs; the same seed gives the same order [default: drawn anew, and recorded].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Measure the baseline of every comparison twice, as two cells: how far apart two equal cells seem to be is the
    /// noise floor. By default this is done where it is not known from the last day, unless sizes are small.
    #[arg(long, conflicts_with_all = ["no_aa", "smoke"])]
    aa: bool,
    /// Measure no baseline twice; a noise floor that is remembered is used.
    #[arg(long)]
    no_aa: bool,
    /// Do not make runs again in which other programs, the hypervisor or a CPU limit took too much of the machine; they
    /// are flagged all the same.
    #[arg(long)]
    no_repeats: bool,
    /// Go on with the newest run of this matrix that was interrupted: only what is missing is measured. With the same
    /// patterns and sizes, on the same machine and with the same programs; seed, twins and repeats are those that it began
    /// with, whatever is given now.
    #[arg(long)]
    resume: bool,
    /// Where the result's folder is made, or looked for with --resume [default: `results` of this repository].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How tables are printed: `table` and `markdown` each when its scenario is over, `csv` and `json` at the end,
    /// which is what summary.json has. The files of the result are the same whatever is printed.
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
}

/// Runs the subcommand.
///
/// # Errors
/// The machine is taken by another matrix, results cannot be kept, or the workers cannot be built.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let options = args.run_options();
    let file = matrix_file(args.matrix.as_deref());
    let runtimes = match runtime::read(&args.runtimes) {
        Ok(runtimes) => runtimes,
        Err(exit) => return Ok(exit),
    };
    let load = load_options(options.quick || options.smoke, args.allow_remote);
    let plan = load_plan(&file, &load, &runtimes).and_then(|plan| {
        let plan = narrowed(plan, &options).map_err(|error| {
            eprintln!("error: {error}");
            Exit::Usage
        })?;
        runtime::check_used(&runtimes, &plan)?;
        Ok(plan)
    });
    let plan = match plan {
        Ok(plan) => plan,
        Err(exit) => return Ok(exit),
    };
    let control = Control::install().context("cannot listen for Ctrl-C")?;
    let _lock = MachineLock::take()?;
    let workspace = workspace();
    let root = args.out.clone().unwrap_or_else(|| workspace.join("results"));
    let place = Place { workspace: &workspace, root: &root };
    let floors = floors::known(&root, &Machine::capture().fingerprint, &plan, SystemTime::now());
    let start = if args.resume {
        resume::start(args, &plan, &runtimes, &options, place, &control)?
    } else {
        let twins = twins::choose(args, &plan, &floors);
        start::start(args, &plan, RunOptions { twins, ..options }, place, &file, &control)?
    };
    let start = match start {
        Ok(start) => start,
        Err(exit) => return Ok(exit),
    };
    let folder = start.folder.clone();
    let summary = Matrix::new(&plan, place, start, floors).run(&control, args.format)?;
    print_at_end(args.format, &summary)?;
    Ok(tell(&summary, &folder))
}

impl Args {
    /// What of the command line decides what is measured; twins are chosen later.
    fn run_options(&self) -> RunOptions {
        RunOptions {
            patterns: self.patterns.clone(),
            runtimes: self.runtimes.clone(),
            quick: self.quick,
            smoke: self.smoke,
            runs: self.runs,
            warmups: self.warmups,
            // One run of each cell is no measurement, so there is nothing to keep quiet for.
            repeat_disturbed: !self.no_repeats && !self.smoke,
            ..RunOptions::default()
        }
    }
}

fn print_at_end(format: TableFormat, summary: &Summary) -> anyhow::Result<()> {
    let text = match format {
        TableFormat::Table | TableFormat::Markdown => return Ok(()),
        TableFormat::Csv => report::csv::Csv.render(summary),
        TableFormat::Json => report::json::Json.render(summary),
    };
    Ok(to_stdout(|out| out.write_all(text.as_bytes()))?)
}

/// Says how it went and where the result is.
fn tell(summary: &Summary, folder: &ResultFolder) -> Exit {
    let count = |status| summary.cells().filter(|cell| cell.status == status).count() as u64;
    let mut parts = vec![format!("{} measured", counted(count(Status::Ok), "cell", "cells"))];
    for (status, word) in [
        (Status::Failed, "failed"),
        (Status::Skipped, "skipped"),
        (Status::Unsupported, "unsupported"),
        (Status::NotRun, "not run"),
    ] {
        match count(status) {
            0 => {}
            some => parts.push(format!("{some} {word}")),
        }
    }
    eprintln!("{}; the result is in {}", parts.join(", "), shown(&folder.file(TABLES)));
    let page = folder.file(PAGE);
    if page.is_file() {
        eprintln!("the page is {}", shown(&page));
    }
    if !summary.complete {
        eprintln!("the same command with --resume does the rest");
        Exit::Interrupted
    } else if count(Status::Failed) > 0 {
        Exit::Failed
    } else {
        Exit::Ok
    }
}

/// A path as seen from where the command was given.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
