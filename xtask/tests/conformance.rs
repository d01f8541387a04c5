//! The conformance check: a worker that does what the protocol says passes, and each fault of one is found, by the rule
//! that it breaks.

use std::process::{Command, Stdio};
use std::time::Duration;

use xtask::conformance::rules::{Level, Rule};
use xtask::conformance::{Limits, Outcome, Report, check};
use xtask::engine::dialogue::Stage;
use xtask::engine::signals::Control;
use xtask::engine::spawn::WorkerCommand;

const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture-worker");

fn report_of(arguments: &[&str], limits: Limits) -> Report {
    let control = Control::new().unwrap();
    let stage = Stage::open(control.clone()).unwrap();
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let command = WorkerCommand { arguments, ..WorkerCommand::of(FIXTURE.into()) };
    check(&stage, &command, &control, limits).unwrap()
}

/// The report on the worker with this fault.
fn report(fault: &str) -> Report {
    let limits = Limits { answer: Duration::from_secs(5), exit: Duration::from_secs(5) };
    report_of(&[&format!("conform-{fault}")], limits)
}

/// The same for a fault that costs the whole limit.
fn impatient(fault: &str) -> Report {
    let limits = Limits { answer: Duration::from_millis(500), exit: Duration::from_millis(500) };
    report_of(&[&format!("conform-{fault}")], limits)
}

/// The rules that are broken.
fn broken(report: &Report) -> Vec<Rule> {
    let verdicts = Rule::ALL.iter().zip(&report.verdicts);
    verdicts.filter(|(_, verdict)| verdict.outcome == Outcome::Broken).map(|(rule, _)| *rule).collect()
}

#[track_caller]
fn assert_breaks(fault: &str, rules: &[Rule]) {
    let report = report(fault);
    assert_eq!(broken(&report), rules, "{fault}: {:#?}", report.verdicts);
    assert!(!report.conforms(), "{fault}");
}

#[test]
fn a_worker_that_does_what_the_protocol_says_conforms() {
    let report = report("none");
    assert_eq!(broken(&report), [], "{:#?}", report.verdicts);
    assert!(report.conforms() && report.complete);
    assert_eq!(report.worker.as_deref(), Some("fixture-worker 1"));
    let batch: Vec<(&str, Vec<&str>)> =
        report.support.batch.iter().map(|(model, operations)| (model.name(), operations.clone())).collect();
    assert_eq!(batch, [("sequential", vec!["burn", "wait"]), ("threads", vec!["burn", "wait"])]);
    assert_eq!(report.support.locks, [protocol::Lock::None]);
    assert!(report.support.serve.is_empty() && !report.support.load && !report.support.mail);
}

#[test]
fn wrong_sums_and_counts_are_found() {
    assert_breaks("ignores-first-task", &[Rule::LargeNumbers, Rule::Checksum]);
    assert_breaks("ignores-steps", &[Rule::Checksum]);
    assert_breaks("reads-floats", &[Rule::LargeNumbers]);
    assert_breaks("counts-wrong", &[Rule::Tasks]);
    assert_breaks("shares-wrong", &[Rule::ByWorker]);
    assert_breaks("is-lazy-in-later-runs", &[Rule::SameWork]);
    assert_breaks("is-lazy-in-warm-ups", &[Rule::LargeNumbers, Rule::Checksum]);
    assert_breaks("does-not-wait", &[Rule::Waits]);
}

#[test]
fn faults_in_lines_are_found() {
    assert_breaks("minds-empty-lines", &[Rule::EmptyLine]);
    assert_breaks("minds-unknown-fields", &[Rule::UnknownFields]);
    assert_breaks("wants-type-first", &[Rule::FieldOrder]);
    assert_breaks("calls-unknown-words-errors", &[Rule::UnknownWords]);
    assert_breaks("has-no-name", &[Rule::ReadyFields]);
    assert_breaks("listens-for-no-reason", &[Rule::ReadyPorts]);
    assert_breaks("refuses-with-errors", &[Rule::Job]);
}

#[test]
fn what_nobody_asked_for_is_found() {
    for fault in ["logs-to-stdout", "answers-twice"] {
        let report = report(fault);
        assert!(broken(&report).contains(&Rule::OnlyAnswers), "{fault}: {:#?}", report.verdicts);
    }
}

#[test]
fn faults_in_what_is_refused_are_found() {
    assert_breaks("does-not-look-at-the-version", &[Rule::OtherVersion]);
    assert_breaks("does-not-name-the-version", &[Rule::OtherVersion]);
    assert_breaks("runs-without-a-job", &[Rule::RunBeforeJob]);
    let both = [Rule::OtherVersion, Rule::Garbage];
    assert_eq!(broken(&impatient("survives-garbage")), both);
    assert_breaks("exits-0-after-garbage", &both);
}

#[test]
fn faults_of_its_end_are_found() {
    assert_breaks("exits-with-3", &[Rule::EndWithoutJob, Rule::EndWithJob]);
    assert_breaks("leaves-a-child", &[Rule::Children]);
    let report = impatient("does-not-exit");
    assert_eq!(broken(&report), [Rule::EndWithoutJob, Rule::EndWithJob], "{:#?}", report.verdicts);
}

#[test]
fn what_a_worker_should_do_and_does_not_is_told_and_forgiven() {
    let limits = Limits { answer: Duration::from_secs(5), exit: Duration::from_millis(500) };
    let report = report_of(&["conform-outlives-its-parent"], limits);
    assert_eq!(broken(&report), [Rule::DiesWithParent, Rule::OtherParent], "{:#?}", report.verdicts);
    assert!(report.conforms());
    assert!(broken(&report).iter().all(|rule| rule.level() == Level::Should));

    let report = self::report("takes-one-job");
    assert_eq!(broken(&report), [Rule::SecondJob], "{:#?}", report.verdicts);
    assert!(report.conforms());
}

#[test]
fn a_program_that_is_no_worker_is_told_so_at_once() {
    assert_eq!(broken(&impatient("says-nothing")), [Rule::Started]);
    assert_eq!(broken(&impatient("forgets-the-line-feed")), [Rule::Started]);
    let report = report("is-no-worker");
    assert_eq!(broken(&report), [Rule::Started]);
    let breach = &report.verdicts[0].breaches[0];
    assert!(breach.answered.starts_with("usage: fixture [options] (no message of the protocol: "), "{breach:?}");
    assert!(breach.sent[0].starts_with("{\"type\":\"job\",\"protocol\":1,"), "{breach:?}");
    assert_breaks("does-nothing", &[Rule::SomeKind]);
}

#[test]
fn a_server_that_answers_something_else_is_found() {
    let report = report("serves-something-else");
    let broken = broken(&report);
    assert!(broken.contains(&Rule::ServeAnswer), "{:#?}", report.verdicts);
}

#[test]
fn a_load_generator_that_makes_its_figures_up_is_found() {
    let report = report("makes-its-load-up");
    let broken = broken(&report);
    assert_eq!(broken, [Rule::LoadCounts, Rule::LoadChecks], "{:#?}", report.verdicts);
    let counts = report.verdicts.iter().find(|verdict| verdict.rule == Rule::LoadCounts.text()).unwrap();
    assert_eq!(counts.breaches[0].answered, "the server saw 0 requests");
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.arg("conformance").args(arguments).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_subcommand_says_what_is_broken_where_and_ends_with_1() {
    let (status, stdout, stderr) = run(&["--", FIXTURE, "conform-shares-wrong"]);
    assert_eq!((status, stderr.as_str()), (Some(1), ""));
    assert!(stdout.starts_with("does not conform: 1 rule is broken; "), "{stdout}");
    for part in [
        "the sum of `workers` is `tasks` (docs/protocol.md, \"sample (from the worker)\")",
        "case      sequential, burn: 3 tasks from 0 on, 2 steps, 2 workers",
        "sent      {\"type\":\"run\",\"warmup\":true}",
        "\"workers\":[3,1]",
        "expected  `workers` whose sum is 3, or no `workers`",
        "cases more",
        "batch, threads     burn, wait",
        "not asked          http-get, smtp-send",
    ] {
        assert!(stdout.contains(part), "{part}\n{stdout}");
    }
}

#[test]
fn a_worker_that_conforms_ends_with_0_and_json_has_it_all() {
    let (status, stdout, _) = run(&["--format", "json", "--", FIXTURE, "conform-none"]);
    assert_eq!(status, Some(0));
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["worker"], "fixture-worker 1");
    assert_eq!(report["verdicts"].as_array().unwrap().len(), Rule::ALL.len());
    assert_eq!(report["support"]["batch"][0], serde_json::json!(["sequential", ["burn", "wait"]]));
}

#[test]
fn no_such_program_is_wrong_usage() {
    let (status, stdout, stderr) = run(&["--", "no-such-program-1"]);
    assert_eq!((status, stdout.as_str()), (Some(2), ""));
    assert_eq!(stderr, "error: no-such-program-1 is not on the PATH\n");
    assert_eq!(run(&[]).0, Some(2));
}
