//! The twin of a baseline: the same cell measured a second time, as a cell of its own, by an A/A pass.

/// What the id of a twin has behind that of its baseline. No cell's id has a `#` in it.
pub const TWIN_SUFFIX: &str = "#aa";

/// The id under which the twin of a baseline is recorded.
#[must_use]
pub fn twin_id(baseline: &str) -> String {
    format!("{baseline}{TWIN_SUFFIX}")
}
