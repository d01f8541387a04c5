//! Plan and records → [`summary::Summary`]. Pure: no files, no clocks, no processes.
//!
//! | file | what it decides |
//! | --- | --- |
//! | [`records`] | which records count (warm-ups never do), and whether a cell failed |
//! | [`verify`] | whether the cells that do the same work computed the same checksum |
//! | [`spread`] | median, smallest and largest of a cell's runs |
//! | [`cell`] | all figures of one cell |
//! | [`http`] | what only an HTTP cell has |
//! | [`histogram`] | latency histograms of several runs as one, and their percentiles |
//! | [`flags`] | what a reader should know before believing them |
//! | [`limit`] | what holds a cell back |
//! | [`ratio`] | how much faster than the baseline |
//! | [`settings`] | what all cells of a scenario share, for its table's head |
//! | [`summarise`](mod@summarise) | joins them |

pub mod cell;
pub mod flags;
pub mod histogram;
pub mod http;
pub mod limit;
pub mod ratio;
pub mod records;
pub mod settings;
pub mod spread;
pub mod summarise;
pub mod summary;
pub mod verify;

pub use summarise::{RunTimes, summarise};

#[cfg(test)]
pub(crate) mod fixtures;
