//! Starts the processes of a cell and has them run, repetition after repetition.

use std::path::Path;
use std::time::Duration;

use protocol::mix;

use super::Walk;
use crate::engine::disturbance;
use crate::engine::event::{Event, RunPosition};
use crate::engine::failure::Failure;
use crate::engine::launcher::{Assignment, Duty, Halt, HttpDuty, Session};
use crate::engine::progress::{At, Due};
use crate::matrix::plan::{Cell, Order, RUST_RUNTIME, Scenario, Work};
use crate::number::nanoseconds;
use crate::results::record::{Measured, SampleRecord};

/// Why a visit ended early, and where.
pub(super) enum Early {
    Halt(Halt, At),
    /// The run does not count, as the machine was disturbed.
    Disturbed(At),
    /// A listener failed.
    Listener(anyhow::Error),
}

impl<'a> Walk<'a, '_> {
    /// Starts the worker, has it run, and ends it, whatever it did.
    pub(super) fn attempt(&mut self, due: &mut Due) -> Result<(), Early> {
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
                self.machine.cell_ready();
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
}
