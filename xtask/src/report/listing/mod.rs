//! `README.md` and `index.html` over all results: which there are, and the history of their headline ratios. Pure.
//!
//! | file | what lives here |
//! | --- | --- |
//! | here | what both show |
//! | `headline` | which ratios are headlines |
//! | `readme` | for a code host |
//! | `html` | for a browser |

mod headline;
mod html;
mod readme;

#[cfg(test)]
mod tests;

pub use html::page;
pub use readme::readme;

use super::format::UNKNOWN;
use crate::results::folder::{PAGE, SAMPLES, TABLES};
use crate::results::index::{Content, Entry};
use crate::stats::history::MachineHistory;
use crate::stats::summary::Status;

/// The results of one machine.
#[derive(Debug, Clone)]
pub struct Machine<'a> {
    /// The first seven digits of its fingerprint.
    pub fingerprint: &'a str,
    /// In a few words.
    pub name: String,
    /// Newest first.
    pub results: Vec<&'a Entry>,
    /// Its ratios, where there are any.
    pub history: Option<&'a MachineHistory>,
}

/// What the histories are of.
const HEADLINES: &str = "A headline ratio is the speed of the fastest cell of a comparison over its baseline: which cell that is, the \
newest result says that has the comparison. Older results of the same machine and the same settings make its history.";

/// Where a result is best read: its tables, or what there is.
fn tables(entry: &Entry) -> String {
    format!("{}/{}", entry.name, if entry.has_tables { TABLES } else { SAMPLES })
}

/// Its page, where there is one.
fn page_of(entry: &Entry) -> Option<String> {
    entry.has_page.then(|| format!("{}/{PAGE}", entry.name))
}

/// Commit, whether it is complete, scenarios and cells, in words.
fn outcome(entry: &Entry) -> [String; 4] {
    let commit = entry.environment.as_ref().and_then(|environment| environment.commit());
    let commit = commit.unwrap_or_else(|| UNKNOWN.to_owned());
    match &entry.content {
        Some(Content { complete, scenarios, statuses }) => {
            [commit, if *complete { "yes" } else { "no" }.to_owned(), scenarios.to_string(), counts(statuses)]
        }
        None => [commit, "no summary".to_owned(), UNKNOWN.to_owned(), UNKNOWN.to_owned()],
    }
}

/// `70 ok, 4 failed`.
fn counts(statuses: &[Status]) -> String {
    let all = [Status::Ok, Status::Failed, Status::Skipped, Status::Unsupported, Status::NotRun];
    let counts = all.into_iter().map(|status| (statuses.iter().filter(|is| **is == status).count(), status));
    let shown = counts.filter(|(number, status)| *number > 0 || *status == Status::Ok);
    shown.map(|(number, status)| format!("{number} {}", status.word())).collect::<Vec<_>>().join(", ")
}
