//! Tables in Markdown (GitHub's dialect).

use super::Format;
use super::scenario_table::scenario_table;
use super::table::{Align, Column, Finding, Row, Table};
use crate::stats::summary::Summary;

/// Tables in Markdown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Markdown;

impl Format for Markdown {
    fn render(&self, summary: &Summary) -> String {
        let tables: Vec<String> = summary.scenarios.iter().map(|scenario| table(&scenario_table(scenario))).collect();
        tables.join("\n")
    }
}

/// One table as a section with its heading and footnotes.
#[must_use]
pub fn table(table: &Table) -> String {
    let mut text = format!("## {}\n\n", escape(&table.title));
    if let Some(question) = &table.question {
        text += &format!("{}\n\n", escape(question));
    }
    if !table.settings.is_empty() {
        text += &format!("{}\n\n", escape(&table.settings));
    }
    text += &line(table.columns.iter().map(|column| escape(&column.header)));
    text += &line(table.columns.iter().map(dashes));
    for Row { cells, .. } in table.rows() {
        text += &line(cells.iter().map(|cell| escape(&cell.text)));
    }
    if !table.findings.is_empty() {
        text.push('\n');
    }
    for Finding { about, text: said } in &table.findings {
        text += &match about.as_str() {
            "" => format!("- {}\n", escape(said)),
            about => format!("- **{}**: {}\n", escape(about), escape(said)),
        };
    }
    if let Some(reading) = table.reading() {
        text += &format!("\n{}\n", escape(&reading));
    }
    if !table.footnotes.is_empty() {
        text.push('\n');
    }
    for note in &table.footnotes {
        text += &format!("- {} {}: {}\n", note.mark, code(&note.subject), escape(&note.text));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn dashes(column: &Column) -> String {
    match column.align {
        Align::Left => "---".to_owned(),
        Align::Right => "---:".to_owned(),
    }
}

/// Text that shows as it is, in a paragraph and in a cell: no sign in it starts a markup, a tag or a new cell.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' => escaped.extend(['\\', sign]),
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            sign if sign.is_control() => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// Text in a code span, whatever backticks it has. Not for cells of a table: a `|` in it would end the cell.
#[must_use]
pub fn code(text: &str) -> String {
    let text: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let gap = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// Lines in a code block, whatever backticks they have.
#[must_use]
pub fn code_block(lines: &[String]) -> String {
    let longest = lines.iter().map(|line| longest_run(line, '`')).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let clean = |line: &String| line.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect();
    let lines: Vec<String> = lines.iter().map(clean).collect();
    format!("{fence}text\n{}\n{fence}\n", lines.join("\n"))
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|sign| sign != of).map(str::len).max().unwrap_or(0)
}
