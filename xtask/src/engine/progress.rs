//! Where the walk stands: in the matrix, and in each cell. What happens there is decided in [`run`](super::run()).

use crate::matrix::plan::{Order, Schedule};

/// How far a cell is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Planned repetitions behind it, warm-ups included.
    pub done: u64,
    /// Counted runs that were measured.
    pub counted: u32,
    /// Whether it failed.
    pub ended: bool,
}

/// Where a visit stands, for what is said about its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub scenario: usize,
    pub cell: usize,
    pub round: u32,
    pub warmup: bool,
}

impl At {
    /// A failure's reason with the place where it happened and how far the cell had come.
    pub fn told(self, reason: &str, runs: u32, counted: u32) -> String {
        let place = match (self.round, self.warmup) {
            (0, _) => "before the first round".to_owned(),
            (round, true) => format!("warm-up of round {round} of {runs}"),
            (round, false) => format!("round {round} of {runs}"),
        };
        let finished = match counted {
            0 => String::new(),
            1 => ", 1 counted run finished".to_owned(),
            n => format!(", {n} counted runs finished"),
        };
        format!("{place}: {reason}{finished}")
    }
}

/// Repetitions of one cell, warm-ups included.
pub(super) fn planned(schedule: Schedule) -> u64 {
    let (runs, warmups) = (u64::from(schedule.runs), u64::from(schedule.warmups));
    match schedule.order {
        Order::Sequential => warmups + runs,
        Order::Interleaved => (warmups + 1) * runs,
    }
}
