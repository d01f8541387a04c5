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
                return open(&path, &name).map(|it| Search::Found(Box::new(it)));
            }
            Ok(differences) => other = other.or(Some(Search::OtherPlan { name, differences })),
            Err(error) => {
                let reason = Difference {
                    about: About::Matrix,
                    what: "its plan is not known".to_owned(),
                    base: Some(format!("{error:#}")),
                    new: None,
                };
                other = other.or(Some(Search::OtherPlan { name, differences: vec![reason] }));
            }
        }
    }
    Ok(other.unwrap_or(Search::AllComplete(complete)))
}

/// Killed before it could sum up, a run has no summary.
fn is_complete(folder: &Path) -> bool {
    let Ok(summary) = fs::read(folder.join(SUMMARY)) else { return false };
    scan::values::<bool>(&summary, "complete").next() == Some(Some(true))
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
    let records = read::samples(&path.join(SAMPLES))?.records;
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

/// `2026-11-30T171522Z-…` → that second.
fn began(name: &str) -> Option<SystemTime> {
    let (date, time) = name.split_at_checked(11)?;
    let time = time.get(..6)?;
    humantime::parse_rfc3339(&format!("{date}{}:{}:{}Z", &time[..2], &time[2..4], &time[4..])).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "schema = 1\n[[batch]]\nname = \"s\"\ntask = { op = \"burn\", iterations = 10 }\ntasks = 2\n\
                        model = [\"sequential\", \"threads\"]\nworkers = 2\ncompare = \"model\"\nruns = 3\n";

    fn load() -> LoadOptions {
        LoadOptions { quick: false, cores: 2, allow_remote: false }
    }

    fn plan(text: &str, options: &RunOptions) -> Plan {
        narrowed(matrix::parse(Path::new("m.toml"), text.to_owned(), &load()).unwrap(), options).unwrap()
    }

    /// A result of this text and these options, complete or not, or killed before it had a summary.
    fn result(root: &Path, name: &str, options: &RunOptions, complete: Option<bool>) {
        use crate::results::environment::Setting;
        let folder = root.join(name);
        fs::create_dir(&folder).unwrap();
        let setting = Setting { workspace: root, results: root, seed: 7, profile: "release", workers: &[] };
        let mut environment = Environment::capture(&setting);
        environment.machine.usable_cpus = Some(2);
        environment.options = Some(options.clone());
        fs::write(folder.join(ENVIRONMENT), environment.to_json()).unwrap();
        fs::write(folder.join(MATRIX), TEXT).unwrap();
        fs::write(folder.join(SAMPLES), "{\"record\":\"header\",\"schema\":1}\n").unwrap();
        if let Some(complete) = complete {
            fs::write(folder.join(SUMMARY), format!("{{\"schema\":1,\"complete\":{complete}}}")).unwrap();
        }
    }

    const OLD: &str = "2026-11-29T080000Z-3f9c2a1";
    const MIDDLE: &str = "2026-11-29T090000Z-3f9c2a1";
    const NEW: &str = "2026-11-30T171522Z-3f9c2a1";

    fn nothing() -> RunOptions {
        RunOptions::default()
    }

    #[test]
    fn the_newest_unfinished_result_of_the_same_plan_goes_on() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), OLD, &nothing(), None);
        result(root.path(), MIDDLE, &nothing(), None);
        result(root.path(), NEW, &nothing(), Some(true));
        let Search::Found(found) = search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap() else {
            panic!()
        };
        assert_eq!(found.folder.path(), root.path().join(MIDDLE));
        assert_eq!(humantime::format_rfc3339(found.started).to_string(), "2026-11-29T09:00:00Z");
    }

    #[test]
    fn one_of_another_plan_in_between_is_passed_over() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), OLD, &nothing(), None);
        result(root.path(), NEW, &RunOptions { runs: Some(9), ..nothing() }, None);
        let Search::Found(found) = search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap() else {
            panic!()
        };
        assert_eq!(found.folder.path(), root.path().join(OLD));
    }

    #[test]
    fn what_differs_from_the_newest_unfinished_one_is_named_with_both_values() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), NEW, &nothing(), None);
        let options = RunOptions { runs: Some(9), patterns: vec!["*threads*".to_owned()], ..nothing() };
        let Search::OtherPlan { name, differences } =
            search(root.path(), &plan(TEXT, &options), &[], &options).unwrap()
        else {
            panic!()
        };
        assert_eq!(name, NEW);
        let said: Vec<String> = differences
            .iter()
            .map(|it| {
                format!("{}: {} → {}", it.what, it.base.as_deref().unwrap_or("–"), it.new.as_deref().unwrap_or("–"))
            })
            .collect();
        assert_eq!(
            said[..4],
            [
                "patterns: none → *threads*",
                "--runs: not given → 9",
                "cells that the other has not: 1 cell: `s/model=sequential` → –",
                "runs of `s`: 3 → 9",
            ]
        );
    }

    #[test]
    fn where_every_result_is_complete_there_is_nothing_to_do() {
        let root = tempfile::tempdir().unwrap();
        let found = |root: &Path| search(root, &plan(TEXT, &nothing()), &[], &nothing()).unwrap();
        assert!(matches!(found(root.path()), Search::AllComplete(0)));
        assert!(matches!(found(&root.path().join("not/there")), Search::AllComplete(0)));
        result(root.path(), NEW, &nothing(), Some(true));
        assert!(matches!(found(root.path()), Search::AllComplete(1)));
    }

    #[test]
    fn a_result_that_does_not_say_what_it_was_asked_for_is_not_continued() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), NEW, &nothing(), None);
        let path = root.path().join(NEW).join(ENVIRONMENT);
        let mut environment = read::environment(&path).unwrap();
        environment.options = None;
        fs::write(&path, environment.to_json()).unwrap();
        let Search::OtherPlan { differences, .. } =
            search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap()
        else {
            panic!()
        };
        assert!(differences[0].base.as_deref().unwrap().contains("does not keep"), "{differences:?}");
    }
}
