//! Why a cell has no figures.

use serde::{Deserialize, Serialize};

/// How a cell ended that was not measured, or not to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of end it is.
    pub kind: FailureKind,
    /// What happened, where, and what to do: one or two sentences for a person, without the stderr tail.
    pub reason: String,
    /// The last lines that the worker wrote to stderr.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
}

impl Failure {
    /// A failure with nothing on stderr.
    #[must_use]
    pub fn new(kind: FailureKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), stderr_tail: Vec::new() }
    }

    /// The same with what was done in front, unless it is something that cannot be done here at all: that is so whatever
    /// is done.
    #[must_use]
    pub fn during(self, what: &str) -> Self {
        match self.kind {
            FailureKind::Missing | FailureKind::Unsupported => self,
            _ => Self { reason: format!("{what}: {}", self.reason), ..self },
        }
    }
}

/// Kinds of ends, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The worker could not be started.
    NotStarted,
    /// The worker exited or was killed before it answered.
    Died,
    /// The worker did not answer in time.
    TimedOut,
    /// The worker answered with something that is not the protocol, or with another version of it.
    BadAnswer,
    /// The worker said that the run failed.
    WorkerError,
    /// The checksum differs from what others computed for the same work.
    WrongChecksum,
    /// The server did not get ready, or nobody answers at the address where it should run already.
    NotReady,
    /// No request got the right answer.
    NoAnswers,
    /// A limit of the system is too low for the cell.
    Limit,
    /// Something that the cell needs is not installed: `skipped`.
    Missing,
    /// The worker cannot do this combination: `unsupported`.
    Unsupported,
}
