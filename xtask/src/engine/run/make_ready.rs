//! Makes a scenario ready before its first cell, and ends what was kept for it after the last.

use super::Walk;
use crate::engine::counting;
use crate::engine::event::{Event, Note};

impl Walk<'_, '_> {
    /// Makes ready what the cells of a scenario need: programs that were not built yet, and numbers that only its own
    /// workers can tell. Nothing is measured meanwhile.
    pub(super) fn begin(&mut self, index: usize) -> anyhow::Result<()> {
        let scenario = self.scenario(index);
        let unbuilt = self.launcher.unbuilt(scenario, self.skip);
        if !unbuilt.is_empty() {
            let names = unbuilt.iter().copied().collect::<Vec<_>>().join(" and ");
            self.emit(&Event::Preparing { what: format!("building {names}, which {} needs", scenario.name) })?;
            for path in self.launcher.build(&unbuilt) {
                self.emit(&Event::Noted { note: &Note::Built { path } })?;
            }
        }
        let mut warnings = Vec::new();
        let subject = counting::Subject { plan: self.plan, scenario, skip: self.skip };
        let warn = &mut |warning| warnings.push(warning);
        let counted = counting::count(&subject, &mut self.calibrations, self.launcher, self.control, warn);
        warnings.into_iter().try_for_each(|message| self.emit(&Event::Warning { message }))?;
        for key in counted {
            if let Some(Ok(number)) = self.calibrations.counts.get(&key).cloned() {
                self.emit(&Event::Noted { note: &Note::Counted { key, number } })?;
            }
        }
        self.tell_notes()
    }

    /// Ends what was kept for a scenario.
    pub(super) fn release(&mut self) -> anyhow::Result<()> {
        self.launcher.release().into_iter().try_for_each(|message| self.emit(&Event::Warning { message }))
    }

    pub(super) fn tell_notes(&mut self) -> anyhow::Result<()> {
        self.launcher.take_notes().iter().try_for_each(|note| self.emit(&Event::Noted { note }))
    }
}
