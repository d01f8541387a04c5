//! The matrix file: TOML → `Matrix` (what was written) → [`Plan`] (the cells to run). Pure: text in, plan or
//! problems out. Only a `target` that is a name is looked up, as its address decides whether it is allowed.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`vocabulary`] | every key, word and operation, as data |
//! | `source`, `entries`, `reader` | text and typed values, with every mistake noted |
//! | [`duration`], [`size`], `address` | values that are written as words |
//! | `parse`, `parse_scenario`, `task`, `task_spec`, `http`, `setting`, `zip`, `choice` | TOML → `written` |
//! | `expand`, `draft`, `coordinates`, `comparisons` | `written` → [`plan`] |
//! | [`axis`] | the coordinates of a cell |
//! | [`pattern`] | choosing cells |
//! | [`estimate`] | how long they will take |
//! | [`problem`], [`nearest`] | mistakes and how they are shown; what was meant |
//! | [`schema`], [`mod@reference`] | the vocabulary for editors and for people |

mod address;
pub mod axis;
mod choice;
mod comparisons;
mod coordinates;
mod draft;
pub mod duration;
mod entries;
pub mod estimate;
mod expand;
mod http;
pub mod nearest;
mod parse;
mod parse_scenario;
pub mod pattern;
pub mod plan;
pub mod problem;
mod reader;
pub mod reference;
pub mod schema;
mod setting;
pub mod size;
mod source;
mod task;
mod task_spec;
pub mod vocabulary;
mod written;
mod zip;

use crate::number::grouped;
use std::path::Path;

use plan::{Plan, Runtime};
use problem::{Problem, Problems, Report};
use vocabulary::tables::MAX_CELLS;

/// How a matrix is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// Whether the small sizes of `--quick` are wanted.
    pub quick: bool,
    /// What `workers = "cores"` stands for.
    pub cores: u32,
    /// Whether the `target` of an HTTP scenario may be another machine.
    pub allow_remote: bool,
}

/// How many CPUs this process may use: its affinity mask and its control group's quota count, not the host's CPUs.
#[must_use]
pub fn usable_cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX))
}

/// Reads a matrix file and expands it.
///
/// Both sets of sizes are checked, those of `--quick` and the full ones, whichever is wanted: a mistake shows at once.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Plan, Report> {
    load_with(path, options, &[])
}

/// The same with runtimes that the file does not have, which join every axis of runtimes that is not zipped. One that
/// has the name of a runtime of the file takes its place.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn load_with(path: &Path, options: &LoadOptions, extra: &[Runtime]) -> Result<Plan, Report> {
    let text = source::read(path)?;
    parse_with(path, text, options, extra)
}

/// The same with the full sizes and with those of `--quick`, reading the file once: it may be a pipe.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn load_both(path: &Path, options: &LoadOptions) -> Result<(Plan, Plan), Report> {
    let text = source::read(path)?;
    let full = parse(path, text.clone(), &LoadOptions { quick: false, ..*options })?;
    let quick = parse(path, text, &LoadOptions { quick: true, ..*options })?;
    Ok((full, quick))
}

/// [`load`] for a text; `path` is its name in the plan and in reports.
///
/// # Errors
/// Everything that is wrong with the text.
pub fn parse(path: &Path, text: String, options: &LoadOptions) -> Result<Plan, Report> {
    parse_with(path, text, options, &[])
}

/// The same with runtimes that the text does not have, as of [`load_with`].
///
/// # Errors
/// As of [`load`].
pub fn parse_with(path: &Path, text: String, options: &LoadOptions, extra: &[Runtime]) -> Result<Plan, Report> {
    let mut problems = Problems::default();
    let mut plan = None;
    match parse::syntax(&text) {
        Ok(root) => {
            plan = Some(read(path, &root, options, extra, &mut problems));
            if ["batch", "http"]
                .iter()
                .filter_map(|key| root.get(*key))
                .any(|tables| parse::has_quick(tables.get_ref()))
            {
                read(path, &root, &LoadOptions { quick: !options.quick, ..*options }, extra, &mut problems);
            }
        }
        Err(problem) => problems.push(problem),
    }
    match plan {
        Some(plan) if problems.is_empty() => Ok(plan),
        _ => Err(problems.into_report(path, text)),
    }
}

/// Where a matrix file is.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

fn read(
    path: &Path,
    root: &toml::de::DeTable<'_>,
    options: &LoadOptions,
    extra: &[Runtime],
    problems: &mut Problems,
) -> Plan {
    let matrix = parse::matrix(root, folder(path), options, extra, problems);
    let mut scenarios = Vec::new();
    let mut left = MAX_CELLS;
    for question in &matrix.questions {
        let count = expand::combinations(question).filter(|count| *count <= left);
        let Some(count) = count else {
            problems.push(
                Problem::new(format!("the matrix has more than {} cells", grouped(MAX_CELLS)))
                    .at(question.name_span.clone(), "this scenario is one too many")
                    .help("`zip` walks axes together instead of combining them; fewer values help as well"),
            );
            break;
        };
        left -= count;
        scenarios.extend(expand::expand(question, options.cores, problems));
    }
    let mut plan = Plan { file: path.to_owned(), scenarios, runtimes: matrix.runtimes, cores: options.cores };
    plan.keep_used_runtimes();
    plan
}
