//! `results/README.md`: an index of all results, made from the folders that are there.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::de::IgnoredAny;

use super::environment::Environment;
use super::name::{date, newest_first};
use super::scan::values;
use super::tree::Tree;
use super::{atomic, folder};
use crate::stats::summary::Status;

/// The index's file name.
pub const INDEX: &str = "README.md";

/// Writes the index of a folder of results, newest first. What is no result is left aside.
///
/// # Errors
/// The folder cannot be read, or the index not written.
pub fn write(root: &Path) -> anyhow::Result<()> {
    let names = newest_first(Tree::Disk(root.to_owned()).names()?);
    let rows: String = names.iter().filter_map(|name| row(root, name)).collect();
    let text = format!(
        "# Results\n\nOne folder per run of the matrix, newest first. `cargo xtask matrix` writes this list.\n\n\
         | result | machine | CPUs | commit | complete | scenarios | cells |\n\
         | --- | --- | ---: | --- | --- | ---: | --- |\n{rows}"
    );
    atomic::write(&root.join(INDEX), text.as_bytes())
}

/// What the index needs of a summary, picked out of it: with a thousand results it is written in no time. All else, also
/// what a newer version adds, is skipped.
struct Outline {
    complete: bool,
    scenarios: usize,
    statuses: Vec<Status>,
}

impl Outline {
    /// `None` where the text is no summary, or a torn one.
    fn read(path: &Path) -> Option<Self> {
        let json = fs::read(path).ok()?;
        if json.trim_ascii_end().last() != Some(&b'}') {
            return None;
        }
        Some(Self {
            complete: values(&json, "complete").next()??,
            scenarios: values::<IgnoredAny>(&json, "cells").count(),
            // An axis that a matrix calls `status` has other values.
            statuses: values(&json, "status").flatten().collect(),
        })
    }
}

/// The result's row; `None` where the folder holds no sample file.
fn row(root: &Path, name: &str) -> Option<String> {
    let folder = root.join(name);
    if !folder.join(folder::SAMPLES).is_file() {
        return None;
    }
    let outline = Outline::read(&folder.join(folder::SUMMARY));
    let environment = environment(&folder.join(folder::ENVIRONMENT));
    let file = if folder.join(folder::TABLES).is_file() { folder::TABLES } else { folder::SAMPLES };
    let machine = environment.as_ref().and_then(|environment| environment.machine.cpu_model.as_deref());
    let cpus = environment.as_ref().and_then(|environment| environment.machine.usable_cpus);
    let commit = environment.as_ref().and_then(Environment::commit);
    let mut row = String::new();
    let unknown = || "–".to_owned();
    write!(
        row,
        "| [{}]({name}/{file}) | {} | {} | {} |",
        date(name),
        machine.map_or_else(unknown, |model| model.replace('|', r"\|")),
        cpus.map_or_else(unknown, |cpus| cpus.to_string()),
        commit.unwrap_or_else(unknown),
    )
    .ok()?;
    match outline {
        Some(Outline { complete, scenarios, statuses }) => {
            let complete = if complete { "yes" } else { "no" };
            writeln!(row, " {complete} | {scenarios} | {} |", counts(&statuses)).ok()?;
        }
        // Killed before it could sum up, or still running: the samples are there.
        None => row.push_str(" no summary | – | – |\n"),
    }
    Some(row)
}

/// `70 ok, 4 failed`.
fn counts(statuses: &[Status]) -> String {
    let words = [
        (Status::Ok, "ok"),
        (Status::Failed, "failed"),
        (Status::Skipped, "skipped"),
        (Status::Unsupported, "unsupported"),
        (Status::NotRun, "not run"),
    ];
    let count = |status| statuses.iter().filter(|is| **is == status).count();
    let counts: Vec<String> = words
        .into_iter()
        .map(|(status, word)| (count(status), status, word))
        .filter(|(number, status, _)| *number > 0 || *status == Status::Ok)
        .map(|(number, _, word)| format!("{number} {word}"))
        .collect();
    counts.join(", ")
}

fn environment(path: &Path) -> Option<Environment> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

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
    fn results_are_listed_newest_first_and_other_things_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        result(root, "2026-11-29T080000Z-3f9c2a1", &[("samples.jsonl", ""), ("summary.json", "{ torn")]);
        result(
            root,
            "2026-11-30T171522Z-3f9c2a1",
            &[("samples.jsonl", ""), ("summary.json", SUMMARY), ("tables.md", "")],
        );
        result(root, "2026-12-01T000000Z-0000000", &[("notes.txt", "")]);
        result(root, "drafts", &[("samples.jsonl", "")]);
        fs::write(root.join("README.md"), "old").unwrap();
        super::write(root).unwrap();
        expect![[r"
            # Results

            One folder per run of the matrix, newest first. `cargo xtask matrix` writes this list.

            | result | machine | CPUs | commit | complete | scenarios | cells |
            | --- | --- | ---: | --- | --- | ---: | --- |
            | [2026-11-30 17:15:22](2026-11-30T171522Z-3f9c2a1/tables.md) | – | – | – | yes | 2 | 2 ok, 1 failed, 1 skipped |
            | [2026-11-29 08:00:00](2026-11-29T080000Z-3f9c2a1/samples.jsonl) | – | – | – | no summary | – | – |
        "]]
        .assert_eq(&fs::read_to_string(root.join("README.md")).unwrap());
    }

    #[test]
    fn a_thousand_results_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        for minute in 0..1_000 {
            let name = format!("2026-11-{:02}T{:02}{:02}00Z-3f9c2a1", 1 + minute / 600, minute % 600 / 60, minute % 60);
            result(folder.path(), &name, &[("samples.jsonl", ""), ("summary.json", SUMMARY), ("tables.md", "")]);
        }
        super::write(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join("README.md")).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("| [")).count(), 1_000);
    }
}
