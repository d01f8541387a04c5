//! What the command line asked for, as far as it decides what is measured: kept with a result, so that its run can go
//! on later with the same plan.

use serde::{Deserialize, Serialize};

use crate::engine::twins::Twins;

/// What was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// Patterns that choose cells; all cells where there is none.
    pub patterns: Vec<String>,
    /// `--quick`.
    pub quick: bool,
    /// `--smoke`.
    pub smoke: bool,
    /// `--runs`.
    pub runs: Option<u32>,
    /// `--warmups`.
    pub warmups: Option<u32>,
    /// The baselines that are measured twice, however that was decided.
    pub twins: Twins,
    /// Whether disturbed runs are made again.
    pub repeat_disturbed: bool,
}

impl RunOptions {
    /// The options that choose cells and runs, in the words of the command line, each with its value.
    #[must_use]
    pub fn words(&self) -> Vec<(&'static str, String)> {
        let flag = |is: bool| if is { "given" } else { "not given" }.to_owned();
        let count = |count: Option<u32>| count.map_or_else(|| "not given".to_owned(), |count| count.to_string());
        let patterns = if self.patterns.is_empty() { "none".to_owned() } else { self.patterns.join(" ") };
        vec![
            ("patterns", patterns),
            ("--quick", flag(self.quick)),
            ("--smoke", flag(self.smoke)),
            ("--runs", count(self.runs)),
            ("--warmups", count(self.warmups)),
        ]
    }
}
