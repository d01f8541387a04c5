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
//! | [`ratio`] | how much faster than the baseline |
//! | [`interval`] | between which values a ratio lies |
//! | [`mann_whitney`] | how likely chance alone is to do that |
//! | [`floor`] | how far apart two equal cells may seem to be |
//! | [`verdict`] | whether a ratio says anything |
//! | [`holm`] | which verdicts stand where there are many |
//! | [`conclusion`] | what a person may conclude from a comparison |
//! | [`simplicity`] | which cells are simpler than others |
//! | [`scaling`] | how cells grow with their workers |
//! | [`settings`] | what all cells of a scenario share, for its table's head |
//! | [`summarise`](mod@summarise) | joins them |
//! | [`compare`] | two results, cell by cell |
//! | [`history`](mod@history) | each cell's ratio over all results |

pub mod cell;
pub mod compare;
pub mod conclusion;
pub mod flags;
pub mod floor;
pub mod histogram;
pub mod history;
pub mod holm;
pub mod http;
pub mod interval;
pub mod mann_whitney;
pub mod ratio;
pub mod records;
pub mod scaling;
pub mod settings;
pub mod simplicity;
pub mod spread;
pub mod summarise;
pub mod summary;
pub mod verdict;
pub mod verify;

pub use floor::KnownFloors;
pub use summarise::{RunTimes, summarise};

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod simulation;
