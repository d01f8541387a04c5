//! Keeps `environment.json` up to date while the matrix runs.

use crate::engine::event::{Event, Listener};
use crate::results::ResultFolder;
use crate::results::environment::Environment;

/// Writes the environment down as soon as something is added to it: a run that is resumed goes on with what it says.
pub(super) struct Keeper<'a> {
    pub(super) folder: &'a ResultFolder,
    pub(super) environment: &'a mut Environment,
}

impl Listener for Keeper<'_> {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        let Event::Noted { note } = event else { return Ok(()) };
        self.environment.note(note);
        self.folder.write_environment(self.environment)
    }
}
