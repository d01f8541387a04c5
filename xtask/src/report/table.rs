//! The skeleton of a table: what every output format fills in its own way.

use super::bars::Bars;

/// A table, its cells already text.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The scenario's name.
    pub title: String,
    /// What the scenario asks.
    pub question: Option<String>,
    /// Settings that all rows share.
    pub settings: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, in groups that are read together; each has a cell for every column.
    pub groups: Vec<Vec<Row>>,
    /// How to read the columns.
    pub hints: Vec<Hint>,
    /// What may be concluded.
    pub findings: Vec<Finding>,
    /// What did not fit into the cells.
    pub footnotes: Vec<Footnote>,
    /// Ratios as drawings, for terminals.
    pub bars: Bars,
}

/// A sentence below the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which of its rows it is about: what they share; empty where it is about all.
    pub about: String,
    /// The sentence.
    pub text: String,
}

/// How to read a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The column's header. Without the column there is nothing to read.
    pub header: &'static str,
    /// The words.
    pub text: String,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub header: String,
    /// Which side its cells lean to.
    pub align: Align,
    /// 0 is never dropped; where the room does not suffice, the highest goes first.
    pub rank: u8,
    /// Whether its cells are drawings, coloured by verdict where there is colour.
    pub is_bar: bool,
}

/// Which side cells lean to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// What stands in one place of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The whole text.
    pub text: String,
    /// What is left of it where there is little room.
    pub short: Option<String>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, short: None }
    }
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// A cell for every column.
    pub cells: Vec<Cell>,
    /// Whether a figure is missing because something went wrong.
    pub is_failed: bool,
}

/// What did not fit into a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footnote {
    /// The mark in the cell.
    pub mark: String,
    /// What it is about: a cell's id, or how many cells share it.
    pub subject: String,
    /// Sentences.
    pub text: String,
    /// The last lines of the worker's stderr.
    pub stderr_tail: Vec<String>,
}

impl Column {
    /// A column of words.
    #[must_use]
    pub fn left(header: impl Into<String>, rank: u8) -> Self {
        Self { header: header.into(), align: Align::Left, rank, is_bar: false }
    }

    /// A column of numbers.
    #[must_use]
    pub fn right(header: impl Into<String>, rank: u8) -> Self {
        Self { header: header.into(), align: Align::Right, rank, is_bar: false }
    }
}

impl Table {
    /// Puts the drawings, this many characters wide, into a column, if there are any.
    pub fn draw_bars(&mut self, width: usize, ascii: bool) {
        let Some((header, texts)) = self.bars.drawn(width, ascii) else { return };
        let Some(index) = self.columns.iter().position(|column| column.header == self.bars.after) else { return };
        self.columns.insert(index + 1, Column { is_bar: true, ..Column::left(header, 0) });
        let rows = self.groups.iter_mut().flatten();
        for (row, text) in rows.zip(texts.into_iter().chain(std::iter::repeat(String::new()))) {
            row.cells.insert(index + 1, text.into());
        }
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flatten()
    }

    /// How to read the columns that are there, on one line.
    #[must_use]
    pub fn reading(&self) -> Option<String> {
        // `ratio` is also for the columns `ratio threads` and `ratio loops`.
        let is_its = |column: &Column, hint: &Hint| {
            column.header.strip_prefix(hint.header).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let is_there = |hint: &&Hint| self.columns.iter().any(|column| is_its(column, hint));
        let texts: Vec<&str> = self.hints.iter().filter(is_there).map(|hint| hint.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    /// Drops the columns of which `keep` says no.
    pub fn retain_columns(&mut self, keep: impl Fn(&Column) -> bool) {
        let kept: Vec<bool> = self.columns.iter().map(keep).collect();
        self.columns.retain(with(&kept));
        for row in self.groups.iter_mut().flatten() {
            row.cells.retain(with(&kept));
        }
    }

    /// Leaves in the cells what is needed where there is little room.
    pub fn shorten(&mut self) {
        for cell in self.groups.iter_mut().flatten().flat_map(|row| &mut row.cells) {
            if let Some(short) = cell.short.take() {
                cell.text = short;
            }
        }
    }
}

/// For `retain`: keeps what the list says, in its order.
fn with<T>(kept: &[bool]) -> impl FnMut(&T) -> bool {
    let mut kept = kept.iter();
    move |_| kept.next().copied().unwrap_or(true)
}
