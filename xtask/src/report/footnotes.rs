//! What does not fit into a cell: reasons, and the sentences behind flags.

use super::format::superscript;
use super::table::{Cell, Footnote};
use crate::stats::summary::{CellSummary, Flag, Status};

/// Collects footnotes. A cell that stands in several rows has one.
#[derive(Debug, Default)]
pub struct Footnotes {
    notes: Vec<Footnote>,
}

impl Footnotes {
    /// What the notes column says of a cell: its status or its flags, with the mark of a footnote that says more.
    /// Empty where there is nothing to say; in short only the mark, where the cell has its figures.
    pub fn remark(&mut self, cell: &CellSummary) -> Cell {
        let words: Vec<&str> = match cell.status {
            Status::Ok => cell.flags.iter().map(|flag| flag_word(*flag)).collect(),
            status => vec![status_word(status)],
        };
        let said =
            if cell.status == Status::Ok { cell.notes.join("; ") } else { cell.reason.clone().unwrap_or_default() };
        if said.is_empty() && cell.stderr_tail.is_empty() {
            return words.join(", ").into();
        }
        let mark = self.mark(cell, said);
        let text = format!("{} {mark}", words.join(", ")).trim_start().to_owned();
        Cell { text, short: (cell.status == Status::Ok).then_some(mark) }
    }

    fn mark(&mut self, cell: &CellSummary, text: String) -> String {
        if let Some(known) = self.notes.iter().find(|note| note.subject == cell.id) {
            return known.mark.clone();
        }
        let mark = superscript(self.notes.len() + 1);
        self.notes.push(Footnote {
            mark: mark.clone(),
            subject: cell.id.clone(),
            text,
            stderr_tail: cell.stderr_tail.clone(),
        });
        mark
    }

    /// The footnotes in the order of their marks.
    #[must_use]
    pub fn into_notes(self) -> Vec<Footnote> {
        self.notes
    }
}

/// The status as tables show it.
#[must_use]
pub fn status_word(status: Status) -> &'static str {
    status.word()
}

/// The flag as tables show it, and as `docs/flags.md` calls it.
#[must_use]
pub fn flag_word(flag: Flag) -> &'static str {
    match flag {
        Flag::BelowResolution => "below-resolution",
        Flag::ClientBound => "client-bound",
        Flag::RateNotMet => "rate-not-met",
        Flag::Errors => "errors",
        Flag::Stragglers => "stragglers",
        Flag::Disturbed => "disturbed",
        Flag::Outlier => "outlier",
        Flag::Skewed => "skewed",
        Flag::Incomplete => "incomplete",
    }
}
