//! Walks a schedule over a launcher and tells what happens.
//!
//! The rules: a cell ends with its first failure and the matrix goes on; a repetition that was suspended is repeated;
//! an interruption or a listener that fails ends the matrix after the running worker was ended.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use protocol::{Ready, mix};

use super::calibrations::Calibrations;
use super::counting;
use super::event::{Event, Listener, Note, RunPosition};
use super::failure::{Failure, FailureKind};
use super::launcher::{Assignment, Duty, Halt, HttpDuty, Launcher, Session};
use super::machine::Machine;
use super::progress::{At, Progress};
use super::schedule::{Visit, schedule};
use super::signals::Control;
use crate::matrix::plan::{Cell, Plan, Scenario, Work};
use crate::results::record::{Record, SampleRecord};

/// What is chosen for one run of a plan.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Decides the order of interleaved scenarios and the send times of open loops.
    pub seed: u64,
    /// Ids of cells that are not run, as an earlier result has them.
    pub skip: HashSet<String>,
}

/// How a run of a plan ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Whether every planned repetition was tried.
    pub complete: bool,
    /// Whether somebody asked to stop.
    pub interrupted: bool,
    /// From the first repetition's start to the end.
    pub wall: Duration,
    /// Set-up and elapsed time of the counted runs.
    pub measured: Duration,
    /// Set-up and elapsed time of the warm-ups.
    pub warmup: Duration,
    /// Repetitions that were measured, warm-ups included.
    pub samples: u64,
    /// Cells that failed; skipped and unsupported ones are not among them.
    pub failed_cells: usize,
    /// What the first worker of each runtime and program said about itself, by runtime and worker.
    pub workers: BTreeMap<(String, String), Ready>,
}

/// Runs a plan, with what was measured for it beforehand. Returns when every repetition was tried, somebody asked to
/// stop, or a listener failed; no worker lives then. To be called from the main thread: workers die with the thread that started them.
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
    let visits = schedule(plan, options.seed, &options.skip);
    let mut walk = Walk {
        plan,
        calibrations: calibrations.clone(),
        skip: &options.skip,
        seed: options.seed,
        launcher,
        control,
        listeners,
        machine: Machine::open(),
        progress: plan.scenarios.iter().map(|scenario| vec![Progress::default(); scenario.cells.len()]).collect(),
        planned: visits.iter().map(Visit::repetitions).sum(),
        done: 0,
        started: Instant::now(),
        outcome: Outcome {
            complete: false,
            interrupted: false,
            wall: Duration::ZERO,
            measured: Duration::ZERO,
            warmup: Duration::ZERO,
            samples: 0,
            failed_cells: 0,
            workers: BTreeMap::new(),
        },
    };
    walk.emit(&Event::Started { plan })?;
    walk.started = Instant::now();
    let mut visits = visits.into_iter().peekable();
    let mut begun = None;
    while let Some(visit) = visits.next() {
        // Between two repetitions there is nothing to repeat.
        control.suspend_if_asked();
        let scenario = visit.scenario;
        if begun.replace(scenario) != Some(scenario) {
            walk.begin(scenario)?;
        }
        if !walk.visit(visit)? {
            walk.outcome.interrupted = true;
            walk.release()?;
            break;
        }
        if visits.peek().is_none_or(|next| next.scenario != scenario) {
            walk.release()?;
            walk.emit(&Event::ScenarioFinished { scenario })?;
        }
    }
    walk.outcome.complete = !walk.outcome.interrupted;
    walk.outcome.wall = walk.started.elapsed();
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
    machine: Machine,
    /// By scenario and cell.
    progress: Vec<Vec<Progress>>,
    planned: u64,
    done: u64,
    started: Instant,
    outcome: Outcome,
}

/// Why a visit ended early: the halt, and where.
enum Early {
    Halt(Halt, At),
    /// A listener failed.
    Listener(anyhow::Error),
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

    /// Makes ready what the cells of a scenario need: programs that were not built yet, and numbers that only its own
    /// workers can tell. Nothing is measured meanwhile.
    fn begin(&mut self, index: usize) -> anyhow::Result<()> {
        let scenario = self.scenario(index);
        let unbuilt = self.launcher.unbuilt(scenario, self.skip);
        if !unbuilt.is_empty() {
            let names = unbuilt.iter().copied().collect::<Vec<_>>().join(" and ");
            self.emit(&Event::Preparing { what: format!("building {names}, which {} needs", scenario.name) })?;
            for path in self.launcher.build(&unbuilt) {
                self.emit(&Event::Noted { note: &Note::Built { path } })?;
            }
        }
        let mut warnings = Vec::new();
        let subject = counting::Subject { plan: self.plan, scenario, skip: self.skip };
        let warn = &mut |warning| warnings.push(warning);
        let counted = counting::count(&subject, &mut self.calibrations, self.launcher, self.control, warn);
        warnings.into_iter().try_for_each(|message| self.emit(&Event::Warning { message }))?;
        for key in counted {
            if let Some(Ok(number)) = self.calibrations.counts.get(&key).cloned() {
                self.emit(&Event::Noted { note: &Note::Counted { key, number } })?;
            }
        }
        self.tell_notes()
    }

    /// Ends what was kept for a scenario.
    fn release(&mut self) -> anyhow::Result<()> {
        self.launcher.release().into_iter().try_for_each(|message| self.emit(&Event::Warning { message }))
    }

    fn tell_notes(&mut self) -> anyhow::Result<()> {
        self.launcher.take_notes().iter().try_for_each(|note| self.emit(&Event::Noted { note }))
    }

    /// Makes a visit, again if we were suspended in it. `false` means that somebody asked to stop.
    fn visit(&mut self, mut visit: Visit) -> anyhow::Result<bool> {
        let at =
            At { scenario: visit.scenario, cell: visit.cell, round: *visit.rounds.start(), warmup: visit.warmups > 0 };
        if self.progress[at.scenario][at.cell].ended {
            return Ok(true);
        }
        let behind = self.progress[at.scenario][at.cell].done;
        let first = at.round;
        loop {
            if self.control.stopped() {
                return Ok(false);
            }
            let (halt, at) = match self.attempt(&visit, behind, first) {
                Ok(()) => return Ok(true),
                Err(Early::Halt(halt, at)) => (halt, at),
                Err(Early::Listener(error)) => return Err(error),
            };
            match halt {
                Halt::Interrupted => return Ok(false),
                Halt::Failed(failure) => return self.fail(at, failure).map(|()| true),
                Halt::Suspended => {
                    let record = Record::Voided {
                        cell: self.cell(at).id.clone(),
                        round: at.round,
                        reason: "suspended while it ran; repeated with a fresh process".to_owned(),
                    };
                    self.emit(&Event::Voided { record: &record })?;
                    visit.rounds = at.round..=*visit.rounds.end();
                }
            }
        }
    }

    /// Starts the worker, has it run, and ends it, whatever it did.
    fn attempt(&mut self, visit: &Visit, behind: u64, first: u32) -> Result<(), Early> {
        let scenario = self.scenario(visit.scenario);
        let cell = &scenario.cells[visit.cell];
        let round = *visit.rounds.start();
        let at = At { scenario: visit.scenario, cell: visit.cell, round, warmup: visit.warmups > 0 };
        // A worker that never worked fails before the first round.
        let round = if round == 1 { 0 } else { round };
        let fail = |failure| Early::Halt(Halt::Failed(failure), At { round, warmup: false, ..at });
        let duty = self.duty(scenario, cell, first).map_err(fail)?;
        let assignment =
            Assignment { label: &cell.id, runtime: &cell.runtime, duty, timeout: scenario.schedule.timeout };
        let mut session = self.launcher.launch(&assignment).map_err(fail)?;
        self.tell_notes().map_err(Early::Listener)?;
        let result = match session.prepare() {
            Ok(workers) => {
                for ready in workers {
                    self.outcome.workers.entry((cell.runtime.clone(), ready.worker.clone())).or_insert(ready);
                }
                self.repetitions(visit, behind, first, &mut *session)
            }
            Err(Halt::Failed(failure)) => Err(fail(failure)),
            Err(halt) => Err(Early::Halt(halt, at)),
        };
        for message in session.close() {
            let told = self.emit(&Event::Warning { message: format!("{}: {message}", cell.id) });
            // A listener that failed before is the error that counts.
            if let (Err(error), false) = (told, matches!(result, Err(Early::Listener(_)))) {
                return Err(Early::Listener(error));
            }
        }
        result
    }

    /// The work of a cell in numbers. The schedule of an open loop is drawn from the seed and the round that the
    /// processes begin with: the same for all cells of a comparison, another one in each of their visits.
    fn duty(&self, scenario: &Scenario, cell: &'a Cell, round: u32) -> Result<Duty<'a>, Failure> {
        let rate = self.calibrations.rate(cell)?;
        match &cell.work {
            Work::Batch(batch) => {
                let tasks = self.calibrations.tasks(batch)?;
                Ok(Duty::batch(batch, tasks, rate, &scenario.needs, self.plan.cores))
            }
            Work::Http(work) => {
                let pace = self.calibrations.pace(work, mix(self.seed.wrapping_add(mix(round.into()))))?;
                let folder = self.plan.file.parent().unwrap_or(Path::new(""));
                Ok(Duty::Http(HttpDuty { work, pace, rate, folder }))
            }
        }
    }

    fn repetitions(&mut self, visit: &Visit, behind: u64, first: u32, session: &mut dyn Session) -> Result<(), Early> {
        let start = *visit.rounds.start();
        let at = |round, warmup| At { scenario: visit.scenario, cell: visit.cell, round, warmup };
        let warmups = (0..visit.warmups).map(|index| (u64::from(index), at(start, true)));
        let runs =
            visit.rounds.clone().map(|round| (u64::from(visit.warmups) + u64::from(round - first), at(round, false)));
        for (index, at) in warmups.chain(runs) {
            if self.control.stopped() {
                return Err(Early::Halt(Halt::Interrupted, at));
            }
            self.repetition(at, behind + index + 1, session)?;
        }
        Ok(())
    }

    /// One repetition, after which so many of the cell's planned ones are done.
    fn repetition(&mut self, at: At, then_done: u64, session: &mut dyn Session) -> Result<(), Early> {
        let id = &self.cell(at).id;
        let position = RunPosition {
            scenario: at.scenario,
            cell: id,
            round: at.round,
            warmup: at.warmup,
            done: self.done,
            planned: self.planned,
        };
        self.emit(&Event::RunStarted { at: position }).map_err(Early::Listener)?;
        let before = self.machine.before();
        let started = self.started.elapsed();
        let sample = session.run(at.warmup).map_err(|halt| Early::Halt(halt, at))?;
        let machine = self.machine.since(&before);

        let took = Duration::from_nanos(sample.elapsed_ns().saturating_add(sample.setup_ns()));
        let total = if at.warmup { &mut self.outcome.warmup } else { &mut self.outcome.measured };
        *total = total.saturating_add(took);
        let progress = &mut self.progress[at.scenario][at.cell];
        // Warm-ups that are repeated after a suspension take nobody further.
        self.done += then_done.saturating_sub(progress.done);
        progress.done = progress.done.max(then_done);
        progress.counted += u32::from(!at.warmup);
        let record = SampleRecord {
            cell: id.clone(),
            round: at.round,
            warmup: at.warmup,
            position: self.outcome.samples,
            started_ns: u64::try_from(started.as_nanos()).unwrap_or(u64::MAX),
            sample,
            machine,
        };
        self.outcome.samples += 1;
        self.emit(&Event::Sampled { record: &record, done: self.done }).map_err(Early::Listener)
    }

    /// Ends a cell: tells why, and drops what is left of it.
    fn fail(&mut self, at: At, failure: Failure) -> anyhow::Result<()> {
        let scenario = self.scenario(at.scenario);
        let id = &self.cell(at).id;
        let progress = &mut self.progress[at.scenario][at.cell];
        progress.ended = true;
        let all = scenario.schedule.repetitions();
        self.done += all.saturating_sub(progress.done);
        progress.done = all;
        if !matches!(failure.kind, FailureKind::Missing | FailureKind::Unsupported) {
            self.outcome.failed_cells += 1;
        }
        let record = Record::Failure { cell: id.clone(), round: at.round, warmup: at.warmup, failure: failure.clone() };
        let event = Event::CellFailed { cell: id, record: &record, failure: &failure, done: self.done };
        self.emit(&event).with_context(|| format!("after {id} failed"))
    }
}
