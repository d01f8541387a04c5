//! `cargo xtask history`: each cell's ratio over all results.

use std::io;
use std::path::{Path, PathBuf};

use super::{Exit, TableFormat, results_folder, terminal, to_stdout, usage};
use crate::matrix::pattern::IdPatterns;
use crate::report::history::{csv, json, table};
use crate::results::folder::{ENVIRONMENT, SUMMARY};
use crate::results::index::outlines;
use crate::results::machine::UNKNOWN_MACHINE;
use crate::results::outline::Outline;
use crate::results::read;
use crate::stats::history::{History, MachineHistory, history};

/// Show each cell's ratio over all results, and where it changed.
///
/// Results are kept apart by machine, and by the settings of their scenarios: what asked another question is left out and
/// counted. A change is called one where Pettitt's test finds it at a level of 1 %, which takes ten results; docs/comparing.md
/// explains it. Published figures are no part of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask history                              every cell
  cargo xtask history cpu-bound '*model=threads*'  some
  cargo xtask history --format csv > history.csv   a row for each cell of each result

Exit status: 0 all well, 2 the command line is wrong or there is no result.")]
pub struct Args {
    /// Which cells: a glob on the cell's id, or on the scenario's name if it has no `/` [default: all].
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The folder of results [default: `results` of this repository].
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Keep tables to ASCII.
    #[arg(long)]
    ascii: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
}

/// Runs the subcommand.
///
/// # Errors
/// The folder of results cannot be read, or stdout not written to.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let patterns = match IdPatterns::new(&args.patterns) {
        Ok(patterns) => patterns,
        Err(error) => return Ok(usage(&error)),
    };
    let root = results_folder(args.results.as_deref());
    let outlines = outlines(&root)?;
    let all = outlines.len();
    let results: Vec<(String, Outline)> =
        outlines.into_iter().filter_map(|(name, outline)| Some((name, outline?))).collect();
    if results.is_empty() {
        let place = root.display();
        return Ok(usage(&format!("there is no result in `{place}`. `cargo xtask matrix` makes one")));
    }
    let history = match history(&results, &patterns) {
        Ok(history) => history,
        Err(error) => return Ok(usage(&error)),
    };
    let without = all - results.len();
    if without > 0 {
        let results = crate::number::counted(without as u64, "result", "results");
        eprintln!("note: {results} without a readable {SUMMARY}, left out");
    }
    to_stdout(|out| print(args, &root, &history, out))?;
    Ok(Exit::Ok)
}

fn print(args: &Args, root: &Path, history: &History, out: &mut dyn io::Write) -> io::Result<()> {
    match args.format {
        TableFormat::Csv => out.write_all(csv(history).as_bytes()),
        TableFormat::Json => out.write_all(json(history).as_bytes()),
        TableFormat::Table | TableFormat::Markdown => {
            let terminal = terminal(args.ascii);
            for machine in &history.machines {
                let table = table(machine, &described(root, machine), args.ascii);
                let text = match args.format {
                    TableFormat::Markdown => crate::report::markdown::table(&table),
                    _ => terminal.table(&table),
                };
                writeln!(out, "{text}")?;
            }
            Ok(())
        }
    }
}

/// The machine in a few words, as the newest of its results knows it.
fn described(root: &Path, machine: &MachineHistory) -> String {
    let newest = machine.results.last();
    let environment = newest.and_then(|name| read::environment(&root.join(name).join(ENVIRONMENT)).ok());
    environment.map_or_else(|| UNKNOWN_MACHINE.to_owned(), |environment| environment.machine.in_short())
}
