//! `cargo xtask matrix` as a person runs it: the real program, real worker processes (the fixture), real files.

mod command_support;

use std::fs;
use std::io::Read;
use std::process::Command;

use command_support::{Bench, samples, text};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

#[test]
fn a_run_prints_tables_on_stdout_and_keeps_every_file() {
    let bench = Bench::new(&["good", "as-good"], "runs = 3\nwarmups = 1");
    let output = bench.run(&["--seed", "7"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(stdout.starts_with("s\n"), "{stdout}");
    for part in ["good", "as-good", "median", "ratio", "1.00"] {
        assert!(stdout.contains(part), "{stdout}");
    }
    assert!(!stdout.contains('\u{1b}'), "a pipe gets no colour");
    assert!(stderr.contains("[1/2] s/runtime="), "{stderr}");
    let summary = bench.summary();
    assert_eq!((summary["complete"].as_bool(), summary["schema"].as_u64()), (Some(true), Some(1)));
    let names = ["environment.json", "matrix.toml", "samples.jsonl", "summary.json", "tables.md"];
    assert!(names.iter().all(|name| bench.result().join(name).is_file()));
    assert!(fs::read_to_string(bench.path("results/README.md")).unwrap().contains("tables.md"));
    // 2 cells, 3 rounds, a warm-up and a run each.
    let samples = samples(&bench.result()).unwrap();
    assert_eq!(samples.len(), 12);
    assert_eq!(samples.iter().filter(|sample| sample["warmup"] == true).count(), 6);
    assert_eq!(bench.cell("good")["elapsed_ns"]["values"].as_array().unwrap().len(), 3);
    assert_eq!(fs::read(bench.result().join("matrix.toml")).unwrap(), fs::read(bench.path("m.toml")).unwrap());
}

#[test]
fn the_same_seed_gives_the_same_order() {
    let order = || {
        let bench = Bench::new(&["a", "b", "c", "d"], "runs = 4\nwarmups = 0");
        assert_eq!(bench.run(&["--seed", "3"]).status.code(), Some(0));
        let samples = samples(&bench.result()).unwrap();
        samples.iter().map(|sample| sample["cell"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(order(), order());
}

#[test]
fn json_and_csv_on_stdout_are_data_and_nothing_else() {
    let bench = Bench::new(&["good"], "runs = 1\nwarmups = 0");
    let json: Value = serde_json::from_slice(&bench.run(&["--format", "json"]).stdout).unwrap();
    assert_eq!(json, bench.summary());
    let bench = Bench::new(&["good"], "runs = 1\nwarmups = 0");
    let csv = text(&bench.run(&["--format", "csv"]).stdout);
    let widths: Vec<usize> = csv::Reader::from_reader(csv.as_bytes()).records().map(|row| row.unwrap().len()).collect();
    assert_eq!(widths.len(), 1, "{csv}");
}

#[test]
fn a_cell_that_fails_is_a_row_with_its_reason_and_the_others_are_measured() {
    let bench = Bench::new(&["good", "segfault", "exit-3", "missing", "unsupported"], "runs = 2\nwarmups = 0");
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(bench.cell("good")["status"], "ok");
    let reason = |mode: &str| {
        let cell = bench.cell(mode);
        format!("{}: {}", cell["status"].as_str().unwrap(), cell["reason"].as_str().unwrap())
    };
    assert!(reason("segfault").starts_with("failed: "), "{}", reason("segfault"));
    assert!(reason("segfault").contains("SIGSEGV"), "{}", reason("segfault"));
    assert!(reason("exit-3").contains("status 3"), "{}", reason("exit-3"));
    assert_eq!(bench.cell("exit-3")["stderr_tail"][1], "the reason is here");
    assert!(reason("missing").starts_with("skipped: "), "{}", reason("missing"));
    assert!(reason("missing").contains("apt install missing"), "{}", reason("missing"));
    assert_eq!(reason("unsupported"), "unsupported: the fixture has no such model");
    let tables = fs::read_to_string(bench.result().join("tables.md")).unwrap();
    assert!(tables.contains("the reason is here"), "{tables}");
    bench.assert_nothing_lives();
}

#[test]
fn a_cell_that_computes_something_else_has_failed_wherever_it_ran() {
    // Whatever order the seed gives, two against one decide.
    for seed in ["1", "2", "3", "4"] {
        let bench = Bench::new(&["good", "other-checksum", "as-good"], "runs = 1\nwarmups = 0");
        assert_eq!(bench.run(&["--seed", seed]).status.code(), Some(1));
        assert_eq!((&bench.cell("good")["status"], &bench.cell("as-good")["status"]), (&"ok".into(), &"ok".into()));
        let reason = bench.cell("other-checksum")["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("0000000000000002") && reason.contains("0000000000000001"), "{reason}");
    }
}

#[test]
fn a_smoke_pass_runs_every_cell_once() {
    let bench = Bench::new(&["good", "as-good"], "runs = 9\nwarmups = 9");
    assert_eq!(bench.run(&["--smoke"]).status.code(), Some(0));
    assert_eq!(samples(&bench.result()).unwrap().len(), 2);
}

#[test]
fn the_second_matrix_is_told_who_holds_the_machine_and_since_when() {
    let bench = Bench::new(&["slow"], "runs = 50\nwarmups = 0");
    let mut first = bench.start(&[]);
    bench.wait_for_samples(1);
    let second = bench.run(&[]);
    let said = text(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("process {}", first.id())) && said.contains("since 20"), "{said}");
    kill(Pid::from_raw(first.id().cast_signed()), Signal::SIGINT).unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(130));
    bench.assert_nothing_lives();
}

#[test]
fn an_interrupted_matrix_keeps_and_prints_what_there_is() {
    let bench = Bench::new(&["slow"], "runs = 50\nwarmups = 0");
    let mut child = bench.start(&[]);
    bench.wait_for_samples(2);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(stdout.starts_with("s\n"), "{stdout}");
    assert_eq!(bench.summary()["complete"], false);
    assert!(samples(&bench.result()).unwrap().len() >= 2);
    bench.assert_nothing_lives();
}

#[test]
fn a_killed_matrix_leaves_whole_lines_and_no_worker() {
    let bench = Bench::new(&["slow"], "runs = 50\nwarmups = 0");
    let mut child = bench.start(&[]);
    bench.wait_for_samples(2);
    child.kill().unwrap();
    child.wait().unwrap();
    bench.assert_nothing_lives();
    // Parsed to the last line: reading panics at a torn one.
    assert!(samples(&bench.result()).unwrap().len() >= 2);
}

#[test]
fn a_place_where_nothing_can_be_kept_is_named_before_anything_is_measured() {
    let bench = Bench::new(&["good"], "runs = 1");
    fs::write(bench.path("file"), "").unwrap();
    // Below a regular file not even root can make a folder.
    let out = bench.path("file/results");
    let output = bench.run(&["--out", out.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("nothing has been measured") && said.contains("--out DIR"), "{said}");
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn a_full_disk_ends_the_matrix_and_keeps_the_samples_before_it() {
    let bench = Bench::new(&["good"], "runs = 1000\nwarmups = 0\norder = \"sequential\"");
    let disk = bench.path("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: only root may mount a small disk");
        return;
    }
    let output = bench.run(&["--out", disk.to_str().unwrap()]);
    let result = fs::read_dir(&disk).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let kept = samples(&result).unwrap().len();
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("samples.jsonl") && said.contains("No space left"), "{said}");
    assert!(kept > 10, "{kept}");
    bench.assert_nothing_lives();
}

#[test]
fn a_reader_that_leaves_early_does_not_lose_the_result() {
    let bench = Bench::new(&["good"], "runs = 1\nwarmups = 0");
    let mut child = bench.start(&[]);
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    child.wait().unwrap();
    assert_eq!(bench.summary()["complete"], true, "{stderr}");
}

#[test]
fn a_twin_is_measured_and_is_no_row_and_no_cell() {
    let bench = Bench::new(&["good", "as-good"], "runs = 4\nwarmups = 0");
    let output = bench.run(&["--aa"]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("2 cells in 1 scenario and 1 baseline measured twice, 12 runs with warm-ups"), "{stderr}");
    assert!(stderr.contains("[2/2] s/") && !stderr.contains("#aa"), "{stderr}");
    assert!(!stdout.contains("#aa"), "{stdout}");
    let twins = samples(&bench.result()).unwrap().iter().filter(|sample| sample["cell"] == "s/runtime=good#aa").count();
    assert_eq!(twins, 4);
    let summary = bench.summary();
    assert_eq!(summary["scenarios"][0]["cells"].as_array().unwrap().len(), 2);
    let floor = &summary["scenarios"][0]["comparisons"][0]["floor"];
    assert_eq!((floor["source"].as_str(), floor["pairs"].as_u64()), (Some("measured"), Some(1)));
    assert!(!fs::read_to_string(bench.result().join("tables.md")).unwrap().contains("#aa"));
}

#[test]
fn a_noise_floor_is_measured_where_none_is_known_and_then_remembered() {
    use command_support::AUTOMATIC;
    let bench = Bench::new(&["good", "as-good"], "runs = 4\nwarmups = 0");
    let source = |output: &std::process::Output| {
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        (said.contains("measured twice"), summary["scenarios"][0]["comparisons"][0]["floor"]["source"].clone())
    };
    assert_eq!(source(&bench.run(&["--format", "json", "--quick", AUTOMATIC])), (false, Value::Null));
    assert_eq!(source(&bench.run(&["--format", "json", AUTOMATIC])), (true, "measured".into()));
    assert_eq!(source(&bench.run(&["--format", "json", AUTOMATIC])), (false, "remembered".into()));
    assert_eq!(source(&bench.run(&["--format", "json", "--quick", AUTOMATIC])), (false, "remembered".into()));
    assert_eq!(source(&bench.run(&["--format", "json"])), (false, "remembered".into()));
    assert_eq!(source(&bench.run(&["--format", "json", "--aa"])), (true, "measured".into()));
}

#[test]
fn too_few_runs_for_a_noise_floor_are_told_and_no_and_yes_at_once_is_wrong_usage() {
    let bench = Bench::new(&["good", "as-good"], "runs = 3\nwarmups = 0");
    let output = bench.run(&["--aa"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("1 scenario has fewer than 4 runs") && !said.contains("measured twice"), "{said}");
    assert_eq!(bench.run(&["--aa", "--no-aa"]).status.code(), Some(2));
    assert_eq!(bench.run(&["--aa", "--smoke"]).status.code(), Some(2));
}

#[test]
fn a_twin_that_dies_fails_nobody() {
    let bench = Bench::new(&["exit-3-in-third-run", "good"], "runs = 4\nwarmups = 0\norder = \"sequential\"");
    // The baseline dies in its third run and its twin is of no use; the other cell is measured.
    let output = bench.run(&["--aa"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(bench.cell("good")["status"], "ok");
    assert!(
        samples(&bench.result()).unwrap().iter().all(|sample| sample["cell"] != "s/runtime=exit-3-in-third-run#aa")
    );
}

#[test]
fn a_result_that_somebody_removes_in_the_middle_ends_the_matrix_and_its_tables_are_printed() {
    let bench = Bench::new(&["slow"], "runs = 100\nwarmups = 0");
    let child = bench.start(&[]);
    bench.wait_for_samples(2);
    fs::remove_dir_all(bench.path("results")).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("samples.jsonl") && said.contains("was removed"), "{said}");
    assert!(text(&output.stdout).starts_with("s\n"), "what was measured is shown: {}", text(&output.stdout));
    bench.assert_nothing_lives();
}
