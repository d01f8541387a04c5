//! Which cells are finished, and what a line says of them.

use std::collections::HashMap;

use protocol::Histogram;

use crate::engine::failure::{Failure, FailureKind};
use crate::engine::schedule::Visit;
use crate::matrix::plan::Plan;
use crate::report::format::{or_unknown, per_second};
use crate::report::units::time;
use crate::results::record::{HttpSample, SampleRecord};
use crate::stats::histogram::{merge, percentiles};
use crate::stats::spread::median;

/// Counts the cells of a plan as they finish.
#[derive(Debug, Default)]
pub struct Tally {
    cells: HashMap<String, Cell>,
    finished: usize,
}

#[derive(Debug)]
struct Cell {
    /// The last round that will be made.
    last_round: u32,
    /// How many will be; fewer than that where a matrix that goes on has the others.
    rounds: u32,
    include_setup: bool,
    elapsed_ns: Vec<u64>,
    served: Option<Served>,
}

/// What the runs of an HTTP cell came to so far.
#[derive(Debug, Default)]
struct Served {
    per_second: Vec<f64>,
    latency: Histogram,
}

impl Tally {
    /// Begins with all cells unfinished that will be visited. Twins are no cells.
    #[must_use]
    pub fn new(plan: &Plan, visits: &[Visit]) -> Self {
        let mut cells = HashMap::new();
        for visit in visits.iter().filter(|visit| !visit.twin) {
            let scenario = &plan.scenarios[visit.scenario];
            let last_round = *visit.rounds.end();
            let cell = cells.entry(visit.id(plan)).or_insert_with(|| Cell {
                last_round,
                rounds: 0,
                include_setup: scenario.include_setup,
                elapsed_ns: Vec::new(),
                served: None,
            });
            cell.last_round = cell.last_round.max(last_round);
            cell.rounds += last_round - *visit.rounds.start() + 1;
        }
        Self { cells, finished: 0 }
    }

    /// Takes a sample in; the cell's line where it was its last.
    pub fn sampled(&mut self, record: &SampleRecord) -> Option<String> {
        let cell = self.cells.get_mut(&record.cell).filter(|_| !record.warmup)?;
        let setup = if cell.include_setup { record.sample.setup_ns() } else { 0 };
        cell.elapsed_ns.push(record.sample.elapsed_ns().saturating_add(setup));
        if let Some(sample) = record.sample.http() {
            cell.served.get_or_insert_default().take(sample);
        }
        // Not by their number: a resumed matrix makes only the rounds that were missing.
        if record.round < cell.last_round {
            return None;
        }
        let count = cell.elapsed_ns.len();
        // The table below has them all.
        let more = if cell.rounds < cell.last_round { "more " } else { "" };
        let plural = if count == 1 { "" } else { "s" };
        let figures = match &cell.served {
            Some(served) => served.figures(),
            None => time(median(&cell.elapsed_ns)?, None),
        };
        let said = format!("{figures}  ({count} {more}run{plural})");
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

impl Served {
    #[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
    fn take(&mut self, sample: &HttpSample) {
        let seconds = sample.load.elapsed_ns as f64 / 1e9;
        if seconds > 0.0 {
            self.per_second.push(sample.load.completed as f64 / seconds);
        }
        self.latency = merge([&self.latency, &sample.load.latency]);
    }

    /// `1,351 req/s, p99 54.86 ms`; a lower percentile where there were too few requests for that.
    fn figures(&self) -> String {
        let rate = or_unknown(median(&self.per_second).map(per_second));
        let tail = percentiles(&self.latency).and_then(|it| it.tail());
        let tail = tail.map(|(name, ns)| format!(", {name} {}", time(ns, None))).unwrap_or_default();
        format!("{rate} req/s{tail}")
    }
}

/// A text on one line: a pipe's reader counts on a line for each event.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
