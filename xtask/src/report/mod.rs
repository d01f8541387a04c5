//! [`Summary`] → terminal table, Markdown, CSV, JSON. Pure: no files, no terminal.
//!
//! Every figure comes from the one summary, so no two formats can disagree.
//!
//! | file | what lives here |
//! | --- | --- |
//! | [`format`](mod@format), [`units`] | how a number looks |
//! | [`table`] | the skeleton of a table |
//! | [`scenario_table`] | which rows and columns a scenario has, in the long form |
//! | [`pivot`] | the same with the compared values side by side |
//! | [`http`] | both for servers: requests a second and latency |
//! | [`heading`] | what stands above and right below the rows |
//! | [`footnotes`] | what does not fit into a cell |
//! | [`terminal`], [`markdown`], [`csv`], [`json`] | one output format each |
//! | [`document`](mod@document) | `tables.md`: all tables, and what they were taken with |

mod absent;
pub mod conformance;
pub mod csv;
pub mod doctor;
pub mod document;
pub mod footnotes;
pub mod format;
pub mod heading;
pub mod http;
pub mod json;
pub mod markdown;
pub mod pivot;
pub mod scenario_table;
pub mod table;
pub mod terminal;
pub mod units;

pub use document::document;
pub use terminal::Terminal;

use crate::stats::summary::Summary;

/// A way to write down a whole summary.
pub trait Format {
    /// The text, which ends in a line feed.
    fn render(&self, summary: &Summary) -> String;
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;
