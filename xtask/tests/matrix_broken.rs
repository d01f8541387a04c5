//! Broken matrix files: each is refused with exit status 2, an empty stdout, and a report on stderr that says where,
//! what was expected and what was probably meant.
//!
//! Every `broken/NAME.toml` has its report beside it in `broken/NAME.stderr`. After a change of wording,
//! `UPDATE_EXPECT=1 cargo test -p xtask --test matrix_broken` writes the reports again; read them as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::{expect, expect_file};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

fn check(folder: &Path, file: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(["check", file]).current_dir(folder).output().expect("xtask starts")
}

/// The report on a file that must be refused.
fn refusal(folder: &Path, file: &str) -> String {
    let output = check(folder, file);
    let report = String::from_utf8(output.stderr).expect("a report is UTF-8");
    assert_eq!(output.status.code(), Some(2), "{file} must be refused; stderr: {report}");
    assert!(output.stdout.is_empty(), "{file}: stdout is for data, a report goes to stderr");
    report
}

fn broken_files() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("the folder of broken files");
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    names
}

#[test]
fn every_broken_file_gets_the_report_beside_it() {
    for file in broken_files() {
        let report = refusal(&folder(), &file);
        expect_file![folder().join(&file).with_extension("stderr")].assert_eq(&report);
    }
}

#[test]
fn every_report_names_the_file_the_line_and_the_column() {
    let files = broken_files();
    assert!(files.len() >= 30, "only {} broken files", files.len());
    for file in files {
        let report = refusal(&folder(), &file);
        let place = report.lines().find_map(|line| line.trim_start().strip_prefix(&format!("--> {file}:")));
        let place = place.unwrap_or_else(|| panic!("{file}: no place in {report}"));
        let numbers: Vec<u32> = place.split(':').map(|number| number.parse().expect("a number")).collect();
        assert_eq!(numbers.len(), 2, "{file}: line and column in {place}");
        assert!(report.contains('^'), "{file}: the text is not marked in {report}");
        assert!(!report.contains(env!("CARGO_MANIFEST_DIR")), "{file}: an absolute path in {report}");
    }
}

#[test]
fn a_missing_file_is_named() {
    expect![[r#"
        error: there is no file `missing.toml`
         |
         = help: the default is `bench-matrix.toml` at the root of the repository
    "#]]
    .assert_eq(&refusal(&folder(), "missing.toml"));
}

#[test]
fn a_directory_is_no_matrix_file() {
    expect![[r#"
        error: `.` is a directory, not a matrix file
         |
         = help: give the file itself, such as `bench-matrix.toml`
    "#]]
    .assert_eq(&refusal(&folder(), "."));
}

#[test]
fn a_file_that_is_far_too_large_is_not_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("large.toml"), vec![b'#'; 5 << 20]).unwrap();
    expect![[r#"
        error: `large.toml` has more than 4 MiB; it is not a matrix file
    "#]]
    .assert_eq(&refusal(folder.path(), "large.toml"));
    #[cfg(target_os = "linux")]
    expect![[r#"
        error: `/dev/zero` has more than 4 MiB; it is not a matrix file
    "#]]
    .assert_eq(&refusal(folder.path(), "/dev/zero"));
}

#[test]
fn a_report_in_a_pipe_has_no_colour() {
    assert!(!refusal(&folder(), "unknown-model.toml").contains('\x1b'));
}
