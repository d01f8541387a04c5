//! Whether an interrupted run may go on here and now, and with what.

use std::time::{Duration, SystemTime};

use super::start::{Place, Start, announce, built, launcher};
use super::{Args, shown};
use crate::cmd::Exit;
use crate::engine;
use crate::engine::before::Before;
use crate::engine::probe::{Probes, probe};
use crate::engine::schedule::schedule;
use crate::engine::signals::Control;
use crate::engine::workers::ProcessLauncher;
use crate::matrix::plan::{Plan, Runtime};
use crate::results::Environment;
use crate::results::environment::RuntimeFacts;
use crate::results::options::RunOptions;
use crate::results::record::Record;
use crate::results::unfinished::{Search, Unfinished, search};
use crate::stats::compare::Difference;
use crate::stats::compare::facts::{About, environments};

/// Goes on with the newest unfinished result of this plan, or says why that cannot be.
///
/// # Errors
/// The result cannot be read, or the workers cannot be built.
pub fn start(
    args: &Args,
    plan: &Plan,
    extra: &[Runtime],
    asked: &RunOptions,
    place: Place<'_>,
    control: &Control,
) -> anyhow::Result<Result<Start, Exit>> {
    let unfinished = match search(place.root, plan, extra, asked)? {
        Search::Found(unfinished) => *unfinished,
        Search::OtherPlan { name, differences } => return Ok(Err(refuse(&name, &differences))),
        Search::UnknownPlan { name, reason } => {
            eprintln!(
                "error: `{name}` cannot go on, as nobody can tell what is missing: {}. Leave out --resume to begin a new result.",
                reason.trim_end_matches('.')
            );
            return Ok(Err(Exit::Usage));
        }
        Search::AllComplete(0) => {
            eprintln!("error: there is no result in {} that could be resumed", shown(place.root));
            return Ok(Err(Exit::Usage));
        }
        Search::AllComplete(_) => {
            eprintln!("nothing to resume: every result in {} is complete", shown(place.root));
            return Ok(Err(Exit::Ok));
        }
    };
    let Unfinished { folder, mut environment, options: then, records, started, ran, prepared } = unfinished;
    let options = engine::Options {
        seed: environment.seed,
        twins: then.twins.clone(),
        before: before(plan, &then, &records, ran),
        repeat_disturbed: then.repeat_disturbed,
    };
    let workers = built(args, plan, &options, &environment.workers)?;
    let mut now = place.environment(options.seed, &workers);
    let mut launcher = launcher(args, plan, place, workers, control)?;
    ask_runtimes(plan, &environment, &mut now, &options, &mut launcher, control);
    let name = folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let differences = forbidding(&environment, &now);
    if !differences.is_empty() {
        return Ok(Err(refuse(&name, &differences)));
    }
    add_workers(&mut environment, now);
    environment.resumed.push(humantime::format_rfc3339_seconds(SystemTime::now()).to_string());
    eprintln!("resuming {name}, of which {} repetitions are there", options.before.samples);
    announce(plan, &options);
    Ok(Ok(Start { folder, environment, options, records, started: Some(started), prepared, launcher }))
}

/// What there is already.
fn before(plan: &Plan, then: &RunOptions, records: &[Record], ran: Duration) -> Before {
    let before = Before::of(records, ran);
    if !then.repeat_disturbed {
        return before;
    }
    let all = schedule(plan, 0, &then.twins, &Before::default());
    before.with_repeats(records, all.iter().map(|visit| visit.rounds.clone().count() as u64).sum())
}

/// What differs and would make two halves of a result that do not fit together. Another commit does not, as long as the
/// programs that are measured are the same.
fn forbidding(then: &Environment, now: &Environment) -> Vec<Difference> {
    let forbids = |it: &Difference| {
        it.about == About::Machine
            || ["program ", "runtime ", "profile"].iter().any(|beginning| it.what.starts_with(beginning))
    };
    environments(then, now).into_iter().filter(forbids).collect()
}

/// Asks the runtimes, of which the first part told a version, what they are now.
fn ask_runtimes(
    plan: &Plan,
    then: &Environment,
    now: &mut Environment,
    options: &engine::Options,
    launcher: &mut ProcessLauncher,
    control: &Control,
) {
    let mut probes = Probes::new();
    // What it leaves behind is told when it is measured.
    probe(plan, &options.before.finished(plan), &mut probes, launcher, control, &mut drop);
    for (runtime, probe) in probes.iter().filter(|(runtime, _)| then.runtimes.contains_key(*runtime)) {
        match probe {
            Ok(probe) => now.note_runtime(&plan.runtimes, runtime, probe),
            Err(failure) => {
                let version = Some(format!("does not start: {}", failure.reason));
                now.runtimes.insert(runtime.clone(), RuntimeFacts { version, ..RuntimeFacts::default() });
            }
        }
    }
}

/// Workers that the first part did not need yet.
fn add_workers(environment: &mut Environment, now: Environment) {
    for worker in now.workers {
        if environment.workers.iter().all(|known| known.name != worker.name) {
            environment.workers.push(worker);
        }
    }
}

/// Names what differs.
fn refuse(name: &str, differences: &[Difference]) -> Exit {
    eprintln!("error: `{name}` cannot go on, as it was made of something else than there is now:");
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    for Difference { what, base, new, .. } in differences {
        eprintln!("  {what}: then {}, now {}", value(base), value(new));
    }
    eprintln!("Restore what was there, or leave out --resume to begin a new result.");
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::results::environment::{Setting, WorkerBinary};

    fn environment(workers: &[(&str, &str)]) -> Environment {
        let here = Path::new("/nowhere");
        let setting = Setting { workspace: here, results: here, seed: 1, profile: "release", workers: &[] };
        let worker =
            |(name, hash): &(&str, &str)| WorkerBinary { name: (*name).to_owned(), sha256: Some((*hash).to_owned()) };
        Environment { workers: workers.iter().map(worker).collect(), ..Environment::capture(&setting) }
    }

    fn forbidden(then: &Environment, now: &Environment) -> Vec<String> {
        let show = |value: Option<String>| value.unwrap_or_default();
        forbidding(then, now)
            .into_iter()
            .map(|it| format!("{}: {} → {}", it.what, show(it.base), show(it.new)))
            .collect()
    }

    #[test]
    fn another_program_forbids_and_another_commit_does_not() {
        let then = environment(&[("cpu-worker", "aaaa"), ("io-worker", "bbbb")]);
        let mut now = environment(&[("cpu-worker", "cccc"), ("client", "dddd")]);
        now.rustc = Some("rustc 9.9.9".to_owned());
        assert_eq!(forbidden(&then, &now), ["program cpu-worker: aaaa → cccc"]);
        assert_eq!(forbidden(&then, &then), [""; 0]);
    }

    #[test]
    fn every_fact_of_the_machine_that_differs_forbids() {
        let then = environment(&[]);
        let mut now = then.clone();
        now.machine.kernel = Some("9.9.9".to_owned());
        now.machine.governor = Some("powersave".to_owned());
        let what: Vec<String> = forbidding(&then, &now).into_iter().map(|it| it.what).collect();
        assert_eq!(what, ["kernel", "governor"]);
    }

    #[test]
    fn a_program_that_the_first_part_did_not_need_is_added() {
        let mut then = environment(&[("cpu-worker", "aaaa")]);
        add_workers(&mut then, environment(&[("cpu-worker", "aaaa"), ("client", "dddd")]));
        assert_eq!(then.workers.len(), 2);
    }
}
