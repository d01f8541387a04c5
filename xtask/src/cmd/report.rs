//! `cargo xtask report`: writes the tables and the plots of a result again.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::Exit;
use crate::engine::build::workspace;
use crate::number::counted;
use crate::report::plot::is_ours;
use crate::report::{self, Plots};
use crate::results::folder::{ENVIRONMENT, SAMPLES, SUMMARY, TABLES};
use crate::results::{Environment, ResultFolder, index, read};
use crate::stats::summary::Summary;

/// Write the tables and the plots of a result again.
///
/// They are made from its summary.json, samples.jsonl and environment.json alone; nothing is measured, and no figure
/// changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask report                                       the latest result
  cargo xtask report results/2026-11-30T171522Z-3f9c2a1    that one

Exit status: 0 all well, 1 the result cannot be read or written.")]
pub struct Args {
    /// The result's folder, or `latest`.
    #[arg(value_name = "RESULT", default_value = "latest")]
    result: PathBuf,
}

/// Runs the subcommand.
///
/// # Errors
/// There is no such result, or it cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let folder = find(&args.result)?;
    let summary = read::summary(&folder.file(SUMMARY))?;
    let environment = read::environment(&folder.file(ENVIRONMENT))?;
    let plots = write(&folder, &summary, &environment)?;
    let plots = counted(plots as u64, "plot", "plots");
    eprintln!("{plots} and {} are in {}", TABLES, folder.path().display());
    Ok(Exit::Ok)
}

/// Writes `tables.md` and the plots, and says how many there are.
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
    Ok(plots.iter().count())
}

/// The result with this path; `latest` is the newest of this repository.
fn find(result: &Path) -> anyhow::Result<ResultFolder> {
    if result != Path::new("latest") || result.is_dir() {
        return ResultFolder::open(result);
    }
    let root = workspace().join("results");
    let entries =
        std::fs::read_dir(&root).with_context(|| format!("cannot read the results in `{}`", root.display()))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    // Names begin with the start in UTC.
    let mut names: Vec<String> = names.filter(|name| index::is_result(name)).collect();
    names.sort_unstable();
    let known = names.iter().rev().map(|name| root.join(name)).find(|path| path.join(SUMMARY).is_file());
    match known {
        Some(path) => ResultFolder::open(&path),
        None => bail!("there is no result in `{}` yet: `cargo xtask matrix` makes one.", root.display()),
    }
}
