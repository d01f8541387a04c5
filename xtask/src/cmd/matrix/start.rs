//! What a run of the matrix begins with: everything that can go wrong before anything is measured.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::{Args, tools};
use crate::cmd::Exit;
use crate::engine;
use crate::engine::binaries::{self, Binaries};
use crate::engine::build::{already_built, build, build_quietly};
use crate::engine::schedule::{Visit, estimate, schedule};
use crate::engine::signals::Control;
use crate::engine::workers::ProcessLauncher;
use crate::matrix::plan::Plan;
use crate::number::{counted, roughly};
use crate::results::environment::{Environment, Setting, WorkerBinary};
use crate::results::options::RunOptions;
use crate::results::record::Record;
use crate::results::{ResultFolder, machine};

/// Where things are.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Where cargo and git are asked.
    pub workspace: &'a Path,
    /// The folder of results.
    pub root: &'a Path,
}

impl Place<'_> {
    /// Looks around.
    pub fn environment(&self, seed: u64, workers: &Binaries) -> Environment {
        let paths: Vec<PathBuf> = workers.iter().map(|(_, path)| path.to_owned()).collect();
        let setting =
            Setting { workspace: self.workspace, results: self.root, seed, profile: "release", workers: &paths };
        Environment::capture(&setting)
    }
}

/// What a run begins with.
pub struct Start {
    /// Where its files go.
    pub folder: ResultFolder,
    /// What it is made with and on.
    pub environment: Environment,
    /// What the engine is asked for.
    pub options: engine::Options,
    /// What an earlier part recorded.
    pub records: Vec<Record>,
    /// When that began.
    pub started: Option<SystemTime>,
    /// How long that made things ready, while nothing was measured.
    pub prepared: Duration,
    /// Starts the workers.
    pub launcher: ProcessLauncher,
}

/// Begins a new result.
pub fn start(
    args: &Args,
    plan: &Plan,
    asked: RunOptions,
    place: Place<'_>,
    file: &Path,
    control: &Control,
) -> anyhow::Result<Result<Start, Exit>> {
    let folder = ResultFolder::create(place.root, SystemTime::now(), &machine::Machine::capture().fingerprint)?;
    if let Some(newer) = folder.newer() {
        let own = folder.path().file_name().unwrap_or_default().display();
        eprintln!(
            "warning: the result {newer} is from a later time than now: the clock was set back, or another's is ahead. Until \
             then `latest` is that one; this one is {own}"
        );
    }
    let prepare = || -> anyhow::Result<Binaries> {
        // Kept as it was when it was read: an editor may save the file while the matrix runs.
        let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        folder.write_matrix(&text)?;
        built(args, plan, &engine::Options::default(), &[])
    };
    let workers = match prepare() {
        Ok(workers) => workers,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    let options = engine::Options {
        seed: args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32)),
        twins: asked.twins.clone(),
        repeat_disturbed: asked.repeat_disturbed,
        ..engine::Options::default()
    };
    let mut environment = place.environment(options.seed, &workers);
    environment.options = Some(asked);
    announce(plan, &options);
    let launcher = launcher(args, plan, place, workers, control)?;
    Ok(Ok(Start {
        folder,
        environment,
        options,
        records: Vec::new(),
        started: None,
        prepared: Duration::ZERO,
        launcher,
    }))
}

/// Our workers that what is left needs, but for those that are built when the first scenario that needs them is reached;
/// `used` are those that an earlier part has measured with, which must be known before anything is measured.
pub fn built(args: &Args, plan: &Plan, options: &engine::Options, used: &[WorkerBinary]) -> anyhow::Result<Binaries> {
    let needed = binaries::needed(plan, &options.before.finished(plan));
    if args.no_build { already_built(&needed) } else { build(&at_once(needed, used)) }
}

fn at_once(mut needed: BTreeSet<&'static str>, used: &[WorkerBinary]) -> BTreeSet<&'static str> {
    needed.retain(|worker| !binaries::LATE.contains(worker) || used.iter().any(|used| used.name == *worker));
    needed
}

/// What starts them. Removes what killed runs left where this one works.
pub fn launcher(
    args: &Args,
    plan: &Plan,
    place: Place<'_>,
    workers: Binaries,
    control: &Control,
) -> anyhow::Result<ProcessLauncher> {
    let scratch = tools::scratch_folder(place.workspace)?;
    tools::clear_leftovers(plan, &scratch);
    let launcher = ProcessLauncher::new(&plan.runtimes, workers, control.clone())
        .context("cannot listen for the ends of workers")?
        .with_scratch(scratch)
        .alone();
    Ok(if args.no_build { launcher } else { launcher.with_builder(build_quietly) })
}

/// Says what will be done.
pub fn announce(plan: &Plan, options: &engine::Options) {
    let visits = schedule(plan, options.seed, &options.twins, &options.before);
    let twins = match options.twins.count() {
        0 => String::new(),
        some => format!(" and {} measured twice", counted(some, "baseline", "baselines")),
    };
    eprintln!(
        "{} in {}{twins}, {} with warm-ups, about {}",
        counted(plan.cell_count(), "cell", "cells"),
        counted(plan.scenarios.len() as u64, "scenario", "scenarios"),
        counted(visits.iter().map(Visit::repetitions).sum(), "run", "runs"),
        roughly(estimate(plan, &visits)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_takes_long_to_build_is_built_at_once_where_an_earlier_part_measured_with_it() {
        let needed = || BTreeSet::from([binaries::CPU_WORKER, binaries::EVERYDAY_WORKER, binaries::MAIL_SINK]);
        let used = [WorkerBinary { name: binaries::EVERYDAY_WORKER.to_owned(), sha256: Some("aaaa".to_owned()) }];
        assert_eq!(at_once(needed(), &[]), BTreeSet::from([binaries::CPU_WORKER]));
        assert_eq!(at_once(needed(), &used), BTreeSet::from([binaries::CPU_WORKER, binaries::EVERYDAY_WORKER]));
    }
}
