//! Whole latency histograms by cell, from the records: a summary has percentiles only.

use std::collections::HashMap;

use protocol::Histogram;

use crate::results::record::Record;
use crate::stats::histogram::merge;
use crate::stats::records::sort;

/// Latency of the right answers of all counted runs, by cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Latencies {
    by_cell: HashMap<String, Histogram>,
}

impl Latencies {
    /// What the records hold; without records there is none.
    #[must_use]
    pub fn of(records: &[Record]) -> Self {
        let sorted = sort(records);
        let of_cell = |runs: &crate::stats::records::CellRecords<'_>| {
            merge(runs.runs.values().filter_map(|run| Some(&run.sample.http()?.load.latency)))
        };
        let all = sorted.cells.iter().map(|(id, runs)| ((*id).to_owned(), of_cell(runs)));
        Self { by_cell: all.filter(|(_, histogram)| histogram.count > 0).collect() }
    }

    /// The histogram of a cell.
    #[must_use]
    pub fn get(&self, cell: &str) -> Option<&Histogram> {
        self.by_cell.get(cell)
    }
}
