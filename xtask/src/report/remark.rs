//! What there is to say of a cell in sentences. What is the same for several cells is said once.

use std::collections::HashMap;

use crate::stats::summary::{CellSummary, Status};

/// What there is to say of a cell. Equal for cells of which it is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Remark<'a> {
    pub status: Status,
    /// Why it has no figures, where it has none.
    reason: Option<&'a str>,
    /// What a reader should know of its figures.
    notes: &'a [String],
    /// The last lines of its stderr.
    pub stderr_tail: &'a [String],
}

impl<'a> Remark<'a> {
    /// `None` where there is nothing to say.
    pub fn of(cell: &'a CellSummary) -> Option<Self> {
        let CellSummary { status, stderr_tail, .. } = cell;
        let (reason, notes) = match status {
            Status::Ok => (None, cell.notes.as_slice()),
            _ => (cell.reason.as_deref(), &[][..]),
        };
        let remark = Self { status: *status, reason, notes, stderr_tail };
        (!remark.text().is_empty() || !stderr_tail.is_empty()).then_some(remark)
    }

    /// The sentences, without the lines of stderr.
    pub fn text(&self) -> String {
        self.reason.map_or_else(|| self.notes.join("; "), str::to_owned)
    }
}

/// Cells, gathered by what there is to say of them.
#[derive(Debug, Default)]
pub(super) struct Remarks<'a> {
    remarks: Vec<(Remark<'a>, Vec<&'a CellSummary>)>,
    by_cell: HashMap<&'a str, usize>,
    known: HashMap<Remark<'a>, usize>,
}

impl<'a> Remarks<'a> {
    /// Takes the cell in, and says where its remark stands among all; `None` where there is nothing to say. A cell counts
    /// once, however often it comes.
    pub fn add(&mut self, cell: &'a CellSummary) -> Option<usize> {
        if let Some(known) = self.place(cell) {
            return Some(known);
        }
        let remark = Remark::of(cell)?;
        let index = *self.known.entry(remark).or_insert(self.remarks.len());
        if index == self.remarks.len() {
            self.remarks.push((remark, Vec::new()));
        }
        self.remarks[index].1.push(cell);
        self.by_cell.insert(&cell.id, index);
        Some(index)
    }

    /// Where the remark of a cell stands that was taken in.
    pub fn place(&self, cell: &CellSummary) -> Option<usize> {
        self.by_cell.get(cell.id.as_str()).copied()
    }

    /// All of them with their cells, in the order of the first cell of each.
    pub fn all(&self) -> &[(Remark<'a>, Vec<&'a CellSummary>)] {
        &self.remarks
    }
}

impl<'a> FromIterator<&'a CellSummary> for Remarks<'a> {
    fn from_iter<T: IntoIterator<Item = &'a CellSummary>>(cells: T) -> Self {
        let mut remarks = Self::default();
        for cell in cells {
            remarks.add(cell);
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{failed, measured};
    use super::*;

    #[test]
    fn cells_of_which_there_is_the_same_to_say_are_together() {
        let mut died = failed("d", &[], Status::Failed, "it died.");
        died.stderr_tail = vec!["panicked".to_owned()];
        let incomplete = |id| {
            let mut cell = measured(id, &[], &[1, 2]);
            cell.notes = vec!["interrupted".to_owned()];
            cell
        };
        let cells = [
            failed("a", &[], Status::NotRun, "interrupted"),
            measured("nothing to say", &[], &[1, 2, 3]),
            failed("b", &[], Status::Failed, "it died."),
            failed("c", &[], Status::NotRun, "interrupted"),
            died,
            incomplete("e"),
            failed("f", &[], Status::Skipped, "interrupted"),
            incomplete("g"),
        ];
        let remarks: Remarks<'_> = cells.iter().chain(&cells).collect();
        let ids = |cells: &[&CellSummary]| cells.iter().map(|cell| cell.id.clone()).collect::<Vec<_>>().join(" ");
        let said: Vec<_> = remarks.all().iter().map(|(remark, cells)| (remark.text(), ids(cells))).collect();
        let said: Vec<_> = said.iter().map(|(text, ids)| (text.as_str(), ids.as_str())).collect();
        let expected = [
            ("interrupted", "a c"),
            ("it died.", "b"),
            ("it died.", "d"),
            ("interrupted", "e g"),
            ("interrupted", "f"),
        ];
        assert_eq!(said, expected);
        assert_eq!(remarks.place(&cells[7]), Some(3));
        assert_eq!(remarks.place(&cells[1]), None);
    }
}
