//! Every word of the matrix file: each key with its kind, bounds, default and one line of explanation.
//!
//! This is the one source of three things: the parser knows from it which keys exist and what they accept, the JSON
//! Schema ([`super::schema`]) tells editors the same, and the reference `docs/matrix.md` ([`super::reference`]) tells
//! people. The tables themselves are in [`tables`]; here are the types that they are made of.

pub mod tables;

use std::time::Duration;

use protocol::{Lock, Model};

use super::number::grouped;

/// A TOML table that the matrix may contain.
#[derive(Debug)]
pub struct Table {
    /// How it is written, such as `[[batch]]`.
    pub header: &'static str,
    /// What it is, in a sentence or two.
    pub about: &'static str,
    /// Its keys, in the order in which the reference shows them.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// The key itself.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// One sentence on what it means.
    pub doc: &'static str,
    /// Whether the table is incomplete without it.
    pub required: bool,
    /// Whether an array of values is an axis of the scenario.
    pub axis: bool,
    /// Whether `quick` may override it.
    pub quick: bool,
    /// What holds where it is left out, in words.
    pub default: Option<&'static str>,
}

impl Key {
    /// An optional key that takes one value.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { name, kind, doc, required: false, axis: false, quick: false, default: None }
    }

    /// The same, required.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same, also accepting an array of values, which makes it an axis. Every axis may be overridden by `quick`.
    #[must_use]
    pub const fn axis(mut self) -> Self {
        self.axis = true;
        self.quick = true;
        self
    }

    /// The same, and `quick` may override it.
    #[must_use]
    pub const fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// The same, with what holds where it is left out.
    #[must_use]
    pub const fn default(mut self, words: &'static str) -> Self {
        self.default = Some(words);
        self
    }
}

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
            Self::Label => "a label in quotes: one word, without any of `,` `=` `/` `*` `?` `[` `]` or quotes".into(),
            Self::Count { min, max } => format!("a whole number from {} to {}", grouped(min), grouped(max)),
            Self::Workers { max } => format!("a whole number from 1 to {}, or \"cores\"", grouped(max)),
            Self::Time { min, max } => {
                format!("a duration from {} to {}, such as \"10ms\"", brief(min), brief(max))
            }
            Self::Word(words) => format!("{} in quotes", words.what()),
            Self::Runtime => "\"rust\" or the name of a [[runtime]]".into(),
            Self::Task => "a table such as { op = \"burn\", cpu = \"10ms\" }".into(),
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

/// A list of words, one of which is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Concurrency models.
    Model,
    /// Interpreter locks.
    Lock,
    /// Orders of runs.
    Order,
}

impl Words {
    /// What the list contains, with its article.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Model => "a model",
            Self::Lock => "a lock",
            Self::Order => "an order",
        }
    }

    /// The words with their explanations.
    #[must_use]
    pub fn all(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Model => Model::ALL.iter().map(|model| (model.name(), tables::model_doc(*model))).collect(),
            Self::Lock => Lock::ALL.iter().map(|lock| (lock.name(), tables::lock_doc(*lock))).collect(),
            Self::Order => tables::ORDERS.iter().map(|(name, _, doc)| (*name, *doc)).collect(),
        }
    }
}

/// An operation: what one step of a task does.
#[derive(Debug)]
pub struct Operation {
    /// Its name, the value of `op`.
    pub name: &'static str,
    /// One sentence on what it does.
    pub doc: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Parameters of which exactly one must be given.
    pub one_of: &'static [&'static str],
}
