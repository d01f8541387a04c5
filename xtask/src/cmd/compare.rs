//! `cargo xtask compare`: two results, cell by cell.

use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

use super::{Exit, TableFormat, results_folder, to_stdout, usage};
use crate::matrix::pattern::IdPatterns;
use crate::report::compare::{MOST_ROWS, csv, json, sentences, tables};
use crate::report::terminal::wrap;
use crate::results::find::{NAMES, find};
use crate::results::load::{Loaded, load};
use crate::stats::compare::{Change, ResultComparison, compare};

/// Compare two results, cell by cell.
///
/// Every cell that both have gets the change of its speed with an interval and a verdict: faster, slower, or unresolved,
/// which is what cannot be told from noise. What only one has, and what differs between the machines, matrices and programs,
/// is listed. On different machines no times are compared: only each cell's ratio to its own baseline. See
/// docs/comparing.md.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
{NAMES}

Examples:
  cargo xtask compare                              the newest result with the one before it
  cargo xtask compare HEAD~1:latest latest         with what the last commit had
  cargo xtask compare --fail-on slower:5%          for CI: exit status 3 if a cell lost more than 5 % of its speed
  cargo xtask compare published/threads-processes-asyncio latest
                                                   an article's ratios beside this machine's

Exit status: 0 all well, 1 a result cannot be read, 2 the command line is wrong or nothing could be compared although
--fail-on asks, 3 what --fail-on names has happened: a cell is slower, or was measured in BASE and failed in NEW."))]
pub struct Args {
    /// What to hold the other against.
    #[arg(default_value = "latest~1")]
    base: String,
    /// The result of interest.
    #[arg(default_value = "latest")]
    new: String,
    /// Which cells: a glob on the cell's id, or on the scenario's name if it has no `/`; can be given several times
    /// [default: all].
    #[arg(long = "cells", value_name = "PATTERN")]
    cells: Vec<String>,
    /// Compare times although the machines differ.
    #[arg(long)]
    force: bool,
    /// End with status 3 where a cell is slower, or slower by more than so much: `slower`, `slower:5%`.
    #[arg(long, value_name = "WHAT")]
    fail_on: Option<FailOn>,
    /// Show all unresolved cells in a table, however many there are.
    #[arg(long)]
    all: bool,
    /// The folder of results, or a bare clone for revisions [default: `results` of this repository].
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Keep tables to ASCII.
    #[arg(long)]
    ascii: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
}

/// What makes the command fail: a cell that is slower by more than this share of its speed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FailOn {
    share: f64,
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected `slower`, or `slower:5%`".to_owned();
        let rest = text.strip_prefix("slower").ok_or_else(expected)?;
        if rest.is_empty() {
            return Ok(Self { share: 0.0 });
        }
        let percent = rest.strip_prefix(':').and_then(|rest| rest.strip_suffix('%')).ok_or_else(expected)?;
        let percent: f64 = percent.trim().parse().map_err(|_| expected())?;
        if (0.0..100.0).contains(&percent) { Ok(Self { share: percent / 100.0 }) } else { Err(expected()) }
    }
}

/// Runs the subcommand.
///
/// # Errors
/// A result cannot be read, or stdout not written to.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let root = results_folder(args.results.as_deref());
    let found = find(&root, &args.base).and_then(|base| Ok((base, find(&root, &args.new)?)));
    let (base, new) = match found {
        Ok(found) => found,
        Err(error) => return Ok(usage(&error)),
    };
    // Two cores read two files at once.
    let (base, new) = thread::scope(|scope| {
        let base = scope.spawn(|| load(&base));
        let new = load(&new);
        (base.join().expect("reading does not panic"), new)
    });
    let (base, new): (Loaded, Loaded) = (base?, new?);
    let patterns = IdPatterns::new(&args.cells);
    let comparison = patterns.and_then(|patterns| compare(&base, &new, &patterns, args.force));
    let mut comparison = match comparison {
        Ok(comparison) => comparison,
        Err(error) => return Ok(usage(&error)),
    };
    let is_same = folder_of(&base.name) == folder_of(&new.name);
    if is_same {
        comparison.notes.insert(0, SAME.to_owned());
    }
    to_stdout(|out| print(args, &comparison, out))?;
    Ok(match args.fail_on {
        None => Exit::Ok,
        Some(_) if is_same => {
            eprintln!("error: --fail-on: {SAME}");
            Exit::Usage
        }
        Some(fail_on) => judge(&comparison, fail_on),
    })
}

/// What somebody should know who asks for `HEAD~1:latest` and has made no result since.
const SAME: &str = "Both names are of one result: nothing can have changed.";

/// The name of a result's folder, in which its start and its machine stand: `2026-11-30T171522Z-3f9c2a1` of
/// `HEAD~1:2026-11-30T171522Z-3f9c2a1`.
fn folder_of(name: &str) -> &str {
    name.trim_end_matches('/').rsplit([':', '/']).next().unwrap_or(name)
}

fn print(args: &Args, comparison: &ResultComparison, out: &mut dyn io::Write) -> io::Result<()> {
    match args.format {
        TableFormat::Table => {
            let terminal = super::terminal(args.ascii);
            let most = (!args.all).then_some(MOST_ROWS);
            for table in tables(comparison, most) {
                writeln!(out, "{}", terminal.table(&table))?;
            }
            for sentence in sentences(comparison) {
                write!(out, "{}", wrap(&terminal.signs(&sentence), terminal.width.unwrap_or(usize::MAX), "", ""))?;
            }
            Ok(())
        }
        TableFormat::Markdown => {
            for table in tables(comparison, None) {
                writeln!(out, "{}", crate::report::markdown::table(&table))?;
            }
            for sentence in sentences(comparison) {
                writeln!(out, "- {}", crate::report::markdown::escape(&sentence))?;
            }
            Ok(())
        }
        TableFormat::Csv => out.write_all(csv::csv(comparison).as_bytes()),
        TableFormat::Json => out.write_all(json(comparison).as_bytes()),
    }
}

/// The exit status that `--fail-on` asks for; stderr says why.
fn judge(comparison: &ResultComparison, fail_on: FailOn) -> Exit {
    let slower = comparison.slower_by(fail_on.share);
    if !slower.is_empty() {
        let than =
            if fail_on.share > 0.0 { format!(" by more than {} %", fail_on.share * 100.0) } else { String::new() };
        eprintln!("error: --fail-on: slower{than}, or no longer measured:");
        slower.iter().for_each(|cell| eprintln!("  {cell}"));
        return Exit::Condition;
    }
    let undecided = match (comparison.changes.iter().any(Change::can_be_resolved), comparison.changes.as_slice()) {
        (true, _) => return Exit::Ok,
        (false, changes) if changes.iter().any(|change| change.verdict.is_some()) => {
            "every cell has too few runs to be told (4 a side are the least, 5 are better; --quick makes 3)"
        }
        (false, _) => "nothing could be compared",
    };
    eprintln!("error: --fail-on: {undecided}, so nobody can say that nothing is slower");
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fail_on_takes_a_share_of_the_speed() {
        assert_eq!("slower".parse(), Ok(FailOn { share: 0.0 }));
        assert_eq!("slower:5%".parse(), Ok(FailOn { share: 0.05 }));
        assert_eq!("slower:0.5%".parse(), Ok(FailOn { share: 0.005 }));
        for wrong in
            ["faster", "slower:", "slower:5", "slower:x%", "slower:-1%", "slower:100%", "slower5%", "slower:NaN%"]
        {
            assert!(FailOn::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
