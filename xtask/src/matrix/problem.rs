//! What is wrong with a matrix file, and how it is shown: file, line and column, the text marked, what was expected,
//! and what to write instead.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::nearest::nearest;
use crate::number::counted;

/// Bytes of the file.
pub type Span = Range<usize>;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    message: String,
    /// The marked places; the first is the main one.
    labels: Vec<(Span, String)>,
    help: Vec<String>,
}

impl Problem {
    /// A mistake, in one sentence without a full stop.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), labels: Vec::new(), help: Vec::new() }
    }

    /// Marks a place. The first one is the main place.
    #[must_use]
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Says which word was probably meant; without a guess, which words there are. `what` is their plural.
    #[must_use]
    pub fn did_you_mean<'c>(self, word: &str, what: &str, candidates: impl IntoIterator<Item = &'c str>) -> Self {
        let candidates: Vec<&str> = candidates.into_iter().collect();
        match nearest(word, candidates.iter().copied()) {
            Some(meant) => self.help(format!("did you mean `{meant}`?")),
            None if candidates.is_empty() => self,
            None => self.help(format!("the {what} are {}", list(&candidates))),
        }
    }

    fn start(&self) -> usize {
        self.labels.first().map_or(0, |(span, _)| span.start)
    }

    fn group<'a>(&'a self, file: &'a str, text: &'a str) -> Group<'a> {
        let title = Level::ERROR.primary_title(self.message.as_str());
        let mut group = title.elements(Vec::<Snippet<'_, annotate_snippets::Annotation<'_>>>::new());
        if !self.labels.is_empty() {
            let annotations = self.labels.iter().enumerate().map(|(index, (span, label))| {
                let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                kind.span(first_line(text, span)).label(label.as_str())
            });
            group = group.element(Snippet::source(text).path(file).annotations(annotations));
        }
        group.elements(self.help.iter().map(|help| Level::HELP.message(help.as_str())))
    }
}

/// The part of a span that is on its first line: a mark over many lines hides what it marks.
fn first_line(text: &str, span: &Span) -> Span {
    let start = span.start.min(text.len());
    let marked = &text[start..span.end.clamp(start, text.len())];
    start..start + marked.find(['\n', '\r']).unwrap_or(marked.len())
}

/// Words in backticks with commas and an "and".
#[must_use]
pub fn list(words: &[&str]) -> String {
    const MOST: usize = 24;
    let mut text = String::new();
    for (index, word) in words.iter().take(MOST).enumerate() {
        match index {
            0 => {}
            _ if index + 1 == words.len() => text.push_str(" and "),
            _ => text.push_str(", "),
        }
        let _ = write!(text, "`{word}`");
    }
    if words.len() > MOST {
        let _ = write!(text, " and {} more", words.len() - MOST);
    }
    text
}

/// A text of the file inside a sentence: quoted, control characters escaped, shortened.
#[must_use]
pub fn quote(text: &str) -> String {
    const MOST: usize = 60;
    let shown: String = text.chars().take(MOST).collect();
    let dots = if text.chars().nth(MOST).is_some() { "…" } else { "" };
    format!("\"{}{dots}\"", shown.escape_debug())
}

/// Mistakes as they are found. The same mistake found twice is one.
#[derive(Debug, Default)]
pub struct Problems {
    found: Vec<Problem>,
}

impl Problems {
    /// Takes note of a mistake.
    pub fn push(&mut self, problem: Problem) {
        if !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The mistakes in the order of the file, as a report on it.
    #[must_use]
    pub fn into_report(mut self, file: &Path, text: String) -> Report {
        self.found.sort_by_key(Problem::start);
        Report { file: file.to_owned(), text, problems: self.found }
    }
}

/// Everything that is wrong with one matrix file.
#[derive(Debug)]
pub struct Report {
    file: PathBuf,
    text: String,
    problems: Vec<Problem>,
}

impl Report {
    /// The mistakes that a report shows; the rest is counted.
    const SHOWN: usize = 20;

    /// The report as text for a terminal or a log, with its last line feed.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let file = self.file.display().to_string();
        let mut text = String::new();
        for problem in self.problems.iter().take(Self::SHOWN) {
            text.push_str(&renderer.render(&[problem.group(&file, &self.text)]));
            text.push_str("\n\n");
        }
        let count = self.problems.len();
        if count == 1 {
            text.truncate(text.len() - 1);
        } else {
            let _ = write!(text, "{file}: {}", counted(count as u64, "mistake", "mistakes"));
            if count > Self::SHOWN {
                let _ = write!(text, ", of which the first {} are shown", Self::SHOWN);
            }
            text.push('\n');
        }
        text
    }
}

/// The report in plain text.
impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

impl std::error::Error for Report {}
