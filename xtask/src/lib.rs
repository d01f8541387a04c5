//! The orchestrator: it reads a matrix file, runs its cells in worker processes, and says what it saw.
//!
//! Data flows one way, one folder a stage:
//!
//! | stage | from → to | starts processes, reads clocks |
//! | --- | --- | --- |
//! | [`matrix`] | TOML → `Plan` | no |
//! | [`engine`] | `Plan` → events | yes: no other stage starts a worker or times it |
//! | [`results`] | events → a folder; a folder → records | files, git, facts about the machine |
//! | [`stats`] | plan and records → `Summary` | no |
//! | [`report`] | `Summary` → table, Markdown, CSV, JSON, plots | no |
//! | [`progress`] | events → lines on stderr | stderr and a clock only |
//! | [`cmd`] | the subcommands: thin, they join the stages | |
//!
//! Beside the stages stand two subjects of their own, and what all share:
//!
//! | module | from → to | starts processes, reads clocks |
//! | --- | --- | --- |
//! | [`doctor`] | this machine → findings | asks programs for their versions, watches neighbours |
//! | [`conformance`] | a program → which rules of the protocol it keeps | yes, through [`engine`] |
//! | [`number`] | numbers and times → text | no |
//!
//! The orchestrator knows no engine: of the workspace it imports `protocol` alone. A worker in another language is as
//! good as ours.

pub mod cmd;
pub mod conformance;
pub mod doctor;
pub mod engine;
pub mod matrix;
pub mod number;
pub mod progress;
pub mod report;
pub mod results;
pub mod stats;
