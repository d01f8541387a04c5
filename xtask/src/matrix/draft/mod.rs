//! One combination of values → what its cell does, and which axes apply to it.

mod batch;
mod http;

use batch::BatchDraft;
use http::HttpDraft;

use super::axis::Axes;
use super::plan::Cell;
use super::written::{Dimension, Question, Subject};

pub use http::why_ignored;

/// The settings of a cell while they are collected, with what is not stated at its default.
pub enum Draft<'q> {
    /// Of a `[[batch]]`.
    Batch(BatchDraft<'q>),
    /// Of an `[[http]]`.
    Http(Box<HttpDraft<'q>>),
}

impl<'q> Draft<'q> {
    /// The settings of this combination; `value_of` has the index of the value of each dimension.
    #[must_use]
    pub fn new(question: &'q Question, value_of: &[usize], cores: u32) -> Self {
        let mut draft = match question.subject {
            Subject::Batch => Self::Batch(BatchDraft::new(cores)),
            Subject::Http => Self::Http(Box::new(HttpDraft::new(cores))),
        };
        for (dimension, value) in question.dimensions.iter().zip(value_of) {
            let setting = &dimension.values[*value].setting;
            match &mut draft {
                Self::Batch(draft) => draft.set(setting),
                Self::Http(draft) => draft.set(&dimension.name, setting),
            }
        }
        draft
    }

    /// Whether the cell depends on what this key says. Where it does not, the axis collapses.
    #[must_use]
    pub fn applies(&self, dimension: &Dimension) -> bool {
        let setting = &dimension.values[0].setting;
        match self {
            Self::Batch(draft) => draft.applies(setting),
            Self::Http(draft) => draft.applies(&dimension.name, setting),
        }
    }

    /// The cell, still without its coordinates. `None` where something is missing, which the reader has noted.
    #[must_use]
    pub fn cell(&self) -> Option<Cell> {
        let (runtime, work) = match self {
            Self::Batch(draft) => (draft.runtime(), draft.work()?),
            Self::Http(draft) => (draft.runtime(), draft.work()?),
        };
        Some(Cell { id: String::new(), axes: Axes::new(), runtime: runtime.to_owned(), work })
    }
}
