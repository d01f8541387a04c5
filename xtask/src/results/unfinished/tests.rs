//! Interrupted results made by hand.

use super::*;

const TEXT: &str = "schema = 1\n[[batch]]\nname = \"s\"\ntask = { op = \"burn\", iterations = 10 }\ntasks = 2\n\
                    model = [\"sequential\", \"threads\"]\nworkers = 2\ncompare = \"model\"\nruns = 3\n";

fn load() -> LoadOptions {
    LoadOptions { quick: false, cores: 2, allow_remote: false }
}

fn plan(text: &str, options: &RunOptions) -> Plan {
    narrowed(matrix::parse(Path::new("m.toml"), text.to_owned(), &load()).unwrap(), options).unwrap()
}

/// A result of this text and these options, complete or not, or killed before it had a summary.
fn result(root: &Path, name: &str, options: &RunOptions, complete: Option<bool>) {
    use crate::results::environment::Setting;
    let folder = root.join(name);
    fs::create_dir(&folder).unwrap();
    let setting = Setting { workspace: root, results: root, seed: 7, profile: "release", workers: &[] };
    let mut environment = Environment::capture(&setting);
    environment.machine.usable_cpus = Some(2);
    environment.options = Some(options.clone());
    fs::write(folder.join(ENVIRONMENT), environment.to_json()).unwrap();
    fs::write(folder.join(MATRIX), TEXT).unwrap();
    fs::write(folder.join(SAMPLES), "{\"record\":\"header\",\"schema\":1}\n").unwrap();
    if let Some(complete) = complete {
        fs::write(folder.join(SUMMARY), format!("{{\"schema\":1,\"complete\":{complete}}}")).unwrap();
    }
}

const OLD: &str = "2026-11-29T080000Z-3f9c2a1";
const MIDDLE: &str = "2026-11-29T090000Z-3f9c2a1";
const NEW: &str = "2026-11-30T171522Z-3f9c2a1";

fn nothing() -> RunOptions {
    RunOptions::default()
}

#[test]
fn the_newest_unfinished_result_of_the_same_plan_goes_on() {
    let root = tempfile::tempdir().unwrap();
    result(root.path(), OLD, &nothing(), None);
    result(root.path(), MIDDLE, &nothing(), None);
    result(root.path(), NEW, &nothing(), Some(true));
    let Search::Found(found) = search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap() else { panic!() };
    assert_eq!(found.folder.path(), root.path().join(MIDDLE));
    assert_eq!(humantime::format_rfc3339(found.started).to_string(), "2026-11-29T09:00:00Z");
}

#[test]
fn one_of_another_plan_in_between_is_passed_over() {
    let root = tempfile::tempdir().unwrap();
    result(root.path(), OLD, &nothing(), None);
    result(root.path(), NEW, &RunOptions { runs: Some(9), ..nothing() }, None);
    let Search::Found(found) = search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap() else { panic!() };
    assert_eq!(found.folder.path(), root.path().join(OLD));
}

#[test]
fn what_differs_from_the_newest_unfinished_one_is_named_with_both_values() {
    let root = tempfile::tempdir().unwrap();
    result(root.path(), NEW, &nothing(), None);
    let options = RunOptions { runs: Some(9), patterns: vec!["*threads*".to_owned()], ..nothing() };
    let Search::OtherPlan { name, differences } = search(root.path(), &plan(TEXT, &options), &[], &options).unwrap()
    else {
        panic!()
    };
    assert_eq!(name, NEW);
    let said: Vec<String> = differences
        .iter()
        .map(|it| format!("{}: {} → {}", it.what, it.base.as_deref().unwrap_or("–"), it.new.as_deref().unwrap_or("–")))
        .collect();
    assert_eq!(
        said[..4],
        [
            "patterns: none → *threads*",
            "--runs: not given → 9",
            "cells that the other has not: 1 cell: `s/model=sequential` → –",
            "runs of `s`: 3 → 9",
        ]
    );
}

#[test]
fn where_every_result_is_complete_there_is_nothing_to_do() {
    let root = tempfile::tempdir().unwrap();
    let found = |root: &Path| search(root, &plan(TEXT, &nothing()), &[], &nothing()).unwrap();
    assert!(matches!(found(root.path()), Search::AllComplete(0)));
    assert!(matches!(found(&root.path().join("not/there")), Search::AllComplete(0)));
    result(root.path(), NEW, &nothing(), Some(true));
    assert!(matches!(found(root.path()), Search::AllComplete(1)));
}

#[test]
fn a_result_that_does_not_say_what_it_was_asked_for_is_not_continued() {
    let root = tempfile::tempdir().unwrap();
    result(root.path(), NEW, &nothing(), None);
    let path = root.path().join(NEW).join(ENVIRONMENT);
    let mut environment = read::environment(&path).unwrap();
    environment.options = None;
    fs::write(&path, environment.to_json()).unwrap();
    let found = || search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap();
    let unknown = |part: &str| {
        let Search::UnknownPlan { name, reason } = found() else { panic!() };
        assert!(name == NEW && reason.contains(part), "{name}: {reason}");
    };
    unknown("does not keep what it was asked for");
    fs::write(&path, environment.to_json().replacen("\"schema\": 1", "\"schema\": 9", 1)).unwrap();
    unknown("is of schema 9");
    fs::remove_file(&path).unwrap();
    unknown("environment.json`: No such file");
    // An older one is as good as ever.
    result(root.path(), OLD, &nothing(), None);
    assert!(matches!(found(), Search::Found(_)));
}

#[test]
fn samples_that_were_cut_at_any_byte_go_on_behind_the_last_whole_line() {
    use crate::stats::fixtures::sample;
    let root = tempfile::tempdir().unwrap();
    result(root.path(), NEW, &nothing(), None);
    let path = root.path().join(NEW).join(SAMPLES);
    let line = |round| serde_json::to_string(&sample("s/model=threads", round, 100)).unwrap() + "\n";
    let whole = fs::read_to_string(&path).unwrap() + &line(1) + &line(2);
    for end in 0..=whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let found = search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap();
        let Search::Found(found) = found else { panic!("{end}") };
        let lines = whole[..end].matches('\n').count();
        assert_eq!(found.records.len(), lines.saturating_sub(1), "{end}");
        drop(found.folder.sample_file().unwrap());
        let kept = fs::read_to_string(&path).unwrap();
        assert_eq!(kept, whole.split_inclusive('\n').take(lines.max(1)).collect::<String>(), "{end}");
    }
}

#[test]
fn a_line_that_is_no_sample_is_named_with_what_to_do() {
    let root = tempfile::tempdir().unwrap();
    result(root.path(), NEW, &nothing(), None);
    let path = root.path().join(NEW).join(SAMPLES);
    fs::write(&path, fs::read_to_string(&path).unwrap() + "junk\n").unwrap();
    let error = search(root.path(), &plan(TEXT, &nothing()), &[], &nothing()).unwrap_err();
    let error = format!("{error:#}");
    assert!(
        error.starts_with(&format!("`{NEW}` cannot go on. Mend what is named here, or leave out --resume")),
        "{error}"
    );
    assert!(error.contains("samples.jsonl`, line 2: not a record"), "{error}");
}
