//! Walks a schedule over a launcher and tells what happens.
//!
//! The rules: a cell ends with its first failure and the matrix goes on; a twin that fails fails nobody; a repetition
//! that was suspended is repeated; a counted run in which others took too much of the machine is made again at the end
//! of its block, a few times; an interruption or a listener that fails ends the matrix after the running worker was ended.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use protocol::mix;

use super::calibrations::Calibrations;
use super::counting;
use super::disturbance;
use super::event::{Event, Listener, Note, RunPosition};
use super::failure::{Failure, FailureKind};
use super::launcher::{Assignment, Duty, Halt, HttpDuty, Launcher, Session};
use super::machine::{Machine, Readings};
use super::options::{Options, Outcome};
use super::progress::{At, Due, Progress, Queue};
use super::schedule::schedule;
use super::signals::Control;
use crate::matrix::plan::{Cell, Order, Plan, RUST_RUNTIME, Scenario, Work, twin_id};
use crate::number::nanoseconds;
use crate::results::record::{Measured, Record, SampleRecord};

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
        planned: visits.iter().map(super::schedule::Visit::repetitions).sum(),
        done: 0,
        position: options.before.samples,
        repeats_left: if options.repeat_disturbed { disturbance::budget(counted) } else { 0 },
        told_of_budget: !options.repeat_disturbed,
        ran_before: options.before.ran,
        started: Instant::now(),
        outcome: Outcome::default(),
    };
    walk.emit(&Event::Started { plan, visits: &visits })?;
    walk.started = Instant::now();
    let mut queue = Queue::new(&visits);
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

/// Why a visit ended early, and where.
enum Early {
    Halt(Halt, At),
    /// The run does not count, as the machine was disturbed.
    Disturbed(At),
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

    /// Starts the worker, has it run, and ends it, whatever it did.
    fn attempt(&mut self, due: &mut Due) -> Result<(), Early> {
        let at = due.at();
        let scenario = self.scenario(at.scenario);
        let cell = self.cell(at);
        // A worker that never worked fails before the first round.
        let round = if at.round == 1 { 0 } else { at.round };
        let fail = |failure| Early::Halt(Halt::Failed(failure), At { round, warmup: false, ..at });
        let first = match scenario.schedule.order {
            Order::Interleaved => due.first,
            Order::Sequential => 1,
        };
        let duty = self.duty(scenario, cell, first).map_err(fail)?;
        let id = self.id(at);
        let assignment = Assignment { label: &id, runtime: &cell.runtime, duty, timeout: scenario.schedule.timeout };
        self.machine.cell_begins();
        let mut session = self.launcher.launch(&assignment).map_err(fail)?;
        self.tell_notes().map_err(Early::Listener)?;
        let result = match session.prepare() {
            Ok(workers) => {
                let count = workers.len();
                for (index, ready) in workers.into_iter().enumerate() {
                    // The load generator is ours, whoever serves: it is the last.
                    let is_client = matches!(cell.work, Work::Http(_)) && index + 1 == count;
                    let runtime = if is_client { RUST_RUNTIME } else { &cell.runtime };
                    self.outcome.workers.entry((runtime.to_owned(), ready.worker.clone())).or_insert(ready);
                }
                self.repetitions(due, &mut *session)
            }
            Err(Halt::Failed(failure)) => Err(fail(failure)),
            Err(halt) => Err(Early::Halt(halt, at)),
        };
        for message in session.close() {
            let told = self.emit(&Event::Warning { message: format!("{id}: {message}") });
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
                let pace =
                    self.calibrations.pace(&cell.runtime, work, mix(self.seed.wrapping_add(mix(round.into()))))?;
                let folder = self.plan.file.parent().unwrap_or(Path::new(""));
                Ok(Duty::Http(HttpDuty { work, pace, rate, folder }))
            }
        }
    }

    fn repetitions(&mut self, due: &mut Due, session: &mut dyn Session) -> Result<(), Early> {
        let begin = due.at();
        let warmups = (0..due.visit.warmups).map(|number| (number, begin));
        let runs = due.visit.rounds.clone().map(|round| (0, At { round, warmup: false, ..begin }));
        for (number, at) in warmups.chain(runs) {
            if self.control.stopped() {
                return Err(Early::Halt(Halt::Interrupted, at));
            }
            self.repetition(due, at, number, session)?;
        }
        Ok(())
    }

    /// One repetition; `number` tells the warm-ups of a visit apart.
    fn repetition(&mut self, due: &mut Due, at: At, number: u32, session: &mut dyn Session) -> Result<(), Early> {
        let cell = self.id(at);
        let position = RunPosition {
            scenario: at.scenario,
            cell: &cell,
            round: at.round,
            warmup: at.warmup,
            done: self.done,
            planned: self.planned,
        };
        self.emit(&Event::RunStarted { at: position }).map_err(Early::Listener)?;
        let before = self.machine.before();
        let started = self.ran();
        let sample = session.run(at.warmup).map_err(|halt| Early::Halt(halt, at))?;
        let machine = self.machine.since(&before, sample.cpu_ns());

        self.add_up(&sample, at.warmup);
        // What is made again takes nobody further.
        let index = due.index(at, number);
        if index >= due.made {
            due.made = index + 1;
            self.done += 1;
            self.progress(at).left -= 1;
        }
        let attempt = if at.warmup { 1 } else { due.attempt_at(at.round) };
        let record = SampleRecord {
            cell,
            round: at.round,
            warmup: at.warmup,
            position: self.position,
            started_ns: nanoseconds(started),
            disturbed: disturbance::reason(&sample, &machine, self.machine.scale()),
            sample,
            machine,
            attempt,
        };
        self.position += 1;
        if !at.warmup && record.disturbed.is_some() && self.may_repeat(attempt).map_err(Early::Listener)? {
            self.emit(&Event::SetAside { record: &record }).map_err(Early::Listener)?;
            return Err(Early::Disturbed(at));
        }
        self.emit(&Event::Sampled { record: &record, done: self.done }).map_err(Early::Listener)
    }

    fn add_up(&mut self, sample: &Measured, warmup: bool) {
        let took = Duration::from_nanos(sample.elapsed_ns().saturating_add(sample.setup_ns()));
        let total = if warmup { &mut self.outcome.warmup } else { &mut self.outcome.measured };
        *total = total.saturating_add(took);
        self.outcome.samples += 1;
    }

    /// Whether a disturbed run may be made again after so many attempts. Tells once when no more may.
    fn may_repeat(&mut self, attempts: u32) -> anyhow::Result<bool> {
        if attempts >= disturbance::ATTEMPTS {
            return Ok(false);
        }
        if self.repeats_left > 0 {
            self.repeats_left -= 1;
            return Ok(true);
        }
        if !std::mem::replace(&mut self.told_of_budget, true) {
            let message =
                "this machine is not quiet: so many runs were made again already that from here on disturbed \
                           ones count as they are, and are flagged"
                    .to_owned();
            self.emit(&Event::Warning { message })?;
        }
        Ok(false)
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
