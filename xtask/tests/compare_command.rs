//! `compare` and `history` as a user runs them.

mod results_support;

use std::fs;
use std::process::{Command, Output};

use results_support::{LATER, Results, cell, slow_down};
use serde_json::Value;

const SEQUENTIAL: &str = "cpu-bound/model=sequential,lock=gil";
const THREADS: &str = "cpu-bound/model=threads,lock=none";

fn xtask(results: &Results, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).arg("--results").arg(results.0.path()).current_dir(results.0.path());
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn compared(results: &Results, more: &[&str]) -> Value {
    let output = xtask(results, &[&["compare", "--format", "json"], more].concat());
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn verdict(comparison: &Value, id: &str) -> Value {
    let mut changes = comparison["changes"].as_array().unwrap().iter();
    changes.find(|change| change["cell"] == id).map_or(Value::Null, |change| change["verdict"].clone())
}

fn reasons(comparison: &Value) -> Vec<String> {
    let all = comparison["not_compared"].as_array().unwrap().iter();
    all.map(|it| format!("{}: {}", it["cell"].as_str().unwrap(), it["reason"].as_str().unwrap())).collect()
}

fn two() -> Results {
    let results = Results::new();
    results.add(LATER);
    results
}

#[test]
fn a_cell_that_lost_a_fifth_of_its_speed_is_slower_and_the_others_are_unresolved() {
    let results = two();
    results.edit(LATER, "summary.json", |summary| slow_down(summary, SEQUENTIAL, 1.25));
    let comparison = compared(&results, &[]);
    assert_eq!(verdict(&comparison, SEQUENTIAL), "slower");
    assert_eq!(verdict(&comparison, THREADS), "unresolved");
    let table = text(&xtask(&results, &["compare"]).stdout);
    let first = table.lines().find(|line| line.starts_with("cpu-bound/")).unwrap();
    assert!(first.starts_with(SEQUENTIAL) && first.ends_with("slower"), "the most changed comes first: {first}");
    assert!(first.contains(" -20.0 % "), "{first}");
    assert!(table.contains("1 of 12 cells slower, 0 faster, 11 unresolved; 1 cell not compared.\n"), "{table}");
}

#[test]
fn fail_on_slower_ends_with_3_and_names_the_cells() {
    let results = two();
    results.edit(LATER, "summary.json", |summary| slow_down(summary, SEQUENTIAL, 1.25));
    let output = xtask(&results, &["compare", "--fail-on", "slower:5%"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        text(&output.stderr),
        format!("error: --fail-on: slower by more than 5 %, or no longer measured:\n  {SEQUENTIAL}\n")
    );
    for (condition, code) in [("slower", 3), ("slower:19%", 3), ("slower:21%", 0)] {
        assert_eq!(xtask(&results, &["compare", "--fail-on", condition]).status.code(), Some(code), "{condition}");
    }
    let others = ["compare", "--fail-on", "slower", "--cells", "*lock=none"];
    assert_eq!(xtask(&results, &others).status.code(), Some(0));
    assert_eq!(xtask(&results, &["compare", "--fail-on", "faster"]).status.code(), Some(2));
}

#[test]
fn a_result_beside_itself_proves_nothing_and_passes_no_gate() {
    let results = two();
    let same = "Both names are of one result: nothing can have changed.";
    let path = results.0.path().join(LATER).display().to_string();
    let output = xtask(&results, &["compare", "latest", &path]);
    assert!(text(&output.stdout).contains(same), "{}", text(&output.stdout));
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    let gate = xtask(&results, &["compare", "latest", &path, "--fail-on", "slower"]);
    assert_eq!((gate.status.code(), text(&gate.stderr)), (Some(2), format!("error: --fail-on: {same}\n")));
    assert!(!text(&xtask(&results, &["compare"]).stdout).contains(same));
}

#[test]
fn a_cell_that_failed_in_the_new_result_fails_the_gate_too() {
    let results = two();
    results.edit(LATER, "summary.json", |summary| {
        cell(summary, THREADS)["status"] = "failed".into();
        cell(summary, THREADS)["reason"] = "in round 2: the worker was killed by SIGSEGV.".into();
    });
    let comparison = compared(&results, &[]);
    let expected = format!("{THREADS}: no figures in the new result: in round 2: the worker was killed by SIGSEGV.");
    assert!(reasons(&comparison).contains(&expected), "{:?}", reasons(&comparison));
    assert_eq!(xtask(&results, &["compare", "--fail-on", "slower"]).status.code(), Some(3));
}

#[test]
fn a_baseline_that_failed_on_another_machine_fails_the_gate_though_it_has_no_ratio_of_its_own() {
    let results = two();
    other_machine(&results);
    let gate = ["compare", "--fail-on", "slower"];
    assert_eq!(xtask(&results, &gate).status.code(), Some(0));
    results.edit(LATER, "summary.json", |summary| {
        cell(summary, SEQUENTIAL)["status"] = "failed".into();
        cell(summary, SEQUENTIAL)["reason"] = "in round 1: no answer within 60 s.".into();
    });
    let reasons = reasons(&compared(&results, &[]));
    let expected = format!("{SEQUENTIAL}: no figures in the new result: in round 1: no answer within 60 s.");
    assert_eq!(reasons.iter().filter(|reason| **reason == expected).count(), 1, "{reasons:?}");
    let output = xtask(&results, &gate);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn a_time_and_work_a_second_are_not_held_against_each_other() {
    let results = two();
    // Nobody knows what was asked for: a hand has taken the matrix away and turned a number of tasks into a time.
    fs::remove_file(results.file(LATER, "matrix.toml")).unwrap();
    results.edit(LATER, "summary.json", |summary| cell(summary, THREADS)["axes"]["tasks"] = "330ms".into());
    let expected = format!("{THREADS}: other work: time is compared in one, and work a second in the other");
    let reasons = reasons(&compared(&results, &[]));
    assert!(reasons.contains(&expected), "{reasons:?}");
}

#[test]
fn three_runs_a_side_pass_no_gate_as_nothing_can_be_told_from_them() {
    let results = two();
    for name in [results_support::NAME, LATER] {
        results.edit(name, "summary.json", |summary| {
            for scenario in summary["scenarios"].as_array_mut().unwrap() {
                for cell in scenario["cells"].as_array_mut().unwrap() {
                    for figure in ["elapsed_ns", "throughput_per_s"] {
                        if let Some(values) = cell[figure]["values"].as_array_mut() {
                            values.truncate(3);
                        }
                    }
                }
            }
        });
    }
    // Thrice as slow, and still nobody can tell.
    results.edit(LATER, "summary.json", |summary| slow_down(summary, SEQUENTIAL, 3.0));
    let output = xtask(&results, &["compare", "--fail-on", "slower:5%"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("every cell has too few runs to be told (4 a side are the least"), "{said}");
}

#[test]
fn a_scenario_with_another_name_is_listed_on_both_sides_and_compared_with_nothing() {
    let results = two();
    let path = results.file(LATER, "summary.json");
    let renamed = fs::read_to_string(&path).unwrap().replace("cpu-bound", "cpu-heavy");
    fs::write(&path, renamed).unwrap();
    let matrix = results.file(LATER, "matrix.toml");
    let renamed = fs::read_to_string(&matrix).unwrap().replace("cpu-bound", "cpu-heavy");
    fs::write(&matrix, renamed).unwrap();
    let comparison = compared(&results, &[]);
    assert_eq!(verdict(&comparison, THREADS), Value::Null);
    let reasons = reasons(&comparison);
    for expected in [
        format!("{THREADS}: only the base has it"),
        format!("{}: only the new result has it", THREADS.replace("cpu-bound", "cpu-heavy")),
    ] {
        assert!(reasons.contains(&expected), "{reasons:?}");
    }
}

#[test]
fn a_cell_that_no_matrix_has_is_held_against_its_like_by_the_settings_of_its_scenario() {
    // As those of `--runtime pypy=/usr/bin/pypy3` are: the matrix does not know of them.
    const PYPY: &str = "cpu-bound/model=threads,lock=none,runtime=pypy";
    let results = two();
    for name in [results_support::NAME, LATER] {
        results.edit(name, "summary.json", |summary| {
            let mut pypy = cell(summary, THREADS).clone();
            pypy["id"] = PYPY.into();
            summary["scenarios"][0]["cells"].as_array_mut().unwrap().push(pypy);
        });
    }
    let matrix = results.file(LATER, "matrix.toml");
    let text = fs::read_to_string(&matrix).unwrap();
    fs::write(&matrix, text.replacen("tasks         = 8\n", "tasks         = 16\n", 1)).unwrap();
    results.edit(LATER, "summary.json", |summary| summary["scenarios"][0]["settings"]["tasks"] = 16.into());
    let reasons = reasons(&compared(&results, &[]));
    assert!(reasons.contains(&format!("{PYPY}: other work: tasks 8 → 16")), "{reasons:?}");
}

#[test]
fn the_same_id_with_other_work_is_not_compared_and_says_what_differs() {
    let results = two();
    let matrix = results.file(LATER, "matrix.toml");
    let text = fs::read_to_string(&matrix).unwrap();
    fs::write(&matrix, text.replacen("tasks         = 8\n", "tasks         = 16\n", 1)).unwrap();
    let comparison = compared(&results, &[]);
    let reasons = reasons(&comparison);
    assert!(reasons.contains(&format!("{THREADS}: other work: tasks 8 → 16")), "{reasons:?}");
    assert_eq!(comparison["changes"].as_array().unwrap().len(), 4, "the HTTP cells are what they were");
    let what: Vec<&str> =
        comparison["differences"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["matrix.toml"]);
}

#[test]
fn a_quick_result_is_not_held_against_a_full_one() {
    let results = two();
    results
        .edit(LATER, "environment.json", |environment| environment["command_line"] = vec!["xtask", "--quick"].into());
    let reasons = reasons(&compared(&results, &[]));
    assert!(reasons.contains(&format!("{THREADS}: other work: n 20000000 → 10000000")), "{reasons:?}");
}

fn other_machine(results: &Results) {
    results.edit(LATER, "environment.json", |environment| {
        environment["machine"]["fingerprint"] = "f".repeat(64).into();
        environment["machine"]["cpu_model"] = "Xeon".into();
        environment["machine"]["usable_cpus"] = 4.into();
    });
}

#[test]
fn across_machines_ratios_are_compared_and_times_only_by_force() {
    let results = two();
    other_machine(&results);
    // The whole machine is slower, and so is nothing.
    results.edit(LATER, "summary.json", |summary| {
        for model in ["sequential", "threads", "processes", "async"] {
            for lock in ["gil", "none"] {
                slow_down(summary, &format!("cpu-bound/model={model},lock={lock}"), 3.0);
            }
        }
    });
    let comparison = compared(&results, &[]);
    assert_eq!(comparison["basis"], "ratio");
    assert_eq!(verdict(&comparison, THREADS), "unresolved");
    assert_eq!(verdict(&comparison, SEQUENTIAL), Value::Null, "a baseline has no ratio");
    let differs = |what: &str| {
        let all = comparison["differences"].as_array().unwrap();
        let fact = all.iter().find(|it| it["what"] == what).unwrap();
        format!("{} → {}", fact["base"].as_str().unwrap(), fact["new"].as_str().unwrap())
    };
    assert_eq!((differs("CPU"), differs("usable CPUs")), ("AMD EPYC → Xeon".to_owned(), "2 → 4".to_owned()));
    let forced = compared(&results, &["--force"]);
    assert_eq!((forced["basis"].as_str(), verdict(&forced, THREADS)), (Some("speed"), "slower".into()));
    let notes = forced["notes"].to_string();
    assert!(
        notes.contains("they were measured on different machines; their times are compared because --force"),
        "{notes}"
    );
}

#[test]
fn a_ratio_that_changed_between_machines_is_found() {
    let results = two();
    other_machine(&results);
    results.edit(LATER, "summary.json", |summary| slow_down(summary, THREADS, 1.5));
    let comparison = compared(&results, &[]);
    assert_eq!(verdict(&comparison, THREADS), "slower");
    assert_eq!(verdict(&comparison, "cpu-bound/model=threads,lock=gil"), "unresolved");
}

#[test]
fn a_name_that_is_no_result_is_wrong_usage() {
    let output = xtask(&two(), &["compare", "latest~9", "latest"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: there is no `latest~9`: "), "{}", text(&output.stderr));
    let output = xtask(&two(), &["compare", "--cells", "cpubound"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: the pattern `cpubound` matches no cell; did you mean `cpu-bound`?\n");
}

#[test]
fn csv_has_a_row_for_each_cell_that_was_compared_or_not() {
    let output = xtask(&two(), &["compare", "--format", "csv"]);
    let csv = text(&output.stdout);
    assert_eq!(csv.lines().count(), 1 + 13);
    assert!(
        csv.lines().all(|line| csv::ReaderBuilder::new().from_reader(line.as_bytes()).headers().unwrap().len() == 16)
    );
}

#[test]
fn an_articles_ratios_stand_beside_this_machines() {
    let results = two();
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/published/threads-processes-asyncio");
    let to = results.0.path().join("published/article");
    fs::create_dir_all(&to).unwrap();
    for file in ["summary.json", "source.json"] {
        fs::copy(from.join(file), to.join(file)).unwrap();
    }
    let output = xtask(&results, &["compare", "published/article", "latest"]);
    let table = text(&output.stdout);
    assert!(table.contains("published, 8 cores") && table.contains("new, 2 cores"), "{table}");
    let row = table.lines().find(|line| line.starts_with(THREADS)).unwrap();
    assert!(row.contains(" 3.28 ") && row.contains(" 1.86 ("), "{row}");
    assert!(!table.contains("slower") && !table.contains("http-loops"), "{table}");
    // Nothing has a verdict, so that nobody can say that nothing is slower.
    let gate = xtask(&results, &["compare", "published/article", "latest", "--fail-on", "slower"]);
    assert_eq!(gate.status.code(), Some(2));
    assert_eq!(xtask(&results, &["history"]).status.code(), Some(0), "and it is no part of the history");
}

#[test]
fn history_shows_a_lasting_change_with_its_day() {
    let results = Results::new();
    for day in 1..=11 {
        let name = format!("2026-12-{day:02}T195127Z-e2d56b8");
        results.add(&name);
        results.edit(&name, "summary.json", |summary| {
            let row = &mut summary["scenarios"][0]["comparisons"][1]["rows"][1];
            assert_eq!(row["cell"], THREADS);
            row["ratio"]["value"] = (if day < 6 { 1.86 } else { 1.50 } + f64::from(day) / 1_000.0).into();
        });
    }
    let table = text(&xtask(&results, &["history", "cpu-bound", "--ascii"]).stdout);
    let row = table.lines().find(|line| line.starts_with(THREADS)).unwrap();
    assert!(row.contains("######______"), "{row}");
    assert!(row.ends_with("2026-12-06 19:51:27: 1.86 -> 1.51"), "{row}");
    assert!(table.starts_with("AMD EPYC, 2 cores (e2d56b8)\n12 results, 2026-11-30 19:51:27 to 2026-12-11"), "{table}");
    let csv = text(&xtask(&results, &["history", THREADS, "--format", "csv"]).stdout);
    assert_eq!(csv.lines().count(), 1 + 12);
    let json = xtask(&results, &["history", "--format", "json"]).stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["machines"][0]["results"].as_array().unwrap().len(), 12);
}

#[test]
fn a_history_keeps_machines_apart_and_counts_what_cannot_be_read() {
    const OTHER: &str = "2026-12-02T195127Z-aaaaaaa";
    let results = two();
    for name in [OTHER, "2026-12-03T195127Z-e2d56b8", "2026-12-04T195127Z-e2d56b8", "2026-12-05T195127Z-e2d56b8"] {
        results.add(name);
    }
    // Torn, of a newer version, missing; and one of which only the figures were kept.
    let torn = results.file("2026-12-03T195127Z-e2d56b8", "summary.json");
    let whole = fs::read(&torn).unwrap();
    fs::write(&torn, &whole[..whole.len() / 2]).unwrap();
    results.edit("2026-12-04T195127Z-e2d56b8", "summary.json", |summary| summary["schema"] = 9.into());
    fs::remove_file(results.file("2026-12-05T195127Z-e2d56b8", "summary.json")).unwrap();
    for file in ["samples.jsonl", "matrix.toml", "environment.json"] {
        fs::remove_file(results.file(LATER, file)).unwrap();
    }
    let output = xtask(&results, &["history", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "note: 3 results without a readable summary.json, left out\n");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let machines: Vec<_> = json["machines"].as_array().unwrap().iter().map(|it| &it["results"]).collect();
    assert_eq!(machines, [&Value::from(vec![OTHER]), &vec![results_support::NAME, LATER].into()]);
    assert_eq!(json["machines"][1]["series"][0]["points"].as_array().unwrap().len(), 2);
}

#[test]
fn a_history_without_results_says_how_to_get_one() {
    let results = Results(tempfile::tempdir().unwrap());
    let output = xtask(&results, &["history"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).ends_with("`cargo xtask matrix` makes one\n"), "{}", text(&output.stderr));
}
