//! Finds the run of a matrix that was interrupted and can go on: the newest unfinished result of the same plan.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::environment::Environment;
use super::folder::{ENVIRONMENT, MATRIX, ResultFolder, SAMPLES, SUMMARY};
use super::name::newest_first;
use super::options::RunOptions;
use super::record::Record;
use super::{read, scan};
use crate::matrix::plan::{Plan, Runtime};
use crate::matrix::{self, LoadOptions};
use crate::stats::compare::Difference;
use crate::stats::compare::facts::About;
use crate::stats::compare::plans;

/// A run that was interrupted.
#[derive(Debug)]
pub struct Unfinished {
    /// Its folder.
    pub folder: ResultFolder,
    /// What it was made with and on.
    pub environment: Environment,
    /// What was asked for.
    pub options: RunOptions,
    /// What was measured.
    pub records: Vec<Record>,
    /// When it began.
    pub started: SystemTime,
    /// How long it ran at least.
    pub ran: Duration,
    /// How much of that was spent while nothing was measured.
    pub prepared: Duration,
}

/// What the search for an interrupted run came to.
#[derive(Debug)]
pub enum Search {
    /// The newest one of the same plan.
    Found(Box<Unfinished>),
    /// There is none of the same plan. The newest one of another plan, by the name of its folder, and what differs.
    OtherPlan {
        /// The folder's name.
        name: String,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// There is none of the same plan, and the newest unfinished one does not say of which plan it is.
    UnknownPlan {
        /// The folder's name.
        name: String,
        /// Why, in a sentence without its full stop.
        reason: String,
    },
    /// Every result is complete; how many there are.
    AllComplete(usize),
}

/// Looks for the newest unfinished result in `root` whose plan is this one. `runtimes` are those of the command line.
///
/// # Errors
/// The folder, or a result that would go on, cannot be read.
pub fn search(root: &Path, plan: &Plan, runtimes: &[Runtime], options: &RunOptions) -> anyhow::Result<Search> {
    let unreadable = || format!("cannot read the results in `{}`", root.display());
    let mut names = Vec::new();
    match fs::read_dir(root) {
        Ok(entries) => {
            for entry in entries {
                names.extend(entry.with_context(unreadable)?.file_name().into_string());
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(unreadable),
    }
    let mut complete = 0;
    let mut other = None;
    for name in newest_first(names) {
        let path = root.join(&name);
        if !path.join(SAMPLES).is_file() {
            continue;
        }
        if is_complete(&path) {
            complete += 1;
            continue;
        }
        match differences(&path, plan, runtimes, options) {
            Ok(differences) if differences.is_empty() => {
                let go_on = || {
                    format!(
                        "`{name}` cannot go on. Mend what is named here, or leave out --resume to begin a new result"
                    )
                };
                return open(&path, &name).map(|it| Search::Found(Box::new(it))).with_context(go_on);
            }
            Ok(differences) => other = other.or(Some(Search::OtherPlan { name, differences })),
            Err(error) => other = other.or_else(|| Some(Search::UnknownPlan { name, reason: format!("{error:#}") })),
        }
    }
    Ok(other.unwrap_or(Search::AllComplete(complete)))
}

/// Killed before it could sum up, a run has no summary.
fn is_complete(folder: &Path) -> bool {
    let Ok(summary) = fs::read(folder.join(SUMMARY)) else { return false };
    scan::first(&summary, "complete") == Some(true)
}

/// What differs between the plan of a result and this one.
fn differences(
    folder: &Path,
    plan: &Plan,
    runtimes: &[Runtime],
    options: &RunOptions,
) -> anyhow::Result<Vec<Difference>> {
    let environment = read::environment(&folder.join(ENVIRONMENT))?;
    let then =
        environment.options.as_ref().context("it was made by a version that does not keep what it was asked for")?;
    let text = fs::read_to_string(folder.join(MATRIX)).with_context(|| format!("it has no {MATRIX}"))?;
    let cores = environment.machine.usable_cpus.unwrap_or(plan.cores);
    let load = LoadOptions { quick: then.quick || then.smoke, cores, allow_remote: true };
    // Under the name of this one: paths start from where the matrix is.
    let old = matrix::parse_with(&plan.file, text, &load, runtimes)
        .map_err(|problems| anyhow::anyhow!("this version cannot read its {MATRIX}: {}", problems.render(false)))?;
    let old = narrowed(old, then)?;
    let differences = plans::differences(&old, plan);
    if differences.is_empty() {
        return Ok(differences);
    }
    // What was asked for may be all the reason there is.
    let words = then.words().into_iter().zip(options.words()).filter(|(then, now)| then != now);
    let words = words.map(|((what, base), (_, new))| Difference {
        about: About::Matrix,
        what: what.to_owned(),
        base: Some(base),
        new: Some(new),
    });
    Ok(words.chain(differences).collect())
}

/// The plan that these options make of a whole matrix.
///
/// # Errors
/// A pattern chooses nothing.
pub fn narrowed(mut plan: Plan, options: &RunOptions) -> Result<Plan, matrix::pattern::PatternError> {
    plan.select(&options.patterns)?;
    if options.smoke {
        plan.override_schedule(Some(1), Some(0));
    } else {
        plan.override_schedule(options.runs, options.warmups);
    }
    Ok(plan)
}

fn open(path: &Path, name: &str) -> anyhow::Result<Unfinished> {
    let environment = read::environment(&path.join(ENVIRONMENT))?;
    let records = records(&path.join(SAMPLES))?;
    // Without a summary its folder's name says when it began, and its samples how long it ran.
    let summary = read::summary(&path.join(SUMMARY)).ok();
    let started = summary.as_ref().and_then(|summary| humantime::parse_rfc3339(&summary.started).ok());
    Ok(Unfinished {
        folder: ResultFolder::open(path)?,
        options: environment.options.clone().unwrap_or_default(),
        environment,
        records,
        started: started.or_else(|| began(name)).unwrap_or(SystemTime::UNIX_EPOCH),
        ran: Duration::from_nanos(summary.as_ref().map_or(0, |summary| summary.wall_ns)),
        prepared: Duration::from_nanos(summary.map_or(0, |summary| summary.prepared_ns)),
    })
}

/// Nothing where the run was killed before the first line was whole.
fn records(path: &Path) -> anyhow::Result<Vec<Record>> {
    let content = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    if content.contains(&b'\n') { Ok(read::parse(&content, path)?.records) } else { Ok(Vec::new()) }
}

/// `2026-11-30T171522Z-…` → that second.
fn began(name: &str) -> Option<SystemTime> {
    let (date, time) = name.split_at_checked(11)?;
    let time = time.get(..6)?;
    humantime::parse_rfc3339(&format!("{date}{}:{}:{}Z", &time[..2], &time[2..4], &time[4..])).ok()
}

#[cfg(test)]
mod tests;
