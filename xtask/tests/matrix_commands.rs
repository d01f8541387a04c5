//! `check`, `list` and `schema` as a user runs them.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::expect;

const MATRIX: &str = r#"
schema = 1

[[batch]]
name    = "naps"
task    = [{ label = "short", op = "wait", io = "1ms" }, { label = "長い", op = "wait", io = "500ms" }]
tasks   = 4
model   = ["sequential", "async"]
compare = "model"
runs    = 2
quick   = { task = { op = "wait", io = "1ms" } }
"#;

fn folder_with(matrix: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bench-matrix.toml"), matrix).unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn stdout(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), stderr.as_ref()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn check_says_how_much_there_is_to_run() {
    let folder = folder_with(MATRIX);
    expect![[r#"
        bench-matrix.toml: valid: 1 scenario, 4 cells, about 10 s (with --quick about 80 ms)
    "#]]
    .assert_eq(&stdout(folder.path(), &["check"]));
}

#[test]
fn what_the_first_run_of_a_day_takes_longer_is_said_but_for_small_sizes_which_measure_nothing_twice() {
    let folder = folder_with(&MATRIX.replace("runs    = 2", "runs    = 5"));
    let check = stdout(folder.path(), &["check"]);
    expect![[r#"
        bench-matrix.toml: valid: 1 scenario, 4 cells, about 25 s, 45 s the first time in a day (with --quick about 120 ms)
    "#]]
    .assert_eq(&check);
    let list = stdout(folder.path(), &["list"]);
    assert!(list.ends_with(", 40 runs with warm-ups, about 25 s, 45 s the first time in a day\n"), "{list}");
    assert!(!stdout(folder.path(), &["list", "--quick"]).contains("first time"));
}

#[test]
fn the_matrix_is_found_from_a_folder_below() {
    let folder = folder_with(MATRIX);
    let below = folder.path().join("crates/models");
    std::fs::create_dir_all(&below).unwrap();
    let line = stdout(&below, &["check"]);
    assert!(line.starts_with("../../bench-matrix.toml: valid"), "{line}");
}

#[test]
fn list_aligns_cells_with_wide_characters_and_ends_with_the_total() {
    let folder = folder_with(MATRIX);
    expect![[r#"
        cell                              warmups   runs         about
        naps/task=short,model=sequential        2      2         46 ms
        naps/task=short,model=async             2      2         34 ms
        naps/task=長い,model=sequential         2      2         8.0 s
        naps/task=長い,model=async              2      2         2.0 s

        1 scenario, 4 cells, 16 runs with warm-ups, about 10 s
    "#]]
    .assert_eq(&stdout(folder.path(), &["list"]));
}

#[test]
fn list_prints_ids_for_programs() {
    let folder = folder_with(MATRIX);
    expect![[r#"
        naps/task=short,model=async
        naps/task=長い,model=async
    "#]]
    .assert_eq(&stdout(folder.path(), &["list", "--format", "ids", "*model=async"]));
}

#[test]
fn check_and_list_know_http_scenarios() {
    let matrix = r#"
        schema = 1
        [[http]]
        name   = "sweep"
        model  = ["loops", "threads"]
        lock   = "gil"
        cpu    = "1ms"
        load   = { connections = 16, requests = [250, 500] }
        quick  = { load = { connections = 16, requests = 50 } }
        [[http]]
        name   = "mine"
        server = { command = ["puma", "-p", "{port}", "-t", "{threads}"] }
        vars   = { threads = [1, 4] }
        load   = { connections = 16, rate = "80%", duration = "2s" }
    "#;
    let folder = folder_with(matrix);
    let check = stdout(folder.path(), &["check"]);
    assert!(check.starts_with("bench-matrix.toml: valid: 2 scenarios, 6 cells, about "), "{check}");
    expect![[r#"
        cell                              warmups   runs         about
        sweep/model=loops,requests=250          5      5         2.7 s
        sweep/model=loops,requests=500          5      5         5.2 s
        sweep/model=threads,requests=250        5      5         2.7 s
        sweep/model=threads,requests=500        5      5         5.2 s
        mine/threads=1                          5      5          21 s
        mine/threads=4                          5      5          21 s

        2 scenarios, 6 cells, 60 runs with warm-ups, about 58 s
    "#]]
    .assert_eq(&stdout(folder.path(), &["list"]));
}

#[test]
fn a_target_that_is_another_machine_needs_a_flag() {
    let matrix = "schema = 1\n[[http]]\nname = \"far\"\ntarget = \"http://192.0.2.7:80\"\n\
        load = { connections = 1, requests = 1 }\n";
    let folder = folder_with(matrix);
    for command in ["check", "list", "matrix"] {
        let output = run(folder.path(), &[command]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("say so with --allow-remote"),
            "{command}: {output:?}"
        );
    }
    assert!(stdout(folder.path(), &["check", "--allow-remote"]).contains("valid: 1 scenario, 1 cell"));
    assert_eq!(stdout(folder.path(), &["list", "--allow-remote", "--format", "ids"]), "far\n");
}

#[test]
fn list_prints_json_for_programs() {
    let folder = folder_with(MATRIX);
    expect![[r#"
        {
          "cells": [
            {
              "axes": {
                "model": "async"
              },
              "estimate_ns": 34000000,
              "id": "naps/model=async",
              "runs": 2,
              "runtime": "rust",
              "scenario": "naps",
              "warmups": 2
            }
          ],
          "matrix": "bench-matrix.toml",
          "schema": 1,
          "total": {
            "cells": 1,
            "estimate_ns": 34000000,
            "repetitions": 4,
            "scenarios": 1
          }
        }
    "#]]
    .assert_eq(&stdout(folder.path(), &["list", "--quick", "--format", "json", "naps/*async"]));
}

#[test]
fn a_pattern_that_matches_nothing_is_wrong_usage() {
    let folder = folder_with(MATRIX);
    let output = run(folder.path(), &["list", "nap"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    expect![[r#"
        error: the pattern `nap` matches no cell; did you mean `naps`?
    "#]]
    .assert_eq(&String::from_utf8(output.stderr).unwrap());
}

#[test]
fn a_closed_pipe_ends_the_list_quietly() {
    let many: Vec<String> = (1..=5000).map(|workers| workers.to_string()).collect();
    let matrix = MATRIX.replace("tasks   = 4", &format!("tasks = [{}]", many.join(", ")));
    let folder = folder_with(&matrix);
    let mut child = command(folder.path(), &["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("cell"), "{line}");
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_hundred_thousand_cells_are_listed_without_a_wait() {
    let numbers = |to: u32| (1..=to).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    let matrix = MATRIX
        .replace(
            "tasks   = 4",
            &format!("tasks = [{}]\nworkers = [{}]\nlock = [\"none\", \"gil\"]", numbers(50), numbers(100)),
        )
        .replace("[\"sequential\", \"async\"]", "[\"threads\", \"loops\", \"rayon\", \"work-stealing\", \"offload\"]")
        .replace("quick   =", "# quick =");
    let folder = folder_with(&matrix);
    let started = std::time::Instant::now();
    let list = stdout(folder.path(), &["list"]);
    // A second is the goal, on an idle machine; tests share theirs.
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(
        list.ends_with("1 scenario, 100,000 cells, 400,000 runs with warm-ups, about 1 day 14 h\n"),
        "{}",
        &list[list.len() - 100..]
    );
}

#[test]
fn a_full_disk_under_stdout_is_said() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut writable = full.try_clone().unwrap();
    assert!(writable.write_all(b"x").is_err());
    let folder = folder_with(MATRIX);
    let output = command(folder.path(), &["list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: No space left"), "{output:?}");
}

#[test]
fn no_subcommand_is_wrong_usage() {
    let folder = folder_with(MATRIX);
    assert_eq!(run(folder.path(), &[]).status.code(), Some(2));
    assert_eq!(run(folder.path(), &["lits"]).status.code(), Some(2));
}

#[test]
fn help_documents_the_exit_status() {
    let folder = folder_with(MATRIX);
    let help = stdout(folder.path(), &["--help"]);
    for line in ["0    all well", "1    a cell failed", "2    the command line", "130  interrupted"] {
        assert!(help.contains(line), "{line} is not in {help}");
    }
}
