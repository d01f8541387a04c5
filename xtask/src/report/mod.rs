//! [`Summary`] → terminal table, Markdown, CSV, JSON. Pure: no files, no terminal.
//!
//! Every figure comes from the one summary, so no two formats can disagree.
//!
//! | file | what lives here |
//! | --- | --- |
//! | [`format`](mod@format), [`units`] | how a number looks |
//! | [`table`] | the skeleton of a table |
//! | [`scenario_table`] | which rows and columns a scenario has, in the long form |
//! | [`pivot`] | the same with the compared values side by side, where there are two |
//! | [`wide`] | the same where there are a few, for scenarios of many comparisons |
//! | [`http`] | both for servers: requests a second and latency |
//! | [`plot`] | pictures, as SVG |
//! | [`bars`] | ratios drawn in characters |
//! | [`heading`] | what stands above and right below the rows |
//! | [`footnotes`] | what does not fit into a cell |
//! | `remark` | what there is to say of cells, once where it is the same |
//! | `standing` | a cell's ratio with interval and verdict, and how to read them |
//! | `facts` | what a result was taken with and on |
//! | `findings`, `absent` | the sentences below a table; one line for a runtime that is not installed |
//! | [`doctor`], [`conformance`] | what was found on a machine, and in a worker |
//! | [`terminal`], [`markdown`], [`csv`], [`json`] | one output format each |
//! | [`document`](mod@document) | `tables.md`: all tables, and what they were taken with |
//! | [`page`] | `report.html`: the same for a browser |
//! | [`listing`] | the index of all results |
//! | [`compare`] | the tables of two results |
//! | [`history`], [`sparkline`] | the tables of all results |

mod absent;
pub mod bars;
pub mod compare;
pub mod conformance;
pub mod csv;
pub mod doctor;
pub mod document;
mod facts;
mod findings;
pub mod footnotes;
pub mod format;
pub mod heading;
pub mod history;
pub mod http;
pub mod json;
pub mod listing;
pub mod markdown;
pub mod page;
pub mod pivot;
pub mod plot;
mod remark;
pub mod scenario_table;
pub mod sparkline;
mod standing;
pub mod table;
pub mod terminal;
pub mod units;
pub mod wide;

pub use document::{document, document_with};
pub use plot::Plots;
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
mod judged_tests;
#[cfg(test)]
mod tests;
