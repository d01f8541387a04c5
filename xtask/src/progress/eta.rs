//! How long the rest of the matrix will take. Pure: the caller holds the clock.

use std::collections::HashMap;
use std::time::Duration;

use crate::engine::schedule::Visit;
use crate::matrix::plan::Plan;

/// The estimate counts like this many runs, so that the first runs, which may be the short ones, do not overturn it.
const ESTIMATE_WEIGHT: f64 = 5.0;

/// Predicts the rest from an estimate, corrected by what runs really took.
///
/// The repetitions of one cell take about the same time, those of different cells do not. So a cell that has run is
/// predicted from its own repetitions, and only the others from the mean.
#[derive(Debug, Default)]
pub struct Eta {
    cells: HashMap<String, Cell>,
    /// What a repetition should take by the estimate.
    estimated: f64,
    took: f64,
    done: u64,
}

#[derive(Debug, Default)]
struct Cell {
    left: u64,
    done: u64,
    took: f64,
}

impl Eta {
    /// Begins with nothing but an estimate of the whole.
    #[must_use]
    pub fn new(plan: &Plan, visits: &[Visit], estimate: Duration) -> Self {
        let mut cells: HashMap<String, Cell> = HashMap::new();
        for visit in visits {
            cells.entry(visit.id(plan)).or_default().left += visit.repetitions();
        }
        let planned: u64 = cells.values().map(|cell| cell.left).sum();
        Self { cells, estimated: estimate.as_secs_f64() / as_float(planned.max(1)), took: 0.0, done: 0 }
    }

    /// A repetition of a cell took this long, from its begin to the begin of the next.
    pub fn ran(&mut self, id: &str, took: Duration) {
        let Some(cell) = self.cells.get_mut(id) else { return };
        cell.left = cell.left.saturating_sub(1);
        cell.done += 1;
        cell.took += took.as_secs_f64();
        self.done += 1;
        self.took += took.as_secs_f64();
    }

    /// The rest of a cell will not be run.
    pub fn dropped(&mut self, id: &str) {
        if let Some(cell) = self.cells.get_mut(id) {
            cell.left = 0;
        }
    }

    /// How long the rest will take.
    #[must_use]
    pub fn left(&self) -> Duration {
        let mean = (self.estimated * ESTIMATE_WEIGHT + self.took) / (ESTIMATE_WEIGHT + as_float(self.done));
        let rest = |cell: &Cell| {
            let each = if cell.done == 0 { mean } else { cell.took / as_float(cell.done) };
            each * as_float(cell.left)
        };
        Duration::try_from_secs_f64(self.cells.values().map(rest).sum()).unwrap_or(Duration::MAX)
    }
}

#[expect(clippy::cast_precision_loss, reason = "repetitions are far below 2^53")]
fn as_float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use protocol::Model;

    use super::*;
    use crate::engine::scripted::visits;
    use crate::stats::fixtures::{batch, plan};

    /// Two cells of two runs with a warm-up before each: eight repetitions.
    fn eta() -> Eta {
        let plan = plan("s", None, &[batch(Model::Sequential), batch(Model::Threads)]);
        Eta::new(&plan, &visits(&plan), Duration::from_secs(80))
    }

    const SEQUENTIAL: &str = "s/model=sequential";
    const THREADS: &str = "s/model=threads";

    #[test]
    fn it_begins_with_the_estimate() {
        assert_eq!(eta().left(), Duration::from_secs(80));
    }

    #[test]
    fn a_cell_that_has_run_is_predicted_from_its_own_runs() {
        let mut eta = eta();
        eta.ran(SEQUENTIAL, Duration::from_secs(4));
        // Three more of 4 s, and four of (5 × 10 + 4) / 6 = 9 s.
        assert_eq!(eta.left(), Duration::from_secs(12 + 36));
    }

    #[test]
    fn what_is_dropped_takes_no_time() {
        let mut eta = eta();
        eta.dropped(THREADS);
        assert_eq!(eta.left(), Duration::from_secs(40));
        eta.dropped("unknown");
        for _ in 0..9 {
            eta.ran(SEQUENTIAL, Duration::from_secs(1));
        }
        assert_eq!(eta.left(), Duration::ZERO);
    }
}
