//! The subcommands, one file each: thin, they join the stages.
//!
//! Here are the command line as a whole, the exit status, and what every subcommand does alike: finding the matrix
//! file, writing to stdout, and reporting what is wrong.

pub mod browser;
pub mod check;
pub mod compare;
pub mod conformance;
pub mod doctor;
pub mod history;
pub mod list;
pub mod listing;
pub mod matrix;
pub mod report;
pub mod runtime;
pub mod schema;

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::matrix::LoadOptions;
use crate::matrix::plan::{Plan, Runtime};
use crate::matrix::problem::Report;
use crate::report::Terminal;

/// What the process tells its caller. The help text documents the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All well.
    Ok = 0,
    /// A cell failed, or the program could not do its work.
    Failed = 1,
    /// The command line or the matrix is wrong.
    Usage = 2,
    /// What `--fail-on` names has happened.
    Condition = 3,
    /// Somebody asked to stop.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

const EXIT_STATUS: &str = "\
Exit status:
  0    all well
  1    a cell failed
  2    the command line or the matrix is wrong
  3    what --fail-on names has happened
  130  interrupted (Ctrl-C)";

/// Runs benchmarks described in bench-matrix.toml and compares concurrency models.
///
/// The matrix file states the questions; every combination of its axes is a cell, such as
/// `cpu-bound/model=threads,lock=none`. See docs/matrix.md for everything that it may contain.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = EXIT_STATUS, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the matrix: build the workers, measure every cell, print the tables.
    Matrix(matrix::Args),
    /// Is this matrix valid?
    Check(check::Args),
    /// Show the cells, and how long they will take.
    List(list::Args),
    /// Compare two results, cell by cell.
    Compare(compare::Args),
    /// Show each cell's ratio over all results, and where it changed.
    History(history::Args),
    /// Write the tables, the plots and the page of a result again.
    Report(report::Args),
    /// What can this machine measure, and what is missing?
    Doctor(doctor::Args),
    /// Is this program a worker? Check it against the protocol.
    Conformance(conformance::Args),
    /// Print the JSON Schema of the matrix file, for editors.
    Schema(schema::Args),
}

/// Runs the command line.
#[must_use]
pub fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Matrix(args) => matrix::run(&args),
        Command::Check(args) => check::run(&args),
        Command::List(args) => list::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::History(args) => history::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Conformance(args) => conformance::run(&args),
        Command::Schema(args) => schema::run(&args),
    };
    match result {
        Ok(exit) => exit.into(),
        // `… | head` has seen enough.
        Err(error) if is_broken_pipe(&error) => Exit::Ok.into(),
        Err(error) => {
            eprintln!("error: {error:#}");
            Exit::Failed.into()
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe))
}

/// Writes data to stdout, buffered and under one lock.
///
/// # Errors
/// Stdout cannot be written to.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    write(&mut stdout)?;
    stdout.flush()
}

/// Whether messages on stderr may have colour: it is a terminal, and `NO_COLOR` is not set.
#[must_use]
pub fn colour_on_stderr() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// How what was read from results is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Aligned columns, as wide as the window.
    Table,
    /// Markdown.
    Markdown,
    /// Comma-separated values in raw units.
    Csv,
    /// One object, for programs.
    Json,
}

/// How tables look on this stdout.
#[must_use]
pub fn terminal(ascii: bool) -> Terminal {
    let stdout = io::stdout();
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Terminal {
        width: stdout.is_terminal().then(|| terminal_size::terminal_size().map_or(80, |(width, _)| width.0.into())),
        colour: stdout.is_terminal() && !no_colour,
        ascii,
    }
}

/// The folder of results: the given one, or `results` of this repository.
#[must_use]
pub fn results_folder(given: Option<&Path>) -> PathBuf {
    given.map_or_else(|| crate::engine::build::workspace().join("results"), Path::to_owned)
}

/// Says what is wrong with the command line.
#[must_use]
pub fn usage(error: &dyn std::fmt::Display) -> Exit {
    eprintln!("error: {error}");
    Exit::Usage
}

/// The name of the matrix file where the command line gives none.
const MATRIX_FILE: &str = "bench-matrix.toml";

/// The matrix file: the given one, or the nearest `bench-matrix.toml` in this folder and those above it.
#[must_use]
pub fn matrix_file(given: Option<&Path>) -> PathBuf {
    if let Some(given) = given {
        return given.to_owned();
    }
    let depth = std::env::current_dir().map_or(0, |here| here.ancestors().count());
    let candidates = (0..depth).map(|up| Path::new("..").components().cycle().take(up).collect::<PathBuf>());
    let mut candidates = candidates.map(|folder| folder.join(MATRIX_FILE));
    candidates.find(|file| file.exists()).unwrap_or_else(|| MATRIX_FILE.into())
}

/// How a matrix is read on this machine.
#[must_use]
pub fn load_options(quick: bool, allow_remote: bool) -> LoadOptions {
    LoadOptions { quick, cores: crate::matrix::usable_cores(), allow_remote }
}

/// The plan of a matrix file, with these runtimes of the command line, or the exit status after its mistakes have been reported.
///
/// # Errors
/// The matrix is wrong; what is wrong is on stderr already.
pub fn load_plan(file: &Path, options: &LoadOptions, extra: &[Runtime]) -> Result<Plan, Exit> {
    crate::matrix::load_with(file, options, extra).map_err(|problems| report(&problems))
}

/// Shows what is wrong with a matrix.
#[must_use]
pub fn report(problems: &Report) -> Exit {
    eprint!("{}", problems.render(colour_on_stderr()));
    Exit::Usage
}

/// Keeps the cells that the patterns choose, or says why there are none.
///
/// # Errors
/// A pattern is wrong or matches nothing; stderr says which.
pub fn select(plan: &mut Plan, patterns: &[String]) -> Result<(), Exit> {
    plan.select(patterns).map_err(|error| {
        eprintln!("error: {error}");
        Exit::Usage
    })
}
