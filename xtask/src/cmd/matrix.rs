//! `cargo xtask matrix`: runs the cells and keeps what came of them. Joins all stages.

mod keeper;
mod live;
mod tools;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use clap::ValueEnum;

use super::{Exit, load_options, load_plan, matrix_file, runtime, select, terminal, to_stdout};
use crate::engine::binaries::{self, Binaries};
use crate::engine::build::{already_built, build, build_quietly, workspace};
use crate::engine::calibrate::calibrate;
use crate::engine::calibrations::Calibrations;
use crate::engine::capacity;
use crate::engine::event::Listener;
use crate::engine::lock::MachineLock;
use crate::engine::probe::probe;
use crate::engine::signals::Control;
use crate::engine::workers::{Builder, ProcessLauncher};
use crate::engine::{self, Outcome};
use crate::matrix::plan::Plan;
use crate::number::{counted, roughly};
use crate::progress;
use crate::report::{self, Format as _};
use crate::results::environment::{Environment, Setting};
use crate::results::{ResultFolder, machine};
use crate::stats::summary::{Status, Summary};
use crate::stats::{KnownFloors, RunTimes, summarise};
use keeper::Keeper;
use live::Live;
use tools::{Tools, clear_leftovers, scratch_folder};

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
    /// Where the result's folder is made [default: `results` of this repository].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How tables are printed.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How tables are printed on stdout. The files of the result are the same whatever is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns, as wide as the window, each table when its scenario is over.
    Table,
    /// Markdown, each table when its scenario is over.
    Markdown,
    /// Comma-separated values in raw units, at the end.
    Csv,
    /// The summary as `summary.json` has it, at the end.
    Json,
}

/// Runs the subcommand.
///
/// # Errors
/// The machine is taken by another matrix, results cannot be kept, or the workers cannot be built.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let file = matrix_file(args.matrix.as_deref());
    let plan = runtime::read(&args.runtimes).and_then(|extra| {
        let mut plan = load_plan(&file, &load_options(args.quick || args.smoke, args.allow_remote), &extra)?;
        select(&mut plan, &args.patterns)?;
        runtime::check_used(&extra, &plan)?;
        Ok(plan)
    });
    let mut plan = match plan {
        Ok(plan) => plan,
        Err(exit) => return Ok(exit),
    };
    if args.smoke {
        plan.override_schedule(Some(1), Some(0));
    } else {
        plan.override_schedule(args.runs, args.warmups);
    }
    let control = Control::install().context("cannot listen for Ctrl-C")?;
    let _lock = MachineLock::take()?;
    let workspace = workspace();
    let root = args.out.clone().unwrap_or_else(|| workspace.join("results"));
    let folder = ResultFolder::create(&root, SystemTime::now(), &machine::Machine::capture().fingerprint)?;
    // Kept as it was when it was read: an editor may save the file while the matrix runs.
    let text = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let workers = match prepare(args, &plan, &folder, &text) {
        Ok(workers) => workers,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    let paths: Vec<PathBuf> = workers.iter().map(|(_, path)| path.to_owned()).collect();
    let setting = Setting { workspace: &workspace, results: &root, seed, profile: "release", workers: &paths };
    let mut matrix = Matrix { plan: &plan, folder: &folder, environment: Environment::capture(&setting) };
    let builder = (!args.no_build).then_some(build_quietly as Builder);
    let scratch = scratch_folder(&workspace)?;
    clear_leftovers(&plan, &scratch);
    let summary = matrix.measure(Tools { workers, builder, scratch }, &control, args.format)?;
    matrix.environment.finish(&setting);
    matrix.keep(&summary)?;
    print_at_end(args.format, &summary)?;
    Ok(tell(&summary, &folder))
}

/// Everything that can go wrong before anything is measured.
fn prepare(args: &Args, plan: &Plan, folder: &ResultFolder, text: &[u8]) -> anyhow::Result<Binaries> {
    folder.write_matrix(text)?;
    let needed = binaries::needed(plan, &HashSet::new());
    let workers = if args.no_build {
        already_built(&needed)?
    } else {
        // The others are built when the first scenario that needs them is reached.
        let early = needed.into_iter().filter(|worker| !binaries::LATE.contains(worker)).collect();
        build(&early)?
    };
    eprintln!(
        "{} in {}, {} with warm-ups, about {}",
        counted(plan.cell_count(), "cell", "cells"),
        counted(plan.scenarios.len() as u64, "scenario", "scenarios"),
        counted(plan.repetitions(), "run", "runs"),
        roughly(plan.estimate()),
    );
    Ok(workers)
}

/// A matrix that is being run.
struct Matrix<'a> {
    plan: &'a Plan,
    folder: &'a ResultFolder,
    environment: Environment,
}

impl Matrix<'_> {
    /// Calibrates, runs the plan, and sums up what there is, also after an interruption.
    fn measure(&mut self, tools: Tools, control: &Control, format: Format) -> anyhow::Result<Summary> {
        let mut launcher = ProcessLauncher::new(&self.plan.runtimes, tools.workers, control.clone())
            .context("cannot listen for the ends of workers")?
            .with_scratch(tools.scratch)
            .alone();
        if let Some(builder) = tools.builder {
            launcher = launcher.with_builder(builder);
        }
        let mut samples = self.folder.sample_file()?;
        let calibrations = self.calibrate(&mut launcher, control);
        self.folder.write_environment(&self.environment)?;
        let (mut progress, curtain) = progress::new(self.plan.estimate());
        let mut live = Live::new(self.plan, printer(format), curtain);
        let started = SystemTime::now();
        let options = engine::Options { seed: self.environment.seed, ..Default::default() };
        let mut keeper = Keeper { folder: self.folder, environment: &mut self.environment };
        let outcome = engine::run(
            self.plan,
            &calibrations,
            &options,
            &mut launcher,
            control,
            &mut [&mut samples as &mut dyn Listener, &mut keeper, &mut *progress, &mut live],
        );
        drop(progress);
        let times = |wall: std::time::Duration, complete| RunTimes {
            started,
            ended: started + wall,
            wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
            complete,
        };
        match outcome {
            Ok(outcome) => {
                self.take_note(&outcome);
                live.print_unfinished()?;
                Ok(summarise(
                    self.plan,
                    live.records(),
                    &times(outcome.wall, outcome.complete),
                    &KnownFloors::default(),
                ))
            }
            Err(error) => {
                // What was measured is worth a summary, if there is still a place to write it to.
                let wall = started.elapsed().unwrap_or_default();
                let _ = self.keep(&summarise(self.plan, live.records(), &times(wall, false), &KnownFloors::default()));
                Err(error
                    .context(format!("the matrix ended early; what there is, is in {}", shown(self.folder.path()))))
            }
        }
    }

    fn calibrate(&mut self, launcher: &mut ProcessLauncher, control: &Control) -> Calibrations {
        let mut calibrations = Calibrations::default();
        let skip = HashSet::new();
        let mut warn = |warning: String| eprintln!("warning: {warning}");
        probe(self.plan, &skip, &mut calibrations.probes, launcher, control, &mut warn);
        for (runtime, probe) in &calibrations.probes {
            match probe {
                Ok(probe) => self.environment.note_runtime(&self.plan.runtimes, runtime, probe),
                // It has no calibration either.
                Err(failure) => drop(calibrations.rates.insert(runtime.clone(), Err(failure.clone()))),
            }
        }
        calibrate(self.plan, &skip, &mut calibrations.rates, launcher, control, &mut warn);
        capacity::measure(self.plan, &skip, &mut calibrations, launcher, control, &mut warn);
        for (runtime, calibration) in &calibrations.rates {
            if let Ok(calibration) = calibration {
                self.environment.calibration.insert(runtime.clone(), calibration.clone());
            }
        }
        for (server, capacity) in &calibrations.capacities {
            if let Ok(capacity) = capacity {
                self.environment.capacity.insert(server.clone(), capacity.clone());
            }
        }
        calibrations
    }

    fn take_note(&mut self, outcome: &Outcome) {
        for ((runtime, _), ready) in &outcome.workers {
            self.environment.note_ready(runtime, ready);
        }
    }

    /// Writes every file of the result but the samples, which are there already.
    fn keep(&self, summary: &Summary) -> anyhow::Result<()> {
        self.folder.write_summary(summary)?;
        self.folder.write_environment(&self.environment)?;
        super::report::write(self.folder, summary, &self.environment)?;
        self.folder.write_index()
    }
}

/// How a table is printed as soon as its scenario is over, for formats that can be cut there.
fn printer(format: Format) -> Option<live::Printer> {
    match format {
        Format::Table => {
            let terminal = terminal(false);
            Some(Box::new(move |table| terminal.table(table)))
        }
        Format::Markdown => Some(Box::new(report::markdown::table)),
        Format::Csv | Format::Json => None,
    }
}

fn print_at_end(format: Format, summary: &Summary) -> anyhow::Result<()> {
    let text = match format {
        Format::Table | Format::Markdown => return Ok(()),
        Format::Csv => report::csv::Csv.render(summary),
        Format::Json => report::json::Json.render(summary),
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
    eprintln!("{}; the result is in {}", parts.join(", "), shown(&folder.file("tables.md")));
    if !summary.complete {
        Exit::Interrupted
    } else if count(Status::Failed) > 0 {
        Exit::Failed
    } else {
        Exit::Ok
    }
}

/// A path as seen from where the command was given.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
