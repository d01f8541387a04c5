//! Tables for a terminal: as wide as its window, aligned by display width.

use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::peaker::Priority;
use tabled::settings::style::HorizontalLine;
use tabled::settings::themes::Theme;
use tabled::settings::{Alignment, Padding, Style, Width};
use unicode_width::UnicodeWidthStr;

use super::Format;
use super::scenario_table::scenario_table;
use super::table::{Align, Cell, Column, Finding, Table};
use crate::stats::summary::{Summary, Verdict};

/// Characters of a ratio's drawing, from where there is much room to where there is little.
const BAR_WIDTHS: [usize; 3] = [25, 17, 11];

/// Spaces between two columns.
const GAP: usize = 2;

/// Tables for a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Columns of the window; `None` where it has no end, as in a pipe.
    pub width: Option<usize>,
    /// Whether to mark headings and failures with colour.
    pub colour: bool,
    /// Whether to keep to ASCII in what is not quoted from the matrix.
    pub ascii: bool,
}

impl Format for Terminal {
    fn render(&self, summary: &Summary) -> String {
        let tables: Vec<String> =
            summary.scenarios.iter().map(|scenario| self.table(&scenario_table(scenario))).collect();
        tables.join("\n")
    }
}

impl Terminal {
    /// One table with its heading and footnotes.
    #[must_use]
    pub fn table(&self, table: &Table) -> String {
        let whole = in_signs(table, |text| self.signs(text));
        let table = self.fit(whole.clone());
        let mut text = self.bold(&table.title) + "\n";
        for line in table.question.iter().chain([&table.settings]).filter(|line| !line.is_empty()) {
            text += &self.wrapped(line, "", "");
        }
        text += "\n";
        text += &self.body(&table);
        let reading = table.reading();
        let left_out = left_out(&whole, &table);
        if !table.findings.is_empty() {
            text += "\n";
        }
        for Finding { about, text: said } in &table.findings {
            let said = if about.is_empty() { said.clone() } else { format!("{about}: {said}") };
            text += &self.wrapped(&said, "", "  ");
        }
        if reading.is_some() || left_out.is_some() || !table.footnotes.is_empty() {
            text += "\n";
        }
        for line in reading.iter().chain(&left_out) {
            text += &self.wrapped(line, "", "");
        }
        for note in &table.footnotes {
            text += &self.wrapped(&format!("{} {}: {}", note.mark, note.subject, note.text), "", "  ");
        }
        text
    }

    /// A text in the signs that this terminal may be shown.
    #[must_use]
    pub fn signs(&self, text: &str) -> String {
        if self.ascii { ascii(text) } else { printable(text) }
    }

    /// Drops columns by rank until the table fits, and at last what cells can do without.
    fn fit(&self, mut table: Table) -> Table {
        let Some(room) = self.width else { return table };
        let most = table.columns.iter().map(|column| column.rank).max().unwrap_or(0);
        for rank in (1..=most).rev() {
            if width(&table) <= room {
                break;
            }
            table.retain_columns(|column| column.rank < rank);
        }
        if width(&table) > room {
            table.shorten();
        }
        self.with_bars(table, room)
    }

    /// Draws the ratios as wide as there is room beside what has to be there. A file of text, which has no width, has none.
    fn with_bars(&self, table: Table, room: usize) -> Table {
        for bar in BAR_WIDTHS {
            let mut drawn = table.clone();
            drawn.draw_bars(bar, self.ascii);
            if width(&drawn) <= room {
                return drawn;
            }
        }
        table
    }

    fn body(&self, table: &Table) -> String {
        let mut builder = Builder::default();
        let bold = |header: &str| self.bold(header);
        builder.push_record(table.columns.iter().map(|column| bold(&column.header)));
        let mut breaks = vec![1];
        let mut bars = table.bars.rows.iter();
        for group in &table.groups {
            for row in group {
                let verdict = bars.next().and_then(Option::as_ref).and_then(|bar| bar.verdict);
                let text = |(cell, column): (&Cell, &Column)| match (row.is_failed, column.is_bar) {
                    (_, true) => self.in_colour(&cell.text, verdict),
                    (true, false) => self.red(&cell.text),
                    (false, false) => self.by_sign(&cell.text),
                };
                builder.push_record(row.cells.iter().zip(&table.columns).map(text));
            }
            breaks.push(breaks[breaks.len() - 1] + group.len());
        }
        breaks.pop();

        let mut theme = Theme::from_style(Style::empty());
        let line = if self.ascii { '-' } else { '─' };
        for row in breaks {
            theme.insert_horizontal_line(row, HorizontalLine::new(line).intersection(line));
        }
        let mut drawn = builder.build();
        drawn.with(theme).with(Padding::new(0, GAP, 0, 0)).modify(Columns::last(), Padding::zero());
        for (index, _) in table.columns.iter().enumerate().filter(|(_, column)| column.align == Align::Right) {
            drawn.modify(Columns::one(index), Alignment::right());
        }
        drawn.modify(Rows::first(), Alignment::bottom());
        if let Some(room) = self.width.filter(|&room| width(table) > room) {
            drawn.with(Width::wrap(room).keep_words(true).priority(Priority::max(true)));
        }
        let text = drawn.to_string();
        text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// A paragraph, wrapped to the window.
    pub(super) fn wrapped(&self, text: &str, first: &str, next: &str) -> String {
        wrap(text, self.width.unwrap_or(usize::MAX), first, next)
    }

    pub(super) fn bold(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// A ratio in the colour of the sign behind it.
    fn by_sign(&self, text: &str) -> String {
        match text.chars().last() {
            Some('▲') => self.in_colour(text, Some(Verdict::Faster)),
            Some('▼') => self.in_colour(text, Some(Verdict::Slower)),
            _ => text.to_owned(),
        }
    }

    /// Blue is faster, yellow slower: nearly everybody tells the two apart. What is not resolved steps back.
    fn in_colour(&self, text: &str, verdict: Option<Verdict>) -> String {
        let colour = match verdict {
            Some(Verdict::Faster) => 36,
            Some(Verdict::Slower) => 33,
            Some(Verdict::Unresolved) => 2,
            Some(Verdict::Baseline) | None => return text.to_owned(),
        };
        if self.colour && !text.trim().is_empty() {
            format!("\u{1b}[{colour}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    pub(super) fn red(&self, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\u{1b}[31m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Names the columns for which there was no room: nobody misses what they never saw.
fn left_out(whole: &Table, fitted: &Table) -> Option<String> {
    let is_there = |column: &&Column| fitted.columns.iter().any(|kept| kept.header == column.header);
    let headers: Vec<&str> =
        whole.columns.iter().filter(|column| !is_there(column)).map(|column| column.header.as_str()).collect();
    (!headers.is_empty()).then(|| format!("left out, as the window is narrow: {}", headers.join(", ")))
}

/// Width of the drawn table.
fn width(table: &Table) -> usize {
    let columns = (0..table.columns.len()).map(|index| {
        let cells = table.rows().map(|row| row.cells[index].text.width());
        cells.chain([table.columns[index].header.width()]).max().unwrap_or(0)
    });
    columns.sum::<usize>() + GAP * table.columns.len().saturating_sub(1)
}

/// Breaks a text between words so that no line is wider than `room`, save for a word that is. Lines begin with `first`
/// and `next`. Chinese and Japanese, which have no spaces, break between any two signs.
#[must_use]
pub fn wrap(text: &str, room: usize, first: &str, next: &str) -> String {
    let mut lines = vec![first.to_owned()];
    let mut is_empty = true;
    for word in text.split_whitespace() {
        for (index, part) in parts(word).into_iter().enumerate() {
            let gap = if is_empty || index > 0 { "" } else { " " };
            let line = &lines[lines.len() - 1];
            if !is_empty && line.width() + gap.len() + part.width() > room {
                lines.push(next.to_owned());
                is_empty = true;
            }
            let last = lines.len() - 1;
            if !is_empty {
                lines[last] += gap;
            }
            lines[last] += part;
            is_empty = false;
        }
    }
    lines.join("\n") + "\n"
}

/// A word, cut before each sign of a script that has no spaces. What closes, such as `。`, stays with the sign before it.
fn parts(word: &str) -> Vec<&str> {
    let mut ends: Vec<usize> = word
        .char_indices()
        .filter(
            |(_, sign)| matches!(sign, '\u{3041}'..='\u{30fa}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}'),
        )
        .map(|(index, _)| index)
        .filter(|index| *index > 0)
        .collect();
    ends.push(word.len());
    let mut start = 0;
    ends.into_iter().map(|end| &word[std::mem::replace(&mut start, end)..end]).collect()
}

/// The table with all texts passed through `clean`.
fn in_signs(table: &Table, clean: impl Fn(&str) -> String) -> Table {
    let mut table = table.clone();
    let heads = [&mut table.title, &mut table.settings].into_iter();
    let heads = heads.chain(&mut table.question).chain(table.hints.iter_mut().map(|hint| &mut hint.text));
    let cells = table.groups.iter_mut().flatten().flat_map(|row| &mut row.cells);
    let cells = cells.flat_map(|cell| [Some(&mut cell.text), cell.short.as_mut()]).flatten();
    let headers = table.columns.iter_mut().map(|column| &mut column.header);
    let notes = table.footnotes.iter_mut().flat_map(|note| [&mut note.mark, &mut note.subject, &mut note.text]);
    let findings = table.findings.iter_mut().flat_map(|finding| [&mut finding.about, &mut finding.text]);
    heads.chain(cells).chain(headers).chain(findings).chain(notes).for_each(|text| *text = clean(text));
    table
}

/// The text on one line, without what could steer the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

/// The same with our own signs replaced. What the matrix or a worker says beyond ASCII stays as it is.
fn ascii(text: &str) -> String {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let mut plain = String::with_capacity(text.len());
    let mut in_mark = false;
    // Not a footnote's mark.
    for sign in text.replace("R²", "R2").chars() {
        let digit = RAISED.chars().position(|raised| raised == sign);
        if digit.is_some() != in_mark {
            plain.push(if in_mark { ']' } else { '[' });
            in_mark = !in_mark;
        }
        match sign {
            _ if digit.is_some() => plain += &digit.unwrap_or(0).to_string(),
            '–' => plain.push('-'),
            '→' => plain += "->",
            'µ' => plain.push('u'),
            '×' => plain.push('x'),
            '≥' => plain += ">=",
            '≤' => plain += "<=",
            '·' => plain.push(';'),
            '▲' => plain.push('^'),
            '▼' => plain.push('v'),
            other if other.is_control() => plain.push(' '),
            other => plain.push(other),
        }
    }
    if in_mark {
        plain.push(']');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_spaces_breaks_between_signs() {
        let text = wrap("八個計算密集型任務：哪個模型最快。 a-name/model=threads", 16, "", "  ");
        assert_eq!(text, "八個計算密集型任\n  務：哪個模型最\n  快。\n  a-name/model=threads\n");
    }
}
