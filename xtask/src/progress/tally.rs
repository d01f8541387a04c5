//! Which cells are finished, and what a line says of them.

use std::collections::HashMap;

use crate::engine::failure::{Failure, FailureKind};
use crate::matrix::plan::{Plan, Scenario};
use crate::report::units::time;
use crate::results::record::SampleRecord;
use crate::stats::spread::median;

/// Counts the cells of a plan as they finish.
#[derive(Debug, Default)]
pub struct Tally {
    cells: HashMap<String, Cell>,
    finished: usize,
}

#[derive(Debug)]
struct Cell {
    runs: u32,
    include_setup: bool,
    elapsed_ns: Vec<u64>,
}

impl Tally {
    /// Begins with all cells of a plan unfinished.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let cell = |scenario: &Scenario| Cell {
            runs: scenario.schedule.runs,
            include_setup: scenario.include_setup,
            elapsed_ns: Vec::new(),
        };
        let cells = plan.scenarios.iter().flat_map(|scenario| scenario.cells.iter().map(move |c| (scenario, c)));
        Self { cells: cells.map(|(scenario, c)| (c.id.clone(), cell(scenario))).collect(), finished: 0 }
    }

    /// Takes a sample in; the cell's line where it was its last.
    pub fn sampled(&mut self, record: &SampleRecord) -> Option<String> {
        let cell = self.cells.get_mut(&record.cell).filter(|_| !record.warmup)?;
        let setup = if cell.include_setup { record.sample.setup_ns } else { 0 };
        cell.elapsed_ns.push(record.sample.elapsed_ns.saturating_add(setup));
        // Not by their number: a resumed matrix makes only the rounds that were missing.
        if record.round < cell.runs {
            return None;
        }
        let count = cell.elapsed_ns.len();
        let plural = if count == 1 { "" } else { "s" };
        let said = format!("{}  ({count} run{plural})", time(median(&cell.elapsed_ns)?, None));
        Some(self.finish(&record.cell, &said))
    }

    /// Takes a failure in; the cell's line.
    pub fn failed(&mut self, id: &str, round: u32, failure: &Failure) -> String {
        let what = match failure.kind {
            FailureKind::Missing => "skipped".to_owned(),
            FailureKind::Unsupported => "unsupported".to_owned(),
            _ if round == 0 => "FAILED".to_owned(),
            _ => format!("FAILED in round {round}"),
        };
        self.finish(id, &format!("{what}: {}", one_line(&failure.reason)))
    }

    fn finish(&mut self, id: &str, said: &str) -> String {
        self.finished += 1;
        let planned = self.cells.len();
        let digits = planned.to_string().len();
        format!("[{:>digits$}/{planned}] {id}  {said}", self.finished)
    }
}

/// A text on one line: a pipe's reader counts on a line for each event.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
