//! Results of every schema, whole and damaged, are read as far as they can be.

mod results_support;

use std::fs;

use results_support::{NAME, Results, cell, fixture};
use xtask::matrix::pattern::IdPatterns;
use xtask::results::figures::Figures;
use xtask::results::find::find;
use xtask::results::load::{Loaded, load};
use xtask::results::read;
use xtask::stats::compare::compare;

fn loaded(results: &Results) -> Loaded {
    load(&find(results.0.path(), NAME).unwrap()).unwrap()
}

fn error(results: &Results) -> String {
    format!("{:#}", load(&find(results.0.path(), NAME).unwrap()).unwrap_err())
}

fn median(figures: &Figures, id: &str) -> f64 {
    let mut cells = figures.scenarios.iter().flat_map(|scenario| &scenario.cells);
    cells.find(|cell| cell.id == id).unwrap().elapsed_ns.as_ref().unwrap().median
}

const THREADS: &str = "cpu-bound/model=threads,lock=none";

#[test]
fn results_of_the_first_schema_are_read_whole() {
    let folder = fixture();
    let summary = read::summary(&folder.join("summary.json")).unwrap();
    assert_eq!(summary.cells().count(), 13);
    assert_eq!(read::samples(&folder.join("samples.jsonl")).unwrap().records.len(), 90);
    let environment = read::environment(&folder.join("environment.json")).unwrap();
    assert_eq!(environment.machine.usable_cpus, Some(2));
    let loaded = loaded(&Results::new());
    assert_eq!(loaded.notes, [""; 0]);
    assert_eq!(loaded.figures, Figures::from(&summary), "what is picked out is what is there");
    assert!(loaded.plan(Some(2)).is_some(), "its matrix is still a matrix");
}

#[test]
fn a_missing_summary_is_made_again_from_matrix_and_samples() {
    let results = Results::new();
    let before = loaded(&results);
    fs::remove_file(results.file(NAME, "summary.json")).unwrap();
    let again = loaded(&results);
    assert_eq!(median(&again.figures, THREADS), median(&before.figures, THREADS));
    assert_eq!(again.figures.scenarios[0].comparisons.len(), 2);
    assert_eq!(again.figures.started, "2026-11-30T19:51:27Z");
    assert!(!again.figures.complete, "nobody knows whether it was");
    assert_eq!(
        again.notes,
        [
            "`2026-11-30T195127Z-e2d56b8` has no summary.json: the figures are made again from the samples; whether all runs \
             were made is not known."
        ]
    );
}

#[test]
fn a_summary_of_an_interrupted_run_says_so() {
    let results = Results::new();
    results.edit(NAME, "summary.json", |summary| summary["complete"] = false.into());
    assert_eq!(loaded(&results).notes, [format!("`{NAME}` was interrupted: not every run was made.")]);
}

#[test]
fn cells_that_the_matrix_does_not_have_are_named_when_a_summary_is_made_again() {
    let results = Results::new();
    fs::remove_file(results.file(NAME, "summary.json")).unwrap();
    let path = results.file(NAME, "samples.jsonl");
    // As if `--runtime pypy=/usr/bin/pypy3` had been given.
    let pypy = format!("{THREADS},runtime=pypy");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(&format!("\"{THREADS}\""), &format!("\"{pypy}\""))).unwrap();
    let loaded = loaded(&results);
    assert_eq!(loaded.notes[1..], [format!("1 cell with samples is not in matrix.toml and left out: `{pypy}`.")]);
    let path = results.file(NAME, "matrix.toml");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("cpu-bound", "cpu-heavy")).unwrap();
    let notes = self::loaded(&results).notes;
    assert!(notes[1].starts_with("8 cells with samples are not in matrix.toml and left out: `cpu-bound/"), "{notes:?}");
    assert!(notes[1].ends_with("`, …."), "{notes:?}");
}

#[test]
fn a_summary_cut_at_any_place_is_made_again_and_nothing_is_taken_from_it() {
    let results = Results::new();
    let whole = fs::read(results.file(NAME, "summary.json")).unwrap();
    let expected = median(&loaded(&results).figures, THREADS);
    for part in [0, 1, 20, whole.len() / 3, whole.len() - 3] {
        fs::write(results.file(NAME, "summary.json"), &whole[..part]).unwrap();
        let loaded = loaded(&results);
        assert_eq!(median(&loaded.figures, THREADS), expected, "{part}");
        assert!(loaded.notes[0].contains("summary.json` "), "{:?}", loaded.notes);
    }
}

#[test]
fn a_summary_without_samples_is_enough() {
    let results = Results::new();
    fs::remove_file(results.file(NAME, "samples.jsonl")).unwrap();
    fs::remove_file(results.file(NAME, "matrix.toml")).unwrap();
    assert_eq!(loaded(&results).notes, [""; 0]);
}

#[test]
fn without_summary_and_samples_there_is_nothing_and_it_is_said() {
    let results = Results::new();
    fs::write(results.file(NAME, "summary.json"), "{}").unwrap();
    fs::remove_file(results.file(NAME, "samples.jsonl")).unwrap();
    let error = error(&results);
    assert!(error.ends_with("and no samples.jsonl to make it from: there is nothing to compare"), "{error}");
    assert!(error.contains("summary.json` does not say of which schema it is"), "{error}");
}

#[test]
fn without_summary_and_matrix_the_samples_alone_do_not_do() {
    let results = Results::new();
    fs::remove_file(results.file(NAME, "summary.json")).unwrap();
    fs::write(results.file(NAME, "matrix.toml"), "schema = 1\nbatch = 3\n").unwrap();
    let error = error(&results);
    assert!(error.contains("has no summary.json, and no matrix.toml that this version can read"), "{error}");
}

#[test]
fn a_newer_schema_is_refused_with_what_to_do_and_not_made_again() {
    let results = Results::new();
    results.edit(NAME, "summary.json", |summary| summary["schema"] = 2.into());
    let error = error(&results);
    assert!(
        error.ends_with(
            "is of schema 2; this version of Parallax reads up to 1. Use the version that wrote it, or a newer one."
        ),
        "{error}"
    );
}

#[test]
fn an_environment_that_is_missing_or_newer_leaves_the_machine_unknown() {
    let results = Results::new();
    results.edit(NAME, "environment.json", |environment| environment["schema"] = 9.into());
    let notes = loaded(&results).notes;
    assert!(notes[0].contains("environment.json` is of schema 9"), "{notes:?}");
    fs::remove_file(results.file(NAME, "environment.json")).unwrap();
    assert_eq!(loaded(&results).notes, [format!("`{NAME}` has no environment.json: its machine is not known.")]);
}

#[test]
fn figures_that_no_run_can_have_are_left_aside() {
    let results = Results::new();
    results.edit(NAME, "summary.json", |summary| {
        cell(summary, "http-loops/workers=1,lock=none")["throughput_per_s"]["values"][2] = (-1.5).into();
        cell(summary, THREADS)["elapsed_ns"]["median"] = 1.into();
        summary["scenarios"][0]["comparisons"][0]["rows"][1]["ratio"]["value"] = (-2.0).into();
        summary["scenarios"][0]["comparisons"][0]["rows"][2]["ratio"]["low"] = 9.0.into();
        summary["scenarios"][0]["comparisons"][0]["rows"][2]["ratio"]["high"] = (-1.0).into();
    });
    let loaded = loaded(&results);
    assert_eq!(
        loaded.notes,
        [
            format!(
                "`{THREADS}`: its elapsed time says a median of 1, and that of its runs is 47191122, which counts."
            ),
            "`http-loops/workers=1,lock=none`: its throughput has a value of -1.5; the cell is left aside.".to_owned(),
            "`cpu-bound/model=threads,lock=gil`: its ratio is -2, and is left aside.".to_owned(),
            "`cpu-bound/model=processes,lock=gil`: its ratio has an interval from 9 to -1, which is left aside."
                .to_owned(),
        ]
    );
    assert_eq!(median(&loaded.figures, THREADS), 47_191_122.0);
}

#[test]
fn numbers_of_a_wrong_kind_make_the_summary_unreadable_and_it_is_made_again() {
    let results = Results::new();
    let text = fs::read_to_string(results.file(NAME, "summary.json")).unwrap();
    for (from, to) in [("\"median\": 47191122", "\"median\": NaN"), ("\"median\": 47191122", "\"median\": \"47 ms\"")] {
        assert!(text.contains(from));
        fs::write(results.file(NAME, "summary.json"), text.replacen(from, to, 1)).unwrap();
        let loaded = loaded(&results);
        assert_eq!(median(&loaded.figures, THREADS), 47_191_122.0);
        assert!(loaded.notes[0].contains("does not read as one") || loaded.notes[0].contains("does not say"), "{to}");
    }
}

#[test]
fn a_result_compared_with_itself_has_no_change_and_no_difference() {
    let results = Results::new();
    let loaded = loaded(&results);
    let none: [&str; 0] = [];
    let comparison = compare(&loaded, &loaded, &IdPatterns::new(&none).unwrap(), false).unwrap();
    assert!(comparison.changes.iter().all(|change| change.change.value == 1.0));
    assert_eq!((comparison.changes.len(), comparison.not_compared.len(), comparison.differences.len()), (12, 1, 0));
    assert!(
        comparison.not_compared[0].reason.starts_with("an open loop has no speed"),
        "{:?}",
        comparison.not_compared
    );
}
