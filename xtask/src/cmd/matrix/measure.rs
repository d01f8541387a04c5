//! Measures what a run begins with, and keeps what came of it.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::time::{Instant, SystemTime};

use super::Format;
use super::live::{Live, Printer};
use super::shown;
use super::start::{Place, Start};
use crate::engine::calibrate::calibrate;
use crate::engine::calibrations::Calibrations;
use crate::engine::capacity;
use crate::engine::event::Listener;
use crate::engine::schedule::{estimate, schedule};
use crate::engine::signals::Control;
use crate::engine::{self, Outcome};
use crate::matrix::plan::Plan;
use crate::progress;
use crate::report::{self, Terminal};
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
    pub fn run(mut self, control: &Control, format: Format) -> anyhow::Result<Summary> {
        let summary = self.measure(control, format)?;
        let setting =
            Setting { workspace: self.place.workspace, results: self.place.root, seed: 0, profile: "", workers: &[] };
        self.start.environment.finish(&setting);
        self.keep(&summary)?;
        Ok(summary)
    }

    /// Calibrates, runs the plan, and sums up what there is.
    fn measure(&mut self, control: &Control, format: Format) -> anyhow::Result<Summary> {
        let mut samples = self.start.folder.sample_file()?;
        let calibrations = self.calibrate(control);
        self.start.folder.write_environment(&self.start.environment)?;
        let Start { options, records, launcher, .. } = &mut self.start;
        let visits = schedule(self.plan, options.seed, &options.twins, &options.before);
        let (mut progress, curtain) = progress::new(estimate(self.plan, &visits));
        let mut live = Live::new(self.plan, &self.floors, printer(format), curtain, records.clone());
        // One clock says when, which somebody may set meanwhile; the other says how long.
        let (began, clock) = (SystemTime::now(), Instant::now());
        let outcome = engine::run(
            self.plan,
            &calibrations,
            options,
            launcher,
            control,
            &mut [&mut samples as &mut dyn Listener, &mut *progress, &mut live],
        );
        drop(progress);
        let (first, ran_before) = (self.start.started.unwrap_or(began), self.start.options.before.ran);
        let times = |complete| {
            let wall = ran_before + clock.elapsed();
            RunTimes {
                started: first,
                ended: (began + clock.elapsed()).max(first + wall),
                wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
                complete,
            }
        };
        match outcome {
            Ok(outcome) => {
                let times = times(outcome.complete);
                take_note(&mut self.start.environment, &outcome);
                live.print_unfinished()?;
                Ok(summarise(self.plan, live.records(), &times, &self.floors))
            }
            Err(error) => {
                // What was measured is worth a summary, if there is still a place to write it to.
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
        let finished: HashSet<String> = options.before.finished(self.plan);
        let mut warn = |warning: String| eprintln!("warning: {warning}");
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
        folder.write_tables(&report::document(summary, environment))?;
        folder.write_index()
    }
}

/// Keeps what the workers said about themselves.
fn take_note(environment: &mut Environment, outcome: &Outcome) {
    for ((runtime, _), ready) in &outcome.workers {
        environment.runtimes.entry(runtime.clone()).or_insert_with(|| ready.into());
    }
}

/// How a table is printed as soon as its scenario is over, for formats that can be cut there.
fn printer(format: Format) -> Option<Printer> {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let stdout = std::io::stdout();
    match format {
        Format::Table => {
            let terminal = Terminal {
                width: stdout.is_terminal().then(|| terminal_size::terminal_size().map_or(80, |(w, _)| w.0.into())),
                colour: stdout.is_terminal() && !no_colour,
                ascii: false,
            };
            Some(Box::new(move |table| terminal.table(table)))
        }
        Format::Markdown => Some(Box::new(report::markdown::table)),
        Format::Csv | Format::Json => None,
    }
}
