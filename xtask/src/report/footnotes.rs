//! What does not fit into a cell: reasons, and the sentences behind flags.

use super::format::superscript;
use super::remark::Remarks;
use super::table::{Cell, Footnote};
use crate::number::counted;
use crate::stats::summary::{CellSummary, Flag, Limit, Status};

/// Collects footnotes. A cell that stands in several rows has one, and cells of which there is the same to say share one.
#[derive(Debug, Default)]
pub struct Footnotes<'a> {
    remarks: Remarks<'a>,
}

impl<'a> Footnotes<'a> {
    /// What the notes column says of a cell: its status or its flags, with the mark of a footnote that says more.
    /// Empty where there is nothing to say; in short only the mark, where the cell has its figures.
    pub fn remark(&mut self, cell: &'a CellSummary) -> Cell {
        let words: Vec<&str> = match cell.status {
            Status::Ok => cell.flags.iter().map(|flag| flag_word(*flag)).collect(),
            status => vec![status_word(status)],
        };
        let Some(index) = self.remarks.add(cell) else { return words.join(", ").into() };
        let text = format!("{} {}", words.join(", "), mark(index)).trim_start().to_owned();
        Cell { text, short: (cell.status == Status::Ok).then(|| mark(index)) }
    }

    /// The footnotes in the order of their marks.
    #[must_use]
    pub fn into_notes(self) -> Vec<Footnote> {
        let footnotes = self.remarks.all().iter().enumerate().map(|(index, (remark, cells))| Footnote {
            mark: mark(index),
            subject: match cells.as_slice() {
                [only] => only.id.clone(),
                several => counted(several.len() as u64, "cell", "cells"),
            },
            text: remark.text(),
            stderr_tail: remark.stderr_tail.to_vec(),
        });
        footnotes.collect()
    }
}

fn mark(index: usize) -> String {
    superscript(index + 1)
}

/// The status as tables show it.
#[must_use]
pub fn status_word(status: Status) -> &'static str {
    status.word()
}

/// What holds a cell back, as tables show it.
#[must_use]
pub fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::Cpu => "cpu",
        Limit::Disk => "disk",
        Limit::Lock => "lock",
        Limit::Peer => "peer",
    }
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
