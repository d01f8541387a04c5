//! The matrix as it was written, checked value by value and not yet expanded.

use super::axis::AxisValue;
use super::plan::{Need, Runtime, Schedule};
use super::problem::Span;
use super::setting::Setting;
use super::vocabulary::Key;

/// The file, under one of its two sets of values: the full ones or those of `--quick`.
#[derive(Debug)]
pub struct Matrix {
    /// The scenarios that have no mistake, in the order of the file.
    pub questions: Vec<Question>,
    /// The runtimes.
    pub runtimes: Vec<Runtime>,
}

/// What the cells of a scenario do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// `[[batch]]`: a fixed set of tasks.
    Batch,
    /// `[[http]]`: a server under load.
    Http,
}

/// A scenario.
#[derive(Debug)]
pub struct Question {
    /// What its cells do.
    pub subject: Subject,
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// What it asks.
    pub asks: Option<String>,
    /// Whether set-up time counts as elapsed time.
    pub include_setup: bool,
    /// What its cells need beside what their tasks need.
    pub needs: Vec<Need>,
    /// How often and in which order its cells run.
    pub schedule: Schedule,
    /// Every key that may be an axis and was given, in the order of the file.
    pub dimensions: Vec<Dimension>,
    /// The axes, each alone or zipped with others, in the order of the file. Indices into `dimensions`.
    pub groups: Vec<Vec<usize>>,
    /// What is compared.
    pub compare: Option<Compare>,
    /// What is left out.
    pub excludes: Vec<Exclude>,
}

/// A key that may be an axis, with its values.
#[derive(Debug)]
pub struct Dimension {
    /// What ids and `compare` call it: the key, or the name of one of the `vars`.
    pub name: String,
    /// What the vocabulary says about it.
    pub key: &'static Key,
    /// Where the array of values stands, or the value.
    pub span: Span,
    /// Whether it was given an array.
    pub axis: bool,
    /// The values; not empty.
    pub values: Vec<DimensionValue>,
}

/// One value of a key that may be an axis.
#[derive(Debug)]
pub struct DimensionValue {
    /// Its meaning.
    pub setting: Setting,
    /// How tables and ids show it.
    pub shown: AxisValue,
    /// Whether it was written as a word for a number that this machine decides.
    pub symbolic: bool,
    /// Where it stands.
    pub span: Span,
}

/// The compared axis.
#[derive(Debug)]
pub struct Compare {
    /// Index into [`Question::dimensions`].
    pub dimension: usize,
    /// Where `compare` names it.
    pub span: Span,
    /// The baseline's values on that axis, and where `baseline` names them. Without it the first value is the baseline.
    pub baseline: Option<(Vec<usize>, Span)>,
}

/// Combinations to leave out.
#[derive(Debug)]
pub struct Exclude {
    /// Where it stands.
    pub span: Span,
    /// For each axis that it names (index into [`Question::dimensions`]) the values that match.
    pub matches: Vec<(usize, Vec<usize>)>,
    /// Whether it may match nothing: it was written for the full axes, and `--quick` has others.
    pub lenient: bool,
}
