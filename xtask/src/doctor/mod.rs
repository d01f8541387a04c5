//! What this machine can and cannot measure, and what each missing piece would bring. Nothing is changed here: a finding
//! may say what a person can do.
//!
//! | file | looks at |
//! | --- | --- |
//! | [`machine`] | what disturbs measurements: governor, steal, quota, busy neighbours, limits, … |
//! | [`services`] | the programs and servers that everyday operations need |
//! | [`interpreters`] | Pythons and Rubies, and whether they have a lock |

pub mod interpreters;
pub mod machine;
pub mod services;

use serde::Serialize;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is about.
    pub topic: Topic,
    /// What was looked at, in a few words: `CPU governor`, `PostgreSQL`, `python3.14t`.
    pub subject: String,
    /// How it stands.
    pub state: State,
    /// What was found, with figures, versions and paths; one sentence or less.
    pub found: String,
    /// What to do about it, or what it would bring. `None` where there is nothing to do.
    pub advice: Option<String>,
    /// Lines to paste into a matrix file; empty where there are none.
    pub paste: String,
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// What disturbs measurements.
    Machine,
    /// Programs and servers that operations need.
    Services,
    /// Runtimes beside Rust.
    Interpreters,
}

/// How a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it should be.
    Good,
    /// Worth knowing; no harm.
    Note,
    /// It hurts measurements, or an operation cannot work.
    Hurts,
    /// Not there: what needs it is skipped.
    Missing,
}

/// Looks at everything. Takes a few seconds: busy neighbours are watched for two of them.
#[must_use]
pub fn examine() -> Vec<Finding> {
    [machine::findings(), services::findings(), interpreters::findings()].concat()
}
