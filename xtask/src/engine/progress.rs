//! Where the walk stands: in the matrix, and in each cell. What happens there is decided in [`run`](super::run()).

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
