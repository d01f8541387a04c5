//! Figures that somebody else published: `source.json` beside their `summary.json` says whose they are.

use serde::{Deserialize, Serialize};

/// The file's name.
pub const FILE: &str = "source.json";

/// The version of the file.
pub const SCHEMA: u32 = 1;

/// Whose figures they are, and what they were taken on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication {
    /// Version of this format.
    pub schema: u32,
    /// The article: its title.
    pub title: String,
    /// Who wrote it.
    pub author: String,
    /// Where and when it appeared, as far as the article says.
    pub appeared: Option<String>,
    /// The machine, in words.
    pub machine: String,
    /// Its CPU cores.
    pub cores: u32,
    /// Its operating system.
    pub system: String,
    /// What executed the tasks.
    pub runtime: String,
    /// How it was measured, in a sentence or two.
    pub method: String,
}
