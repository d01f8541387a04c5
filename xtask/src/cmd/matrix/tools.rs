//! What a matrix is run with, and what earlier runs may have left where it works.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::engine::binaries::Binaries;
use crate::engine::service::scratch;
use crate::engine::workers::Builder;
use crate::matrix::plan::{Need, Plan, Work};

/// What a matrix is run with.
pub(super) struct Tools {
    /// The workers that are built.
    pub(super) workers: Binaries,
    /// What builds the others.
    pub(super) builder: Option<Builder>,
    /// Where folders are made for tasks that name none.
    pub(super) scratch: PathBuf,
}

/// Where folders are made for tasks that name none: beside what cargo builds, on a disk and not in memory, and nothing
/// that git or a person would look at.
pub(super) fn scratch_folder(workspace: &Path) -> anyhow::Result<PathBuf> {
    let folder = workspace.join("target").join("scratch");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Removes what runs left that were killed, wherever this plan may leave something.
pub(super) fn clear_leftovers(plan: &Plan, scratch: &Path) {
    let mut folders = BTreeSet::from([std::env::temp_dir(), scratch.to_owned()]);
    for cell in plan.scenarios.iter().flat_map(|scenario| &scenario.cells) {
        if let Work::Batch(work) = &cell.work {
            folders.extend(work.task.needs().into_iter().filter_map(|need| match need {
                Need::Folder(folder) => folder,
                _ => None,
            }));
        }
    }
    folders.iter().flat_map(|folder| scratch::clear_leftovers(folder)).for_each(|told| eprintln!("{told}"));
}
