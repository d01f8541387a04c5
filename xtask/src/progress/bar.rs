//! A line with a bar at the foot of a terminal: how far, how long, how long to go, and what runs.
//!
//! It has no colour, so there is nothing for `NO_COLOR` to switch off.

use std::fmt::Write;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Curtain;
use super::eta::Eta;
use super::log::{cell_of, repeating, round};
use super::tally::{Tally, one_line};
use crate::engine::event::{Event, Listener, RunPosition};
use crate::engine::schedule::Visit;
use crate::matrix::plan::{Plan, twin_id};

/// How often the line is drawn while a run takes its time. Drawing costs the machine under test something.
const TICK: Duration = Duration::from_millis(500);

/// `wide_msg` cuts what does not fit, so a narrow window does not wrap.
const WIDE: &str = "{bar:14} {pos}/{len}  {elapsed}, {left} left  {wide_msg}";

/// What `wide_msg` stands beside must fit by itself.
const NARROW: &str = "{pos}/{len}  {left} left  {wide_msg}";

/// Below this many columns the bar and the elapsed time give way to what runs.
const NARROW_BELOW: u16 = 60;

/// A line with a bar at the foot of a terminal.
pub struct Bar {
    bar: ProgressBar,
    tally: Tally,
    estimate: Duration,
    eta: Eta,
    /// When the matrix should be over; shared with what draws the line between events.
    end: Arc<Mutex<Option<Instant>>>,
    /// When the run that is going on began.
    began: Instant,
    /// Counted runs by scenario.
    runs: Vec<u32>,
    /// Columns of the window, which may change at any time.
    width: Box<dyn Fn() -> u16>,
}

impl Bar {
    /// Draws on stderr. `estimate` is how long the plan should take.
    #[must_use]
    pub fn new(estimate: Duration) -> Self {
        let width = || terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
        Self::on(ProgressDrawTarget::stderr_with_hz(10), estimate, Box::new(width))
    }

    fn on(target: ProgressDrawTarget, estimate: Duration, width: Box<dyn Fn() -> u16>) -> Self {
        let end = Arc::new(Mutex::new(None));
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style(width(), &end));
        Self {
            bar,
            tally: Tally::default(),
            estimate,
            eta: Eta::default(),
            end,
            began: Instant::now(),
            runs: Vec::new(),
            width,
        }
    }

    /// What takes the bar off the terminal while something else is printed there.
    #[must_use]
    pub fn curtain(&self) -> Curtain {
        Curtain(Some(self.bar.clone()))
    }

    fn start(&mut self, plan: &Plan, visits: &[Visit]) {
        self.tally = Tally::new(plan, visits);
        self.eta = Eta::new(plan, visits, self.estimate);
        self.runs = plan.scenarios.iter().map(|scenario| scenario.schedule.runs).collect();
        self.bar.reset_elapsed();
        self.bar.enable_steady_tick(TICK);
        self.predict();
    }

    fn run_started(&mut self, at: RunPosition<'_>) {
        self.began = Instant::now();
        self.bar.set_style(style((self.width)(), &self.end));
        self.bar.set_length(at.planned);
        self.bar.set_position(at.done);
        let runs = self.runs.get(at.scenario).copied().unwrap_or(at.round);
        let warmup = if at.warmup { ", warm-up" } else { "" };
        self.bar.set_message(format!("round {}/{runs}{warmup}  {}", at.round, at.cell));
    }

    fn predict(&mut self) {
        let end = Instant::now().checked_add(self.eta.left());
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }
}

impl Listener for Bar {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::Started { plan, visits } => self.start(plan, visits),
            Event::RunStarted { at } => self.run_started(*at),
            Event::Sampled { record, done } => {
                self.eta.ran(&record.cell, self.began.elapsed());
                self.bar.set_position(*done);
                self.predict();
                if let Some(line) = self.tally.sampled(record) {
                    self.bar.println(line);
                }
            }
            Event::CellFailed { cell, record, failure, done } => {
                self.eta.dropped(cell);
                self.eta.dropped(&twin_id(cell));
                self.bar.set_position(*done);
                self.predict();
                self.bar.println(self.tally.failed(cell, round(record), failure));
            }
            Event::SetAside { record } => self.bar.println(repeating(record)),
            Event::TwinFailed { record, warning, done } => {
                self.eta.dropped(cell_of(record));
                self.bar.set_position(*done);
                self.predict();
                if let Some(warning) = warning {
                    self.bar.println(format!("warning: {}", one_line(warning)));
                }
            }
            Event::Warning { message } => self.bar.println(format!("warning: {}", one_line(message))),
            Event::Preparing { what } => self.bar.println(what),
            Event::Noted { .. } | Event::Voided { .. } | Event::ScenarioFinished { .. } => {}
            Event::Finished { .. } => self.bar.finish_and_clear(),
        }
        Ok(())
    }
}

/// When an error ends the matrix there is no last event, and the line must not stay.
impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How the line looks in a window of this width.
fn style(width: u16, end: &Arc<Mutex<Option<Instant>>>) -> ProgressStyle {
    let end = Arc::clone(end);
    let left = move |_: &ProgressState, out: &mut dyn Write| {
        let end: Option<Instant> = *end.lock().unwrap_or_else(PoisonError::into_inner);
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let _ = out.write_str(&left.map_or_else(|| "–".to_owned(), clock));
    };
    let elapsed = |state: &ProgressState, out: &mut dyn Write| {
        let _ = out.write_str(&clock(state.elapsed()));
    };
    let template = if width < NARROW_BELOW { NARROW } else { WIDE };
    let style = ProgressStyle::with_template(template).expect("the templates are constants");
    style.with_key("left", left).with_key("elapsed", elapsed).progress_chars("━━─")
}

/// `1:05` or `2:03:04`.
fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests;
