//! `cargo xtask report` on a copy of the made-up result below `fixtures/result`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/result")
}

/// All files of a folder with their texts.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    entries.map(|entry| (entry.file_name().into_string().unwrap(), text(&entry.path()))).collect()
}

/// A copy of the result's data, without what is made from them.
fn copy(folder: &Path) {
    for (name, text) in files(&fixture()) {
        if !name.ends_with(".svg") && name != "tables.md" && name != "report.html" {
            fs::write(folder.join(name), text).unwrap();
        }
    }
}

fn report(result: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(["report", result]).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn tables_plots_and_page_of_a_result_are_made_again_and_its_data_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    let output = report(folder.path().to_str().unwrap());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("13 plots, tables.md and report.html are in "), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(files(folder.path()), files(&fixture()));
}

#[test]
fn plots_that_are_no_longer_made_are_removed_and_other_files_are_not() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    for name in ["renamed.runs.svg", "logo.svg", "notes.txt"] {
        fs::write(folder.path().join(name), "by hand").unwrap();
    }
    assert_eq!(report(folder.path().to_str().unwrap()).status.code(), Some(0));
    let left = files(folder.path());
    assert!(!left.contains_key("renamed.runs.svg"));
    assert!(left.contains_key("logo.svg") && left.contains_key("notes.txt"));
}

#[test]
fn samples_that_cannot_be_read_cost_the_latencies_only() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    fs::write(folder.path().join("samples.jsonl"), "{\"record\":\"header\",\"schema\":1}\nnonsense\n").unwrap();
    let output = report(folder.path().to_str().unwrap());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("line 2: not a record"), "{}", stderr(&output));
    assert!(stderr(&output).contains("Latencies are not drawn"), "{}", stderr(&output));
    let made = files(folder.path());
    assert!(made.contains_key("http-loops.runs.svg") && !made.contains_key("http-loops.latency.svg"));
}

#[test]
fn a_result_that_was_killed_before_it_had_figures_says_how_to_get_them() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    fs::remove_file(folder.path().join("summary.json")).unwrap();
    let output = report(folder.path().to_str().unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("has no summary.json: "), "{}", stderr(&output));
    assert!(stderr(&output).contains("`cargo xtask matrix --resume` with the same arguments"), "{}", stderr(&output));
}

#[test]
fn a_summary_of_another_version_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    fs::write(folder.path().join("summary.json"), r#"{"schema":9}"#).unwrap();
    let output = report(folder.path().to_str().unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("is of schema 9"), "{}", stderr(&output));
    assert!(!folder.path().join("tables.md").exists() && !folder.path().join("report.html").exists());
}

#[test]
fn a_result_that_is_not_there_is_wrong_usage() {
    let output = report("/nowhere/2026-11-30T171522Z-3f9c2a1");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// A folder with an opener whose script this is, `FOLDER` being the folder.
fn opener(script: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(OPENER);
    let script = script.replace("FOLDER", &folder.path().display().to_string());
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn open(result: &Path, path: &str) -> Output {
    let arguments = ["report", "--open", result.to_str().unwrap()];
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).env("PATH", path).output().unwrap()
}

#[test]
fn the_page_is_opened_with_what_the_desktop_has_for_it() {
    // It writes its argument beside itself.
    let tools = opener("echo \"$1\" > FOLDER/opened.tmp && mv FOLDER/opened.tmp FOLDER/opened");
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    let path = format!("{}:{}", tools.path().display(), std::env::var("PATH").unwrap());
    let output = open(folder.path(), &path);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let opened = tools.path().join("opened");
    for _ in 0..3_000 {
        if opened.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let page = folder.path().canonicalize().unwrap().join("report.html");
    assert_eq!(fs::read_to_string(opened).unwrap().trim(), page.to_str().unwrap());
}

#[test]
fn without_a_browser_the_page_is_named_instead() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    let output = open(folder.path(), "/nowhere");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("note: there is no `"), "{}", stderr(&output));
    assert!(stderr(&output).contains("report.html yourself."), "{}", stderr(&output));
}

#[test]
fn an_opener_that_finds_no_browser_is_not_taken_for_one() {
    let (folder, tools) = (tempfile::tempdir().unwrap(), opener("exit 3"));
    copy(folder.path());
    let path = format!("{}:{}", tools.path().display(), std::env::var("PATH").unwrap());
    let output = open(folder.path(), &path);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let note = format!("note: `{OPENER}` found no browser (exit status: 3); open ");
    assert!(stderr(&output).contains(&note), "{}", stderr(&output));
}
