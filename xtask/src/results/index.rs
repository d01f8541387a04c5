//! What an index of all results needs of each: read quickly, as there may be a thousand.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::thread;

use super::environment::Environment;
use super::folder;
use super::name::newest_first;
use super::outline::{Outline, outline};
use super::scan::{first, places, values};
use super::tree::Tree;
use crate::stats::summary::{self, Status};

/// A result.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its folder's name.
    pub name: String,
    /// What it was taken with and on, where that can be read.
    pub environment: Option<Environment>,
    /// `None` where it was killed before it could sum up, or still runs: the samples are there.
    pub content: Option<Content>,
    /// What a history needs of it.
    pub outline: Option<Outline>,
    /// Whether it has tables.
    pub has_tables: bool,
    /// Whether it has a page.
    pub has_page: bool,
}

/// What is in a summary, picked out of it. All else, also what a newer version adds, is skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Whether every planned repetition was tried.
    pub complete: bool,
    /// How many scenarios it has.
    pub scenarios: usize,
    /// How its cells ended.
    pub statuses: Vec<Status>,
}

/// All results in a folder of results, newest first. What has no sample file is none.
///
/// # Errors
/// The folder cannot be read.
pub fn entries(root: &Path) -> anyhow::Result<Vec<Entry>> {
    each(root, |name, json| {
        let folder = root.join(name);
        let environment = fs::read(folder.join(folder::ENVIRONMENT)).ok();
        Entry {
            name: name.to_owned(),
            environment: environment.and_then(|json| serde_json::from_slice(&json).ok()),
            content: json.and_then(content),
            outline: json.and_then(|json| outline(json, summary::SCHEMA)),
            has_tables: folder.join(folder::TABLES).is_file(),
            has_page: folder.join(folder::PAGE).is_file(),
        }
    })
}

/// The names of the same results, and what a history needs of them.
///
/// # Errors
/// The folder cannot be read.
pub fn outlines(root: &Path) -> anyhow::Result<Vec<(String, Option<Outline>)>> {
    each(root, |name, json| (name.to_owned(), json.and_then(|json| outline(json, summary::SCHEMA))))
}

/// What `pick` makes of each result's name and the text of its summary, which may be missing. It is done on all cores.
fn each<T: Send>(root: &Path, pick: impl Fn(&str, Option<&[u8]>) -> T + Sync) -> anyhow::Result<Vec<T>> {
    let names = newest_first(Tree::Disk(root.to_owned()).names()?);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = names.len().div_ceil(threads).max(1);
    let read = |names: &[String]| -> Vec<T> {
        // One piece of memory for all files: the kernel clears new memory before it hands it out.
        let mut json = Vec::new();
        // Somebody may keep the figures alone; a run that was killed at once has neither.
        let is_result =
            |name: &&String| [folder::SAMPLES, folder::SUMMARY].iter().any(|file| root.join(name).join(file).is_file());
        let mut picked = |name: &String| {
            json.clear();
            let file = File::open(root.join(name).join(folder::SUMMARY));
            let is_read = file.is_ok_and(|mut file| file.read_to_end(&mut json).is_ok());
            pick(name, is_read.then_some(&json))
        };
        names.iter().filter(is_result).map(&mut picked).collect()
    };
    Ok(thread::scope(|scope| {
        let readers: Vec<_> = names.chunks(share).map(|names| scope.spawn(|| read(names))).collect();
        readers.into_iter().flat_map(|reader| reader.join().expect("reading does not panic")).collect()
    }))
}

/// `None` where the text is no summary, or a torn one.
fn content(json: &[u8]) -> Option<Content> {
    if json.trim_ascii_end().last() != Some(&b'}') {
        return None;
    }
    Some(Content {
        complete: first(json, "complete")?,
        scenarios: places(json, "cells").count(),
        // An axis that a matrix calls `status` has other values.
        statuses: values(json, "status").collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(root: &Path, name: &str, files: &[(&str, &str)]) {
        let folder = root.join(name);
        fs::create_dir(&folder).unwrap();
        for (file, content) in files {
            fs::write(folder.join(file), content).unwrap();
        }
    }

    const SUMMARY: &str = r#"{"schema":1,"complete":true,"new":{"a":[1]},"scenarios":[
        {"cells":[{"status":"ok","id":"a"},{"status":"ok","axes":{"status":"404"}},{"status":"failed"}]},
        {"cells":[{"status":"skipped"}]}]}"#;

    #[test]
    fn results_are_read_newest_first_and_other_things_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        result(root, "2026-11-29T080000Z-3f9c2a1", &[("samples.jsonl", ""), ("summary.json", "{ torn")]);
        let files = [("samples.jsonl", ""), ("summary.json", SUMMARY), ("tables.md", ""), ("report.html", "")];
        result(root, "2026-11-30T171522Z-3f9c2a1", &files);
        result(root, "2026-12-01T000000Z-0000000", &[("notes.txt", "")]);
        result(root, "drafts", &[("samples.jsonl", "")]);
        fs::write(root.join("README.md"), "old").unwrap();
        let entries = entries(root).unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["2026-11-30T171522Z-3f9c2a1", "2026-11-29T080000Z-3f9c2a1"]);
        let statuses = vec![Status::Ok, Status::Ok, Status::Failed, Status::Skipped];
        assert_eq!(entries[0].content, Some(Content { complete: true, scenarios: 2, statuses }));
        assert_eq!((entries[0].has_tables, entries[0].has_page), (true, true));
        assert_eq!((&entries[1].content, &entries[1].outline, entries[1].has_page), (&None, &None, false));
    }
}
