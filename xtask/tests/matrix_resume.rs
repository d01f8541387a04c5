//! `cargo xtask matrix --resume` as a person uses it: the real program, interrupted and begun again.

mod command_support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use command_support::{Bench, samples, text};
use nix::sys::signal::Signal;
use serde_json::Value;

/// Two cells of five rounds; a run takes long enough to be interrupted in.
fn bench() -> Bench {
    Bench::new(&["slow", "good"], "runs = 5\nwarmups = 0")
}

/// How often each round of each cell was measured.
fn rounds(bench: &Bench) -> BTreeMap<(String, u64), usize> {
    let mut rounds = BTreeMap::new();
    for sample in samples(&bench.result()).unwrap() {
        let key = (sample["cell"].as_str().unwrap().to_owned(), sample["round"].as_u64().unwrap());
        *rounds.entry(key).or_default() += 1;
    }
    rounds
}

fn assert_whole(bench: &Bench) {
    assert_eq!(bench.summary()["complete"], true);
    let rounds = rounds(bench);
    assert_eq!(rounds.len(), 10, "{rounds:?}");
    assert!(rounds.values().all(|count| *count == 1), "no round is made twice: {rounds:?}");
    let samples = samples(&bench.result()).unwrap();
    let positions: Vec<u64> = samples.iter().map(|sample| sample["position"].as_u64().unwrap()).collect();
    assert_eq!(positions, (0..10).collect::<Vec<_>>());
    assert!(samples.is_sorted_by_key(|sample| sample["started_ns"].as_u64()));
}

/// Says that it cannot go on, and why.
fn refused(bench: &Bench, arguments: &[&str]) -> String {
    let before = fs::read(bench.result().join("samples.jsonl")).unwrap();
    let output = bench.run(&[&["--resume"], arguments].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot go on"), "{said}");
    assert_eq!(fs::read(bench.result().join("samples.jsonl")).unwrap(), before, "nothing is added");
    said
}

/// Changes a file of the only result.
fn edit(bench: &Bench, file: &str, change: impl FnOnce(&mut Value)) {
    let path = bench.result().join(file);
    let mut value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(&path, serde_json::to_string(&value).unwrap()).unwrap();
}

#[test]
fn an_interrupted_matrix_goes_on_and_makes_what_is_missing() {
    let bench = bench();
    assert_eq!(bench.interrupt_at(&["--seed", "7"], 3, Signal::SIGINT).status.code(), Some(130));
    let started = bench.summary()["started"].clone();
    let output = bench.run(&["--resume"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_whole(&bench);
    assert_eq!(bench.summary()["started"], started);
    let environment = bench.environment();
    assert_eq!((environment["seed"].as_u64(), environment["resumed"].as_array().unwrap().len()), (Some(7), 1));
    let tables = fs::read_to_string(bench.result().join("tables.md")).unwrap();
    assert!(tables.contains("resumed at 20") && !tables.contains("interrupted"), "{tables}");
    assert!(text(&output.stdout).contains("good"), "the table has all rows");
    bench.assert_nothing_lives();
}

#[test]
fn two_parts_run_in_the_order_of_one() {
    let order = |bench: &Bench| {
        let samples = samples(&bench.result()).unwrap();
        samples.iter().map(|sample| format!("{} {}", sample["cell"], sample["round"])).collect::<Vec<_>>()
    };
    let (whole, parts) = (bench(), bench());
    assert_eq!(whole.run(&["--seed", "3"]).status.code(), Some(0));
    parts.interrupt_at(&["--seed", "3"], 4, Signal::SIGINT);
    assert_eq!(parts.run(&["--resume"]).status.code(), Some(0));
    assert_eq!(order(&parts), order(&whole));
}

#[test]
fn a_matrix_may_be_interrupted_and_resumed_more_than_once() {
    let bench = bench();
    bench.interrupt_at(&[], 2, Signal::SIGINT);
    assert_eq!(bench.interrupt_at(&["--resume"], 5, Signal::SIGINT).status.code(), Some(130));
    assert_eq!(bench.summary()["complete"], false);
    assert_eq!(bench.run(&["--resume"]).status.code(), Some(0));
    assert_whole(&bench);
    assert_eq!(bench.environment()["resumed"].as_array().unwrap().len(), 2);
}

#[test]
fn a_killed_matrix_goes_on_behind_a_torn_line() {
    let bench = bench();
    bench.interrupt_at(&[], 3, Signal::SIGKILL);
    let path = bench.result().join("samples.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], br#"{"record":"sam"#].concat()).unwrap();
    let output = bench.run(&["--resume"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_whole(&bench);
    assert!(fs::read(&path).unwrap().starts_with(&whole));
}

#[test]
fn twins_go_on_with_their_baselines() {
    let bench = bench();
    bench.interrupt_at(&["--aa"], 6, Signal::SIGINT);
    assert_eq!(bench.run(&["--resume"]).status.code(), Some(0));
    let rounds = rounds(&bench);
    assert_eq!(rounds.len(), 15, "{rounds:?}");
    assert_eq!(rounds.keys().filter(|(cell, _)| cell == "s/runtime=slow#aa").count(), 5);
    assert!(rounds.values().all(|count| *count == 1));
}

#[test]
fn a_changed_matrix_is_refused_and_the_difference_is_named() {
    let bench = bench();
    bench.interrupt_at(&[], 2, Signal::SIGINT);
    let said = refused(&bench, &["--runs", "9"]);
    assert!(said.contains("--runs: then not given, now 9"), "{said}");
    assert!(said.contains("runs of `s`: then 5, now 9"), "{said}");
    let said = refused(&bench, &["*good*"]);
    assert!(said.contains("patterns: then none, now *good*") && said.contains("`s/runtime=slow`"), "{said}");
    let matrix = fs::read_to_string(bench.path("m.toml")).unwrap();
    fs::write(bench.path("m.toml"), matrix.replace("tasks = 2", "tasks = 3")).unwrap();
    assert!(refused(&bench, &[]).contains("the work of `s/runtime=good`, `s/runtime=slow`: then one, now another"));
    // A comment changes nothing.
    fs::write(bench.path("m.toml"), matrix + "# one more line\n").unwrap();
    assert_eq!(bench.run(&["--resume"]).status.code(), Some(0));
}

#[test]
fn another_machine_is_refused_with_every_field_that_differs() {
    let bench = bench();
    bench.interrupt_at(&[], 2, Signal::SIGINT);
    edit(&bench, "environment.json", |environment| {
        environment["machine"]["kernel"] = "1.2.3".into();
        environment["machine"]["quota_cpus"] = 0.5.into();
    });
    let said = refused(&bench, &[]);
    assert!(said.contains("kernel: then 1.2.3, now ") && said.contains("quota: then 0.5 CPUs, now "), "{said}");
}

#[test]
fn another_version_of_a_runtime_is_refused() {
    let bench = bench();
    // A worker that says which version it is as often as it is asked.
    let worker = bench.path("worker.sh");
    let script = |version: u32| {
        format!(
            "#!/bin/sh\nread job\necho '{{\"type\":\"ready\",\"protocol\":1,\"worker\":\"w 1\",\"runtime\":\"sh {version}\"}}'\n\
             while read run; do sleep 0.2; echo '{{\"type\":\"sample\",\"elapsed_ns\":1000000,\"setup_ns\":0,\"tasks\":2,\
             \"checksum\":\"0000000000000001\"}}'; done\n"
        )
    };
    let write = |version| {
        fs::write(&worker, script(version)).unwrap();
        fs::set_permissions(&worker, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write(1);
    let matrix = format!(
        "schema = 1\n[[batch]]\nname = \"s\"\ntask = {{ op = \"sum-of-squares\", n = 10 }}\ntasks = 2\nmodel = \"sequential\"\n\
         runtime = \"sh\"\nruns = 6\nwarmups = 0\n[[runtime]]\nname = \"sh\"\ncommand = [\"sh\", {worker:?}]\n"
    );
    fs::write(bench.path("m.toml"), matrix).unwrap();
    bench.interrupt_at(&[], 2, Signal::SIGINT);
    write(2);
    let said = refused(&bench, &[]);
    assert!(said.contains("runtime sh: then sh 1, now sh 2"), "{said}");
    write(1);
    assert_eq!(bench.run(&["--resume"]).status.code(), Some(0));
    assert_eq!(bench.summary()["complete"], true);
}

#[test]
fn what_is_complete_has_nothing_left_to_do() {
    let bench = Bench::new(&["good"], "runs = 1\nwarmups = 0");
    let nothing = bench.run(&["--resume"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("there is no result in"), "{}", text(&nothing.stderr));
    assert_eq!(bench.run(&[]).status.code(), Some(0));
    let before = fs::read(bench.result().join("summary.json")).unwrap();
    let output = bench.run(&["--resume"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("nothing to resume"), "{}", text(&output.stderr));
    assert_eq!(fs::read(bench.result().join("summary.json")).unwrap(), before);
}

#[test]
fn what_the_first_part_has_decided_stays_whatever_is_given_now() {
    let bench = bench();
    bench.interrupt_at(&["--seed", "7"], 3, Signal::SIGINT);
    let output = bench.run(&["--resume", "--seed", "8", "--aa", "--no-repeats"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_whole(&bench);
    assert_eq!(bench.environment()["seed"], 7);
}
