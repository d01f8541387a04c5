//! Measures what a run begins with, and keeps what came of it.

use std::collections::HashSet;
use std::time::{Duration, Instant, SystemTime};

use super::keeper::Keeper;
use super::live::{Live, Printer};
use super::shown;
use super::start::{Place, Start};
use crate::cmd::{TableFormat, terminal};
use crate::engine::calibrate::calibrate;
use crate::engine::calibrations::Calibrations;
use crate::engine::capacity;
use crate::engine::event::Listener;
use crate::engine::probe::probe;
use crate::engine::schedule::{estimate, schedule};
use crate::engine::signals::Control;
use crate::engine::{self, Outcome};
use crate::matrix::plan::Plan;
use crate::number::nanoseconds;
use crate::progress;
use crate::report;
use crate::results::environment::{Environment, Setting};
use crate::stats::summary::Summary;
use crate::stats::{KnownFloors, RunTimes, summarise};

/// A matrix that is being run.
pub struct Matrix<'a> {
    plan: &'a Plan,
    place: Place<'a>,
    start: Start,
    floors: KnownFloors,
}

impl<'a> Matrix<'a> {
    /// What has been begun. `floors` are for comparisons that have no twin.
    pub fn new(plan: &'a Plan, place: Place<'a>, start: Start, floors: KnownFloors) -> Self {
        Self { plan, place, start, floors }
    }

    /// Measures, and writes every file of the result. Also after an interruption.
    pub fn run(mut self, control: &Control, format: TableFormat) -> anyhow::Result<Summary> {
        let summary = self.measure(control, format)?;
        let setting =
            Setting { workspace: self.place.workspace, results: self.place.root, seed: 0, profile: "", workers: &[] };
        self.start.environment.finish(&setting);
        self.keep(&summary)?;
        Ok(summary)
    }

    /// Calibrates, runs the plan, and sums up what there is.
    fn measure(&mut self, control: &Control, format: TableFormat) -> anyhow::Result<Summary> {
        let mut samples = self.start.folder.sample_file()?;
        // Also before the calibration: whoever is killed there can be resumed.
        self.start.folder.write_environment(&self.start.environment)?;
        let calibrations = self.calibrate(control);
        self.start.folder.write_environment(&self.start.environment)?;
        let Start { folder, environment, options, records, launcher, .. } = &mut self.start;
        let visits = schedule(self.plan, options.seed, &options.twins, &options.before);
        let (mut progress, curtain) = progress::new(estimate(self.plan, &visits));
        let mut live = Live::new(self.plan, &self.floors, printer(format), curtain, records.clone());
        let mut keeper = Keeper { folder, environment };
        // One clock says when, which somebody may set meanwhile; the other says how long.
        let (began, clock) = (SystemTime::now(), Instant::now());
        let outcome = engine::run(
            self.plan,
            &calibrations,
            options,
            launcher,
            control,
            &mut [&mut samples as &mut dyn Listener, &mut keeper, &mut *progress, &mut live],
        );
        drop(progress);
        let (first, ran_before) = (self.start.started.unwrap_or(began), self.start.options.before.ran);
        let times = |complete| times(first, began, ran_before, clock.elapsed(), complete);
        match outcome {
            Ok(outcome) => {
                let prepared_ns = nanoseconds(self.start.prepared + outcome.prepared);
                let times = RunTimes { prepared_ns, ..times(outcome.complete) };
                take_note(&mut self.start.environment, &outcome);
                live.print_unfinished()?;
                Ok(summarise(self.plan, live.records(), &times, &self.floors))
            }
            Err(error) => {
                // What was measured is worth a summary, if there is still a place to write it to, and tables anyhow.
                let _ = live.print_unfinished();
                let _ = self.keep(&summarise(self.plan, live.records(), &times(false), &self.floors));
                let folder = shown(self.start.folder.path());
                Err(error.context(format!("the matrix ended early; what there is, is in {folder}")))
            }
        }
    }

    /// Measures what is not known yet of how fast runtimes burn and what servers can do.
    fn calibrate(&mut self, control: &Control) -> Calibrations {
        let Start { environment, options, launcher, .. } = &mut self.start;
        let mut calibrations = Calibrations::default();
        let known = environment.calibration.iter().map(|(runtime, known)| (runtime.clone(), Ok(known.clone())));
        calibrations.rates.extend(known);
        let known = environment.capacity.iter().map(|(server, known)| (server.clone(), Ok(known.clone())));
        calibrations.capacities.extend(known);
        let known = environment.tasks.iter().map(|(task, known)| (task.clone(), Ok(known.clone())));
        calibrations.counts.extend(known);
        let finished: HashSet<String> = options.before.finished(self.plan);
        let mut warn = |warning: String| eprintln!("warning: {warning}");
        probe(self.plan, &finished, &mut calibrations.probes, launcher, control, &mut warn);
        for (runtime, probe) in &calibrations.probes {
            match probe {
                Ok(probe) => environment.note_runtime(&self.plan.runtimes, runtime, probe),
                // It has no calibration either.
                Err(failure) => drop(calibrations.rates.insert(runtime.clone(), Err(failure.clone()))),
            }
        }
        calibrate(self.plan, &finished, &mut calibrations.rates, launcher, control, &mut warn);
        capacity::measure(self.plan, &finished, &mut calibrations, launcher, control, &mut warn);
        for (runtime, calibration) in &calibrations.rates {
            if let Ok(calibration) = calibration {
                environment.calibration.insert(runtime.clone(), calibration.clone());
            }
        }
        for (server, capacity) in &calibrations.capacities {
            if let Ok(capacity) = capacity {
                environment.capacity.insert(server.clone(), capacity.clone());
            }
        }
        calibrations
    }

    /// Writes every file of the result but the samples, which are there already.
    fn keep(&self, summary: &Summary) -> anyhow::Result<()> {
        let Start { folder, environment, .. } = &self.start;
        folder.write_summary(summary)?;
        folder.write_environment(environment)?;
        crate::cmd::report::write(folder, summary, environment)?;
        crate::cmd::listing::write(folder.root())
    }
}

/// When a matrix ran that began at `first`, ran for `ran_before` in earlier parts, and for `ran` since `began`. The clock on
/// the wall may have been set back between two parts: the end never comes before the time that was spent.
fn times(first: SystemTime, began: SystemTime, ran_before: Duration, ran: Duration, complete: bool) -> RunTimes {
    let wall = ran_before + ran;
    RunTimes {
        started: first,
        ended: (began + ran).max(first + wall),
        wall_ns: nanoseconds(wall),
        prepared_ns: 0,
        complete,
    }
}

/// Keeps what the workers said about themselves.
fn take_note(environment: &mut Environment, outcome: &Outcome) {
    for ((runtime, _), ready) in &outcome.workers {
        environment.note_ready(runtime, ready);
    }
}

/// How a table is printed as soon as its scenario is over, for formats that can be cut there.
fn printer(format: TableFormat) -> Option<Printer> {
    match format {
        TableFormat::Table => {
            let terminal = terminal(false);
            Some(Box::new(move |table| terminal.table(table)))
        }
        TableFormat::Markdown => Some(Box::new(report::markdown::table)),
        TableFormat::Csv | TableFormat::Json => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Start and end in seconds, and the time that it ran.
    fn told(first: u64, began: u64, ran_before: u64, ran: u64) -> (u64, u64, u64) {
        let seconds = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let times = times(at(first), at(began), Duration::from_secs(ran_before), Duration::from_secs(ran), true);
        (seconds(times.started), seconds(times.ended), times.wall_ns / 1_000_000_000)
    }

    #[test]
    fn the_gap_before_a_resumed_part_is_between_start_and_end_and_not_in_the_time_that_it_ran() {
        assert_eq!(told(1_000, 1_000, 0, 60), (1_000, 1_060, 60));
        assert_eq!(told(1_000, 5_000, 60, 30), (1_000, 5_030, 90));
    }

    #[test]
    fn a_clock_that_was_set_back_between_two_parts_puts_no_end_before_the_start() {
        assert_eq!(told(9_000, 1_000, 60, 30), (9_000, 9_090, 90));
    }
}
