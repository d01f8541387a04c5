//! Which comparisons and cells the picture has room for.

use crate::report::plot::figure::Figure;
use crate::report::scenario_table::by_id;
use crate::report::standing::ends;
use crate::stats::summary::{CellSummary, ComparisonRow, ComparisonSummary, ScenarioSummary};

/// Most rows in one picture.
const MOST_ROWS: usize = 40;

/// Most marks for the runs of one row, and in the picture; both keep the file small.
pub(super) const MOST_RUNS: usize = 40;
const MOST_MARKS: usize = 300;

/// A comparison and its cells.
pub(super) struct Block<'a> {
    pub comparison: &'a ComparisonSummary,
    pub rows: Vec<(&'a ComparisonRow, &'a CellSummary)>,
}

pub(super) struct Blocks<'a> {
    pub shown: Vec<Block<'a>>,
    pub left_out: usize,
    pub has_set_aside: bool,
    pub has_intervals: bool,
}

impl<'a> Blocks<'a> {
    /// As many comparisons as there is room for; at least a part of the first. `None` where nothing was measured.
    pub fn of(scenario: &'a ScenarioSummary, figure: Figure) -> Option<Self> {
        let by_id = by_id(scenario);
        let mut blocks = Self { shown: Vec::new(), left_out: 0, has_set_aside: false, has_intervals: false };
        let (mut drawn, mut marks, mut measured) = (0, 0, 0);
        for comparison in &scenario.comparisons {
            let all = comparison.rows.iter().filter_map(|row| Some((row, *by_id.get(row.cell.as_str())?)));
            let mut rows = Vec::new();
            for (row, cell) in all {
                let runs = figure.runs(cell).map_or(0, |(_, values)| values.len().min(MOST_RUNS));
                if drawn >= MOST_ROWS || (marks + runs > MOST_MARKS && drawn > 0) {
                    blocks.left_out += 1;
                    continue;
                }
                (drawn, marks, measured) = (drawn + 1, marks + runs, measured + usize::from(runs > 0));
                blocks.has_set_aside |= !figure.set_aside(cell).is_empty();
                blocks.has_intervals |= row.ratio.as_ref().and_then(ends).is_some();
                rows.push((row, cell));
            }
            if !rows.is_empty() {
                blocks.shown.push(Block { comparison, rows });
            }
        }
        (measured > 0).then_some(blocks)
    }

    pub fn rows(&self) -> usize {
        self.shown.iter().map(|block| block.rows.len()).sum()
    }

    pub fn cells(&self) -> impl Iterator<Item = (&Block<'a>, &'a ComparisonRow, &'a CellSummary)> {
        self.shown.iter().flat_map(|block| block.rows.iter().map(move |(row, cell)| (block, *row, *cell)))
    }
}
