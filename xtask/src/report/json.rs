//! JSON: the summary itself, as `summary.json` has it. `docs/results.md` describes its fields.

use super::Format;
use crate::stats::summary::Summary;

/// The summary itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json;

impl Format for Json {
    fn render(&self, summary: &Summary) -> String {
        summary.to_json()
    }
}
