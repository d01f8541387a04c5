//! What a person sees while the matrix runs: listeners that write to stderr, and nowhere else.
//!
//! | file | what lives here |
//! | --- | --- |
//! | [`bar`] | a line with a bar at the foot of a terminal |
//! | [`log`] | a line for each finished cell, for pipes and CI |
//! | [`tally`] | which cells are finished, and what to say of them |
//! | [`eta`] | how long the rest will take |

pub mod bar;
pub mod eta;
pub mod log;
pub mod tally;

use std::io::{self, IsTerminal};
use std::time::Duration;

pub use bar::Bar;
pub use log::Log;

use crate::engine::event::Listener;

/// The listener that suits stderr: a bar on a terminal, lines elsewhere. `estimate` is how long the plan should take;
/// it is corrected by what runs really take.
#[must_use]
pub fn new(estimate: Duration) -> Box<dyn Listener> {
    // A dumb terminal cannot go back to the begin of a line.
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if io::stderr().is_terminal() && !is_dumb { Box::new(Bar::new(estimate)) } else { Box::new(Log::new(io::stderr())) }
}
