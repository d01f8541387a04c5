//! The orchestrator: it reads a matrix file, runs its cells in worker processes, and says what it saw.
//!
//! Data flows one way, one folder a stage:
//!
//! | stage | from → to | starts processes, reads clocks |
//! | --- | --- | --- |
//! | [`matrix`] | TOML → `Plan` | no |
//! | [`engine`] | `Plan` → events | yes, and no other stage does |
//! | [`results`] | events → a folder; a folder → records | files only |
//! | [`stats`] | plan and records → `Summary` | no |
//! | [`report`] | `Summary` → table, Markdown, CSV, JSON | no |
//! | [`progress`] | events → lines on stderr | stderr and a clock only |
//! | [`cmd`] | the subcommands: thin, they join the stages | |
//!
//! Beside the stages stand [`doctor`], which looks at this machine and starts programs to ask for their versions,
//! [`conformance`], which checks whether a program is a worker, and [`number`]: how numbers and times look to people.
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
