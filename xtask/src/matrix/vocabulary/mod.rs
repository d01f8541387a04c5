//! Every word of the matrix file: each key with its kind, bounds, default and one line of explanation.
//!
//! This is the one source of three things: the parser knows from it which keys exist and what they accept, the JSON
//! Schema ([`super::schema`]) tells editors the same, and the reference `docs/matrix.md` ([`super::reference`]) tells
//! people. The tables themselves are in [`tables`], [`http`], [`operations`] and [`everyday`]; here are the types that they are made of.

pub mod everyday;
pub mod http;
mod kind;
pub mod operations;
pub mod tables;
pub mod words;

pub use kind::Kind;
pub use words::Words;

/// A TOML table that the matrix may contain.
#[derive(Debug)]
pub struct Table {
    /// How it is written, such as `[[batch]]`.
    pub header: &'static str,
    /// What it is, in a sentence or two.
    pub about: &'static str,
    /// Its keys, in the order in which the reference shows them.
    pub keys: &'static [Key],
    /// Keys of which exactly one must be given; none where every key stands for itself.
    pub one_of: &'static [&'static str],
}

impl Table {
    /// The key with this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
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
    /// A parameter, and those that mean nothing beside it.
    pub excludes: &'static [(&'static str, &'static [&'static str])],
}
