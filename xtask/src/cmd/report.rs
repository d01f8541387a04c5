//! `cargo xtask report`: writes the tables, the plots and the page of a result again.

use anyhow::bail;

use super::{Exit, browser, listing, results_folder, usage};
use crate::number::counted;
use crate::report::plot::is_ours;
use crate::report::{self, Plots};
use crate::results::find::{Found, find};
use crate::results::folder::{ENVIRONMENT, PAGE, SAMPLES, SUMMARY, TABLES};
use crate::results::name::is_result;
use crate::results::tree::Tree;
use crate::results::{Environment, ResultFolder, read};
use crate::stats::summary::Summary;

/// Write the tables, the plots and the page of a result again.
///
/// They are made from its summary.json, samples.jsonl and environment.json alone; nothing is measured, and no figure
/// changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask report                                       the latest result
  cargo xtask report --open                                the same, and show its page
  cargo xtask report results/2026-11-30T171522Z-3f9c2a1    that one

Exit status: 0 all well, 1 the result cannot be read or written, 2 there is none of this name.")]
pub struct Args {
    /// Which one.
    #[arg(value_name = "RESULT", default_value = "latest")]
    result: String,
    /// Show the page in the browser.
    #[arg(long)]
    open: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// There is no such result, or it cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let found = match find(&results_folder(None), &args.result) {
        Ok(found) => found,
        Err(error) => return Ok(usage(&error)),
    };
    let folder = folder(&found)?;
    if !folder.file(SUMMARY).exists() {
        bail!(
            "`{}` has no {SUMMARY}: whatever ran it was killed before it could write one. `cargo xtask matrix --resume` with \
             the same arguments measures the rest and writes it; `cargo xtask compare` shows what there is",
            found.name
        );
    }
    let summary = read::summary(&folder.file(SUMMARY))?;
    let environment = read::environment(&folder.file(ENVIRONMENT))?;
    let plots = write(&folder, &summary, &environment)?;
    let plots = counted(plots as u64, "plot", "plots");
    eprintln!("{plots}, {TABLES} and {PAGE} are in {}", folder.path().display());
    // The index knows which results have a page; only ours is ours to write.
    if found.tree == Tree::Disk(results_folder(None)) && is_result(&found.folder) {
        listing::write(folder.root())?;
    }
    if args.open {
        browser::open(&folder.file(PAGE));
    }
    Ok(Exit::Ok)
}

/// Writes `tables.md`, the plots and the page, and says how many there are.
///
/// # Errors
/// One could not be written.
pub fn write(folder: &ResultFolder, summary: &Summary, environment: &Environment) -> anyhow::Result<usize> {
    let records = match read::samples(&folder.file(SAMPLES)) {
        Ok(samples) => {
            samples.torn.iter().for_each(|torn| eprintln!("warning: {torn}"));
            samples.records
        }
        Err(error) => {
            eprintln!("warning: {error:#}. Latencies are not drawn.");
            Vec::new()
        }
    };
    let plots = Plots::of(summary, &records);
    folder.write_plots(plots.iter().map(|plot| (plot.name.as_str(), plot.svg.as_str())), is_ours)?;
    folder.write_tables(&report::document_with(summary, environment, &plots))?;
    folder.write_page(&report::page::page(summary, environment, &plots))?;
    Ok(plots.iter().count())
}

/// The folder of a result, which must be on this disk to be written to.
fn folder(found: &Found) -> anyhow::Result<ResultFolder> {
    match &found.tree {
        Tree::Disk(root) => ResultFolder::open(&root.join(&found.folder)),
        Tree::Git { .. } => bail!("`{}` is in git's history, which cannot be written to.", found.name),
    }
}
