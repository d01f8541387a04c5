//! What there is to say of cells in sentences: below the table, each with a link to its cell and back.

use maud::{Markup, html};

use super::anchor;
use super::words::{Words, clean};
use crate::report::footnotes::{flag_word, status_word};
use crate::report::remark::{Remark, Remarks};
use crate::stats::summary::{CellSummary, ScenarioSummary, Status};

/// Cells that one note names; the others are counted.
const NAMED: usize = 12;

/// The notes of a scenario. Cells of which there is the same to say share one.
pub(super) struct Notes<'a> {
    place: String,
    remarks: Remarks<'a>,
}

impl<'a> Notes<'a> {
    pub fn of(scenario: &'a ScenarioSummary) -> Self {
        Self { place: anchor::scenario(&scenario.name), remarks: scenario.cells.iter().collect() }
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
            @if let Some(index) = self.remarks.place(cell) {
                a.mark href=(anchor::to(&self.place(index))) aria-label={ "Note " (index + 1) } { (index + 1) }
            }
        }
    }

    /// All notes; nothing where there is none.
    pub fn list(&self) -> Markup {
        let all = self.remarks.all();
        html! {
            @if !all.is_empty() {
                details.notes open[all.len() <= NAMED] {
                    summary { "Notes (" (all.len()) ")" }
                    ol {
                        @for (index, (remark, cells)) in all.iter().enumerate() {
                            li id=(self.place(index)) { (note(remark, cells)) }
                        }
                    }
                }
            }
        }
    }
}

fn note(remark: &Remark<'_>, cells: &[&CellSummary]) -> Markup {
    let text = remark.text();
    html! {
        @for (index, cell) in cells.iter().take(NAMED).enumerate() {
            @if index > 0 { ", " }
            a href=(anchor::to(&anchor::cell(&cell.id))) { (Words(&cell.id)) }
        }
        @if cells.len() > NAMED { " and " (cells.len() - NAMED) " more" }
        ": "
        @if remark.status == Status::Ok {
            (Words(&text)) "."
        } @else {
            strong { (status_word(remark.status)) } ": " (Words(if text.is_empty() { "no reason is known" } else { &text }))
        }
        @if !remark.stderr_tail.is_empty() {
            p { "The last lines of its stderr:" }
            pre.scroll tabindex="0" role="region" aria-label="stderr" { (clean(&remark.stderr_tail.join("\n"))) }
        }
    }
}
