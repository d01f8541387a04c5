//! Finds a result by what a person calls it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::folder::{SAMPLES, SUMMARY};
use super::name::{is_result, newest_first};
use super::tree::Tree;
use crate::matrix::nearest::nearest;

/// The folder of published figures within a folder of results.
pub const PUBLISHED: &str = "published";

/// How results can be named, for help texts.
pub const NAMES: &str = "\
A RESULT is one of
  latest, latest~2              the newest one, the one two before it
  2026-11-30T17                 the beginning of a folder's name in results/, if only one begins so
  published/NAME                figures that somebody else published
  path/to/folder                any folder with the files of a result
  HEAD~3, v0.2, 06e1626         a git revision: the newest result that it has in results/
  HEAD~3:latest~1, v0.2:2026-1  one of those that it has, also as HEAD~3:results/2026-1";

/// A result that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// How it is called in what people read.
    pub name: String,
    /// The folder of results that it is in.
    pub tree: Tree,
    /// Its own folder in there.
    pub folder: String,
}

impl Found {
    /// One of its files; `None` where there is none of this name.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn file(&self, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        self.tree.file(&self.folder, name)
    }

    /// How a person would write the place of one of its files.
    #[must_use]
    pub fn shown(&self, name: &str) -> PathBuf {
        self.tree.shown(&self.folder, name)
    }
}

/// Why no result was found: a sentence or two for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindError(String);

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FindError {}

impl From<anyhow::Error> for FindError {
    fn from(error: anyhow::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

/// Finds a result in `root`, the folder of results; [`NAMES`] says how it may be called.
///
/// # Errors
/// There is none of this name, or more than one.
pub fn find(root: &Path, text: &str) -> Result<Found, FindError> {
    let disk = Tree::Disk(root.to_owned());
    if let Some(name) = text.strip_prefix(PUBLISHED).and_then(|rest| rest.strip_prefix('/')) {
        return published(root, name.trim_end_matches('/'));
    }
    // A folder in the way, such as `docs`, does not hide a branch of that name.
    if let Some(found) = folder(Path::new(text)) {
        return Ok(found);
    }
    if let Some((revision, text)) = text.split_once(':') {
        let tree = Tree::at_revision(root, revision)?;
        let text = tree.name_in(text);
        let text = if text.is_empty() { "latest" } else { text };
        return Ok(called(within(&tree, text)?, |found| format!("{revision}:{}", found.folder)));
    }
    if back(text).is_some() || disk.names()?.iter().any(|name| is_result(name) && name.starts_with(text)) {
        return within(&disk, text);
    }
    if looks_like_a_path(text) {
        return Err(no_result_there(text));
    }
    match Tree::at_revision(root, text) {
        Ok(tree) => Ok(called(within(&tree, "latest")?, |found| format!("{text}:{}", found.folder))),
        Err(_) if Path::new(text).exists() => Err(no_result_there(text)),
        Err(error) => Err(unknown(&disk, text, &error)),
    }
}

fn called(mut found: Found, name: impl Fn(&Found) -> String) -> Found {
    found.name = name(&found);
    found
}

fn published(root: &Path, name: &str) -> Result<Found, FindError> {
    let tree = Tree::Disk(root.join(PUBLISHED));
    let is_there = |name: &str| matches!(tree.file(name, SUMMARY), Ok(Some(_)));
    if is_there(name) && !name.contains(['/', '\\']) && name != ".." {
        return Ok(Found { name: format!("{PUBLISHED}/{name}"), folder: name.to_owned(), tree });
    }
    let mut names: Vec<String> = tree.names()?.into_iter().filter(|name| is_there(name)).collect();
    names.sort();
    let there = match names.as_slice() {
        [] => format!("There is nothing in `{}`.", root.join(PUBLISHED).display()),
        names => format!("There are: {}.", names.join(", ")),
    };
    Err(FindError(format!("nothing is published as `{name}`. {there}")))
}

/// A folder that has a result's files, by its path.
fn folder(path: &Path) -> Option<Found> {
    let has = |name| path.join(name).is_file();
    if !has(SUMMARY) && !has(SAMPLES) {
        return None;
    }
    let full = path.canonicalize().ok()?;
    let name = full.file_name()?.to_string_lossy().into_owned();
    Some(Found { name: name.clone(), tree: Tree::Disk(full.parent()?.to_owned()), folder: name })
}

fn looks_like_a_path(text: &str) -> bool {
    Path::new(text).is_absolute() || text.starts_with('.') || text.ends_with('/') || Path::new(text).is_dir()
}

fn no_result_there(text: &str) -> FindError {
    let path = Path::new(text);
    FindError(match (path.is_dir(), path.exists()) {
        (true, _) => format!("`{text}` is no result: it has neither {SUMMARY} nor {SAMPLES}"),
        (false, true) => format!("`{text}` is a file; name the folder that it is in"),
        (false, false) => format!("there is no folder `{text}`"),
    })
}

/// `latest` → 0, `latest~2` → 2.
fn back(text: &str) -> Option<usize> {
    match text.strip_prefix("latest")? {
        "" => Some(0),
        rest => rest.strip_prefix('~')?.parse().ok(),
    }
}

/// A result of one folder of results, by `latest~N` or the beginning of its name.
fn within(tree: &Tree, text: &str) -> Result<Found, FindError> {
    let found = |folder: &str| Found { name: folder.to_owned(), tree: tree.clone(), folder: folder.to_owned() };
    let names = newest_first(tree.names()?);
    if let Some(back) = back(text) {
        // A run that was killed at once, or has just begun, may have no file yet.
        let mut results = names.iter().map(|name| found(name)).filter(has_figures);
        return results.nth(back).ok_or_else(|| {
            let there = names.iter().map(|name| found(name)).filter(has_figures).count();
            FindError(too_few(tree, text, there))
        });
    }
    let fitting: Vec<&String> = names.iter().filter(|name| name.starts_with(text)).collect();
    match fitting.as_slice() {
        [name] => Ok(found(name)),
        [] => Err(FindError(format!("no result begins with `{text}`. {}", newest(&names)))),
        // The whole name of the first result of a second is the beginning of the second's.
        many if many.iter().any(|name| *name == text) => Ok(found(text)),
        many => {
            let shown: Vec<&str> = many.iter().take(5).map(|name| name.as_str()).collect();
            let more = if many.len() > shown.len() { ", …" } else { "" };
            Err(FindError(format!("{} results begin with `{text}`: {}{more}", many.len(), shown.join(", "))))
        }
    }
}

fn has_figures(found: &Found) -> bool {
    match &found.tree {
        Tree::Disk(root) => {
            let folder = root.join(&found.folder);
            folder.join(SUMMARY).is_file() || folder.join(SAMPLES).is_file()
        }
        // What was committed was finished; asking for each costs a process.
        Tree::Git { .. } => true,
    }
}

fn too_few(tree: &Tree, text: &str, there: usize) -> String {
    let place = match tree {
        Tree::Disk(root) => format!("`{}`", root.display()),
        Tree::Git { commit, path, .. } => format!("`{path}` at {}", commit.chars().take(10).collect::<String>()),
    };
    match there {
        0 => format!("there is no result in {place}. `cargo xtask matrix` makes one"),
        1 => format!("there is no `{text}`: {place} has one result. `cargo xtask matrix` makes another"),
        _ => format!("there is no `{text}`: {place} has {there} results"),
    }
}

fn unknown(disk: &Tree, text: &str, git: &anyhow::Error) -> FindError {
    let names = newest_first(disk.names().unwrap_or_default());
    let words = names.iter().map(String::as_str).chain(["latest"]);
    let hint = match nearest(text, words) {
        Some(meant) => format!("Did you mean `{meant}`?"),
        None => newest(&names),
    };
    FindError(format!("`{text}` is neither a result nor a git revision ({git:#}). {hint}"))
}

fn newest(names: &[String]) -> String {
    match names {
        [] => "There are no results yet.".to_owned(),
        names => {
            let newest: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
            format!("The newest are: {}.", newest.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
