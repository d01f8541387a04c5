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
use indicatif::ProgressBar;
pub use log::Log;

use crate::engine::event::Listener;

/// The listener that suits stderr: a bar on a terminal, lines elsewhere; and what keeps it out of the way of a table on
/// stdout. `estimate` is how long the plan should take; it is corrected by what runs really take.
#[must_use]
pub fn new(estimate: Duration) -> (Box<dyn Listener>, Curtain) {
    // A dumb terminal cannot go back to the begin of a line.
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if io::stderr().is_terminal() && !is_dumb {
        let bar = Bar::new(estimate);
        let curtain = bar.curtain();
        (Box::new(bar), curtain)
    } else {
        (Box::new(Log::new(io::stderr())), Curtain::default())
    }
}

/// Takes the bar, where there is one, off the terminal while something else is printed there.
#[derive(Debug, Clone, Default)]
pub struct Curtain(Option<ProgressBar>);

impl Curtain {
    /// Does `print` while no bar is drawn.
    pub fn lifted<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}
