//! What there is to say of cells in sentences: below the table, each with a link to its cell and back.

use std::collections::HashMap;

use maud::{Markup, html};

use super::anchor;
use super::words::{Words, clean};
use crate::report::footnotes::{flag_word, status_word};
use crate::stats::summary::{CellSummary, ScenarioSummary, Status};

/// Cells that one note names; the others are counted.
const NAMED: usize = 12;

/// The notes of a scenario. Cells that have no figures for the same reason share one.
pub(super) struct Notes<'a> {
    place: String,
    notes: Vec<Note<'a>>,
    by_cell: HashMap<&'a str, usize>,
}

struct Note<'a> {
    cells: Vec<&'a CellSummary>,
}

impl<'a> Notes<'a> {
    pub fn of(scenario: &'a ScenarioSummary) -> Self {
        let mut notes: Vec<Note<'a>> = Vec::new();
        let mut by_cell = HashMap::new();
        let mut shared: HashMap<(&str, Option<&str>, &[String]), usize> = HashMap::new();
        for cell in &scenario.cells {
            let is_ok = cell.status == Status::Ok;
            if is_ok && cell.notes.is_empty() || !is_ok && cell.reason.is_none() && cell.stderr_tail.is_empty() {
                continue;
            }
            let key = (cell.status.word(), cell.reason.as_deref(), cell.stderr_tail.as_slice());
            let known = shared.get(&key).copied().filter(|_| !is_ok);
            let index = known.unwrap_or(notes.len());
            if known.is_none() {
                notes.push(Note { cells: Vec::new() });
                shared.insert(key, index);
            }
            notes[index].cells.push(cell);
            by_cell.insert(cell.id.as_str(), index);
        }
        Self { place: anchor::scenario(&scenario.name), notes, by_cell }
    }

    fn place(&self, index: usize) -> String {
        format!("{}.note-{}", self.place, index + 1)
    }

    /// What the table says of a cell: its status or its flags, and the mark of its note.
    pub fn remark(&self, cell: &CellSummary) -> Markup {
        html! {
            @if cell.status == Status::Ok {
                @for flag in &cell.flags {
                    a.flag href={ "#flag-" (flag_word(*flag)) } { (flag_word(*flag)) } " "
                }
            } @else {
                strong { (status_word(cell.status)) } " "
            }
            @if let Some(index) = self.by_cell.get(cell.id.as_str()) {
                a.mark href=(anchor::to(&self.place(*index))) aria-label={ "Note " (index + 1) } { (index + 1) }
            }
        }
    }

    /// All notes; nothing where there is none.
    pub fn list(&self) -> Markup {
        html! {
            @if !self.notes.is_empty() {
                details.notes open[self.notes.len() <= NAMED] {
                    summary { "Notes (" (self.notes.len()) ")" }
                    ol {
                        @for (index, note) in self.notes.iter().enumerate() {
                            li id=(self.place(index)) { (note.said()) }
                        }
                    }
                }
            }
        }
    }
}

impl Note<'_> {
    fn said(&self) -> Markup {
        let first = self.cells[0];
        html! {
            @for (index, cell) in self.cells.iter().take(NAMED).enumerate() {
                @if index > 0 { ", " }
                a href=(anchor::to(&anchor::cell(&cell.id))) { (Words(&cell.id)) }
            }
            @if self.cells.len() > NAMED { " and " (self.cells.len() - NAMED) " more" }
            ": "
            @if first.status == Status::Ok {
                (Words(&first.notes.join("; "))) "."
            } @else {
                strong { (status_word(first.status)) } ": " (Words(first.reason.as_deref().unwrap_or("no reason is known")))
            }
            @if !first.stderr_tail.is_empty() {
                p { "The last lines of its stderr:" }
                pre.scroll tabindex="0" role="region" aria-label="stderr" { (clean(&first.stderr_tail.join("\n"))) }
            }
        }
    }
}
