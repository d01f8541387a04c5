//! Keeps the records of a run and prints each scenario's table as soon as it is over.

use std::io::ErrorKind;
use std::time::SystemTime;

use super::super::to_stdout;
use crate::engine::event::{Event, Listener};
use crate::matrix::plan::Plan;
use crate::progress::Curtain;
use crate::report::scenario_table::scenario_table;
use crate::report::table::Table;
use crate::results::record::Record;
use crate::stats::summary::Status;
use crate::stats::{KnownFloors, RunTimes, summarise};

/// Turns a table into text.
pub type Printer = Box<dyn Fn(&Table) -> String>;

/// The listener.
pub struct Live<'a> {
    plan: &'a Plan,
    floors: &'a KnownFloors,
    printer: Option<Printer>,
    curtain: Curtain,
    records: Vec<Record>,
    /// By scenario.
    printed: Vec<bool>,
    any: bool,
}

impl<'a> Live<'a> {
    /// Prints with `printer`, if there is one, while `curtain` keeps the progress display out of the way. `records` are
    /// those of an earlier part.
    pub fn new(
        plan: &'a Plan,
        floors: &'a KnownFloors,
        printer: Option<Printer>,
        curtain: Curtain,
        records: Vec<Record>,
    ) -> Self {
        Self { plan, floors, printer, curtain, records, printed: vec![false; plan.scenarios.len()], any: false }
    }

    /// What was recorded so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Prints the tables of scenarios that an interruption cut short, as far as anything was measured in them.
    pub fn print_unfinished(&mut self) -> anyhow::Result<()> {
        (0..self.printed.len())
            .filter(|&scenario| !self.printed[scenario])
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|scenario| self.print(scenario))
    }

    fn print(&mut self, scenario: usize) -> anyhow::Result<()> {
        self.printed[scenario] = true;
        let Some(printer) = &self.printer else { return Ok(()) };
        let now = SystemTime::now();
        let times = RunTimes { started: now, ended: now, wall_ns: 0, prepared_ns: 0, complete: true };
        let summary = summarise(self.plan, &self.records, &times, self.floors);
        let summary = &summary.scenarios[scenario];
        if summary.cells.iter().all(|cell| cell.status == Status::NotRun) {
            return Ok(());
        }
        let text = printer(&scenario_table(summary));
        let gap = if self.any { "\n" } else { "" };
        self.any = true;
        match self.curtain.lifted(|| to_stdout(|out| write!(out, "{gap}{text}"))) {
            // `… | head` has seen enough; the result is still wanted.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.printer = None,
            other => other?,
        }
        Ok(())
    }
}

impl Listener for Live<'_> {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::Sampled { record, .. } | Event::SetAside { record } => {
                self.records.push(Record::Sample((*record).clone()));
            }
            Event::CellFailed { record, .. } | Event::TwinFailed { record, .. } | Event::Voided { record } => {
                self.records.push((*record).clone());
            }
            Event::ScenarioFinished { scenario } => self.print(*scenario)?,
            Event::Started { .. }
            | Event::Preparing { .. }
            | Event::Noted { .. }
            | Event::RunStarted { .. }
            | Event::Warning { .. }
            | Event::Finished { .. } => {}
        }
        Ok(())
    }
}
