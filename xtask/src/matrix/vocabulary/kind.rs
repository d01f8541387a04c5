//! What a value of the matrix file may be.

use std::time::Duration;

use super::{Table, Words};
use crate::number::grouped;

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// The version of the format: 1.
    Version,
    /// `true` or `false`.
    Flag,
    /// Any text.
    Text,
    /// A name that ids and file names are made from.
    Name,
    /// A name for a task, less strict than [`Kind::Name`].
    Label,
    /// A whole number between two bounds, both included.
    Count {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// A number of workers, or `"cores"`.
    Workers {
        /// The largest number.
        max: u64,
    },
    /// A time with its unit, between two bounds, both included.
    Time {
        /// The shortest.
        min: Duration,
        /// The longest.
        max: Duration,
    },
    /// One of a list of words.
    Word(Words),
    /// The name of a runtime.
    Runtime,
    /// A table that says what one step of a task does.
    Task,
    /// A table that says something of its own, or an array of such tables with a label each.
    Labelled {
        /// The table.
        table: &'static Table,
        /// How one looks, for reports.
        example: &'static str,
    },
    /// Requests a second, or a share of what the server can do.
    Rate,
    /// What placeholders of a command stand for.
    Vars,
    /// A path, or paths that are used in turn.
    Paths,
    /// A path, or the word `tcp`.
    Ready,
    /// The address of a server that runs already.
    Target,
    /// The method of a request.
    Method,
    /// The name of a header field.
    HeaderName,
    /// A table of header fields.
    Headers,
    /// The name of an axis of the scenario.
    AxisName,
    /// Names of axes to walk together: one group, or an array of groups.
    Zip,
    /// An array of tables, each with values of some axes.
    Exclude,
    /// A value of the compared axis.
    Baseline,
    /// A program and its arguments.
    Command,
    /// A table of texts: environment variables.
    Environment,
    /// The keys of the scenario that `--quick` replaces.
    Quick,
    /// A table.
    Table(&'static Table),
    /// Any number of tables of one kind.
    Tables(&'static Table),
}

impl Kind {
    /// What a value must be, in a word or two, to go after "must be".
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Version | Self::Count { .. } => "a whole number",
            Self::Flag => "`true` or `false`",
            Self::Text => "text",
            Self::Name => "a name",
            Self::Label => "a label",
            Self::Workers { .. } => "a number of workers",
            Self::Time { .. } => "a duration",
            Self::Word(words) => words.what(),
            Self::Runtime => "the name of a runtime",
            Self::AxisName => "the name of an axis",
            Self::Baseline => "a value",
            Self::Zip | Self::Command => "an array",
            Self::Exclude | Self::Tables(_) => "an array of tables",
            Self::Labelled { .. } | Self::Vars | Self::Headers => "a table",
            Self::Rate => "a rate",
            Self::Paths => "a path",
            Self::Ready => "a path or \"tcp\"",
            Self::Target => "an address",
            Self::Method => "a method",
            Self::HeaderName => "the name of a header",
            Self::Task | Self::Environment | Self::Quick | Self::Table(_) => "a table",
        }
    }

    /// What a value must be, in full, to go after "expected".
    #[must_use]
    pub fn expectation(self) -> String {
        match self {
            Self::Version => "the number 1".into(),
            Self::Flag => "`true` or `false`".into(),
            Self::Text => "text in quotes".into(),
            Self::Name => "a name in quotes: letters, digits, `-`, `_` and `.`".into(),
            Self::Label => {
                "a label in quotes: one word, without any of `,` `=` `/` `*` `?` `[` `]` `#` or quotes".into()
            }
            Self::Count { min, max } => format!("a whole number from {} to {}", grouped(min), grouped(max)),
            Self::Workers { max } => format!("a whole number from 1 to {}, or \"cores\"", grouped(max)),
            Self::Time { min, max } => {
                format!("a duration from {} to {}, such as \"10ms\"", brief(min), brief(max))
            }
            Self::Word(words) => format!("{} in quotes", words.what()),
            Self::Runtime => "\"rust\" or the name of a [[runtime]]".into(),
            Self::Task => "a table such as { op = \"burn\", cpu = \"10ms\" }".into(),
            Self::Labelled { example, .. } => format!("a table such as {example}"),
            Self::Rate => {
                "requests a second, above 0 and up to 10,000,000, or a share of the capacity such as \"80%\"".into()
            }
            Self::Vars => "a table such as { threads = [1, 4] }".into(),
            Self::Paths => "a path such as \"/\", or an array of paths".into(),
            Self::Ready => "\"tcp\", or a path that begins with `/`".into(),
            Self::Target => "an address such as \"http://127.0.0.1:8080\"".into(),
            Self::Method => "a method such as \"GET\"".into(),
            Self::HeaderName => "the name of a header such as \"X-Worker\"".into(),
            Self::Headers => "a table of texts such as { Accept = \"text/html\" }".into(),
            Self::AxisName => "the name of an axis in quotes".into(),
            Self::Zip => "an array of axis names, or an array of such arrays".into(),
            Self::Exclude => "an array of tables such as { model = \"threads\", workers = 4 }".into(),
            Self::Baseline => "a value of the compared axis".into(),
            Self::Command => "an array of texts: the program and its arguments".into(),
            Self::Environment => "a table of texts such as { PYTHON_GIL = \"0\" }".into(),
            Self::Quick => "a table such as { tasks = 4 }".into(),
            Self::Table(table) => format!("a table, written {}", table.header),
            Self::Tables(table) => format!("tables, each written {}", table.header),
        }
    }
}

/// A bound of a duration, as a person would write it.
fn brief(duration: Duration) -> String {
    match (duration.as_secs(), duration.subsec_nanos()) {
        (0, 0) => "0s".into(),
        (0, nanos) if nanos % 1_000_000 == 0 => format!("{}ms", nanos / 1_000_000),
        (0, nanos) if nanos % 1000 == 0 => format!("{}us", nanos / 1000),
        (0, nanos) => format!("{nanos}ns"),
        (seconds, 0) if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
        (seconds, _) => format!("{seconds}s"),
    }
}
