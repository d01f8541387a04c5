//! The coordinates of a cell: which value it has on each axis of its scenario.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A value on an axis, as tables and cell ids show it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AxisValue {
    /// A count, such as `workers = 4`.
    Number(u64),
    /// A word, a label or a duration as it was written.
    Text(String),
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.pad(text),
        }
    }
}

impl From<&str> for AxisValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for AxisValue {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

/// Axis name → value, in the order in which the matrix file names the axes. An axis that does not apply to a cell is
/// not in its map.
pub type Axes = IndexMap<String, AxisValue>;

/// An axis of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// Its key.
    pub name: String,
    /// Its values, in the order of the matrix file.
    pub values: Vec<AxisValue>,
}
