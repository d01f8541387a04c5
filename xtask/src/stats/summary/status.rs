//! How a cell ended.

use serde::{Deserialize, Serialize};

/// How a cell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Measured.
    Ok,
    /// Tried and not measured to the end.
    Failed,
    /// Something that it needs is not installed.
    Skipped,
    /// The worker cannot do this combination.
    Unsupported,
    /// Not reached: the matrix was interrupted.
    NotRun,
}

impl Status {
    /// The word that people read.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Unsupported => "unsupported",
            Self::NotRun => "not run",
        }
    }
}
