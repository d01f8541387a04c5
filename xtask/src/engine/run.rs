//! Walks a schedule over a launcher and tells what happens. What comes before the cells of a scenario is in `make_ready`,
//! what happens within a visit in `repetition`.
//!
//! The rules: a cell ends with its first failure and the matrix goes on; a twin that fails fails nobody; a repetition
//! that was suspended is repeated; a counted run in which others took too much of the machine is made again at the end
//! of its block, a few times; an interruption or a listener that fails ends the matrix after the running worker was ended.

mod make_ready;
mod repetition;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::Context;

use self::repetition::Early;
use super::calibrations::Calibrations;
use super::disturbance;
use super::event::{Event, Listener};
use super::failure::{Failure, FailureKind};
use super::launcher::{Halt, Launcher};
use super::machine::{Machine, Readings};
use super::options::{Options, Outcome};
use super::progress::{At, Due, Progress, Queue};
use super::schedule::{Visit, schedule};
use super::signals::Control;
use crate::matrix::plan::{Cell, Plan, Scenario, twin_id};
use crate::results::record::Record;

/// Runs a plan, with what was measured for it beforehand. Returns when every repetition was tried, somebody asked to
/// stop, or a listener failed; no worker lives then. To be called from the main thread: workers die with the thread that
/// started them.
///
/// # Errors
/// A listener failed.
pub fn run(
    plan: &Plan,
    calibrations: &Calibrations,
    options: &Options,
    launcher: &mut dyn Launcher,
    control: &Control,
    listeners: &mut [&mut dyn Listener],
) -> anyhow::Result<Outcome> {
    run_on(&mut Machine::open(), plan, calibrations, options, launcher, control, listeners)
}

/// [`run()`] on a machine of which somebody else tells what it does.
///
/// # Errors
/// A listener failed.
pub fn run_on(
    machine: &mut dyn Readings,
    plan: &Plan,
    calibrations: &Calibrations,
    options: &Options,
    launcher: &mut dyn Launcher,
    control: &Control,
    listeners: &mut [&mut dyn Listener],
) -> anyhow::Result<Outcome> {
    let visits = schedule(plan, options.seed, &options.twins, &options.before);
    let mut progress: Vec<Vec<[Progress; 2]>> =
        plan.scenarios.iter().map(|scenario| vec![Default::default(); scenario.cells.len()]).collect();
    let skip = options.before.finished(plan);
    let mut counted = 0;
    for visit in &visits {
        progress[visit.scenario][visit.cell][usize::from(visit.twin)].left += visit.repetitions();
        counted += visit.rounds.clone().count() as u64;
    }
    let mut walk = Walk {
        plan,
        calibrations: calibrations.clone(),
        skip: &skip,
        seed: options.seed,
        launcher,
        control,
        listeners,
        machine,
        progress,
        planned: visits.iter().map(Visit::repetitions).sum(),
        done: 0,
        position: options.before.samples,
        repeats_left: match options.repeat_disturbed {
            true => options.before.repeats_left.unwrap_or(disturbance::budget(counted)),
            false => 0,
        },
        told_of_budget: !options.repeat_disturbed,
        ran_before: options.before.ran,
        started: Instant::now(),
        outcome: Outcome::default(),
    };
    walk.emit(&Event::Started { plan, visits: &visits })?;
    walk.started = Instant::now();
    let attempt = |visit: &Visit| options.before.next_attempt(&visit.id(plan), *visit.rounds.start());
    let mut queue = Queue::new(&visits, attempt);
    let mut begun = None;
    while let Some(due) = queue.next() {
        // Between two repetitions there is nothing to repeat.
        control.suspend_if_asked();
        let scenario = due.visit.scenario;
        if begun.replace(scenario) != Some(scenario) {
            let clock = Instant::now();
            walk.begin(scenario)?;
            walk.outcome.prepared += clock.elapsed();
        }
        match walk.visit(due)? {
            Next::Goes => {}
            Next::Again(due) => queue.put_off(due),
            Next::Stops => {
                walk.outcome.interrupted = true;
                walk.release()?;
                break;
            }
        }
        if queue.next_scenario() != Some(scenario) {
            walk.release()?;
            walk.emit(&Event::ScenarioFinished { scenario })?;
        }
    }
    walk.outcome.complete = !walk.outcome.interrupted;
    walk.outcome.wall = walk.ran();
    walk.emit(&Event::Finished { complete: walk.outcome.complete, wall: walk.outcome.wall })?;
    Ok(walk.outcome)
}

struct Walk<'a, 'b> {
    plan: &'a Plan,
    calibrations: Calibrations,
    skip: &'a HashSet<String>,
    seed: u64,
    launcher: &'a mut dyn Launcher,
    control: &'a Control,
    listeners: &'a mut [&'b mut dyn Listener],
    machine: &'a mut dyn Readings,
    /// By scenario and cell: that of the cell, and that of its twin.
    progress: Vec<Vec<[Progress; 2]>>,
    planned: u64,
    done: u64,
    /// Where the next repetition stands among all of the result.
    position: u64,
    repeats_left: u64,
    told_of_budget: bool,
    /// How long an earlier part ran.
    ran_before: Duration,
    started: Instant,
    outcome: Outcome,
}

/// What comes after a visit.
enum Next {
    /// The next one.
    Goes,
    /// The same once more, later: the rest of it.
    Again(Due),
    /// Nothing: somebody asked to stop.
    Stops,
}

impl<'a> Walk<'a, '_> {
    fn emit(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        self.listeners.iter_mut().try_for_each(|listener| listener.on_event(event))
    }

    fn scenario(&self, index: usize) -> &'a Scenario {
        &self.plan.scenarios[index]
    }

    fn cell(&self, at: At) -> &'a Cell {
        &self.scenario(at.scenario).cells[at.cell]
    }

    /// The id of the records of a place.
    fn id(&self, at: At) -> String {
        let id = &self.cell(at).id;
        if at.twin { twin_id(id) } else { id.clone() }
    }

    fn progress(&mut self, at: At) -> &mut Progress {
        &mut self.progress[at.scenario][at.cell][usize::from(at.twin)]
    }

    /// How long the matrix has been running.
    fn ran(&self) -> Duration {
        self.ran_before + self.started.elapsed()
    }

    /// Makes a visit, again if we were suspended in it.
    fn visit(&mut self, mut due: Due) -> anyhow::Result<Next> {
        let at = due.at();
        if self.progress(at).ended {
            return Ok(Next::Goes);
        }
        loop {
            if self.control.stopped() {
                return Ok(Next::Stops);
            }
            let (halt, at) = match self.attempt(&mut due) {
                Ok(()) => return Ok(Next::Goes),
                Err(Early::Halt(halt, at)) => (halt, at),
                Err(Early::Disturbed(at)) => {
                    let attempt = due.attempt_at(at.round) + 1;
                    return Ok(Next::Again(due.from(at.round, attempt)));
                }
                Err(Early::Listener(error)) => return Err(error),
            };
            match halt {
                Halt::Interrupted => return Ok(Next::Stops),
                Halt::Failed(failure) => return self.fail(at, failure).map(|()| Next::Goes),
                Halt::Suspended => {
                    let record = Record::Voided {
                        cell: self.id(at),
                        round: at.round,
                        reason: "suspended while it ran; repeated with a fresh process".to_owned(),
                    };
                    self.emit(&Event::Voided { record: &record })?;
                    let attempt = due.attempt_at(at.round);
                    due = due.from(at.round, attempt);
                }
            }
        }
    }

    /// Gives up what is left of a cell, or of a twin.
    fn drop_rest(&mut self, at: At) {
        let progress = self.progress(at);
        progress.ended = true;
        let left = std::mem::take(&mut progress.left);
        self.done += left;
    }

    /// Ends a cell, or a twin: tells why, and drops what is left of it.
    fn fail(&mut self, at: At, failure: Failure) -> anyhow::Result<()> {
        self.drop_rest(at);
        if !at.twin {
            // Where a baseline has no figures, there is nothing for its twin to be held against.
            self.drop_rest(At { twin: true, ..at });
        }
        let id = self.id(at);
        let cannot = matches!(failure.kind, FailureKind::Missing | FailureKind::Unsupported);
        let record = Record::Failure { cell: id.clone(), round: at.round, warmup: at.warmup, failure: failure.clone() };
        let done = self.done;
        if at.twin {
            let warning = (!cannot).then(|| {
                format!(
                    "the A/A twin of {} failed, so its noise floor is not known: {}",
                    self.cell(at).id,
                    failure.reason
                )
            });
            return self.emit(&Event::TwinFailed { record: &record, warning, done });
        }
        self.outcome.failed_cells += usize::from(!cannot);
        let event = Event::CellFailed { cell: &id, record: &record, failure: &failure, done };
        self.emit(&event).with_context(|| format!("after {id} failed"))
    }
}
