//! Every way in which a worker can misbehave, through real processes: the cell fails with the right reason in time,
//! no process is left, and the cell after it is measured.

mod engine_support;

use std::time::{Duration, Instant};

use engine_support::{TIMEOUT, launcher, marked, new_mark, plan, run};
use xtask::engine::failure::{Failure, FailureKind};
use xtask::engine::signals::Control;

/// How a faulty cell ended.
struct Fault {
    failure: Failure,
    warnings: Vec<String>,
}

/// Runs a cell of this mode, and a good one after it.
fn fault(mode: &str) -> Fault {
    let mark = new_mark();
    let plan = plan(&mark, 0, 2, &[mode, "good"]);
    let control = Control::new().unwrap();
    let started = Instant::now();
    let (outcome, heard) = run(&plan, launcher(&plan, &control), &control);
    let took = started.elapsed();

    assert_eq!(marked(&mark), [""; 0], "processes are left");
    assert!(took <= TIMEOUT + Duration::from_secs(3), "{mode} took {took:?}");
    assert!(outcome.complete && !outcome.interrupted);
    assert_eq!(heard.counted("good"), 2, "the cell after it");
    let [(cell, failure)] = &heard.failures[..] else { panic!("not one failure: {:?}", heard.failures) };
    assert_eq!(cell, &format!("s/cell={mode}"));
    Fault { failure: failure.clone(), warnings: heard.warnings }
}

#[track_caller]
fn check(mode: &str, kind: FailureKind, reason: &str) -> Fault {
    let fault = fault(mode);
    assert_eq!((fault.failure.kind, fault.failure.reason.as_str()), (kind, reason));
    fault
}

/// Runs a cell of this mode, which is to succeed, and a good one after it; returns the warnings.
fn no_fault(mode: &str) -> Vec<String> {
    let mark = new_mark();
    let plan = plan(&mark, 1, 2, &[mode, "good"]);
    let control = Control::new().unwrap();
    let (outcome, heard) = run(&plan, launcher(&plan, &control), &control);
    assert_eq!(marked(&mark), [""; 0], "processes are left");
    assert_eq!((heard.counted(mode), heard.counted("good")), (2, 2));
    assert_eq!((outcome.samples, outcome.failed_cells), (6, 0));
    heard.warnings
}

#[test]
fn a_worker_that_behaves_is_measured_and_nothing_is_said_about_it() {
    assert_eq!(no_fault("well-behaved"), [""; 0]);
}

#[test]
fn an_exit_with_0_instead_of_a_sample_is_a_death() {
    let reason = "the worker exited with status 0 before it answered a run";
    check("exit-0", FailureKind::Died, reason);
}

#[test]
fn an_exit_before_the_job_is_read_is_a_death() {
    let reason = "the worker exited with status 0 before it answered the job";
    check("exit-at-once", FailureKind::Died, reason);
}

#[test]
fn an_exit_status_is_reported_with_the_end_of_stderr() {
    let reason = "the worker exited with status 3 before it answered a run";
    let fault = check("exit-3", FailureKind::Died, reason);
    assert_eq!(fault.failure.stderr_tail, ["first line", "the reason is here"]);
}

#[test]
fn a_segmentation_fault_is_named() {
    check("segfault", FailureKind::Died, "the worker was killed by SIGSEGV before it answered a run");
}

#[test]
fn a_worker_that_never_gets_ready_is_timed_out() {
    let reason = "the worker did not answer the job within 1s";
    check("hang-before-ready", FailureKind::TimedOut, reason);
}

#[test]
fn a_worker_that_hangs_in_a_run_is_timed_out() {
    let reason = "the worker did not answer a run within 1s; `timeout` in the matrix file sets the limit";
    check("hang", FailureKind::TimedOut, reason);
}

#[test]
fn a_worker_that_ignores_sigterm_is_killed() {
    let reason = "the worker did not answer a run within 1s; it did not end on SIGTERM and was killed; `timeout` in \
                  the matrix file sets the limit";
    check("ignore-sigterm", FailureKind::TimedOut, reason);
}

#[test]
fn a_closed_stdout_is_waited_for_no_longer_than_the_timeout() {
    let reason = "the worker did not answer a run within 1s, and it closed its stdout; `timeout` in the \
                  matrix file sets the limit";
    check("close-stdout", FailureKind::TimedOut, reason);
}

#[test]
fn half_a_line_is_shown_when_the_worker_hangs() {
    let reason = r#"the worker did not answer a run within 1s; it had written half a line: "{\"type\":\"sam"; `timeout` in the matrix file sets the limit"#;
    check("half-a-line-and-hang", FailureKind::TimedOut, reason);
}

#[test]
fn half_a_line_is_shown_when_the_worker_exits() {
    let reason =
        r#"the worker exited with status 0 before it answered a run; it had written half a line: "{\"type\":\"sam""#;
    check("half-a-line-and-exit", FailureKind::Died, reason);
}

#[test]
fn garbage_is_quoted() {
    let reason = r#"the worker's answer is not a protocol message: "Hello, world!" (expected value at line 1 column 1); stdout is for protocol messages only"#;
    check("garbage", FailureKind::BadAnswer, reason);
}

#[test]
fn bytes_that_are_no_text_are_a_bad_answer() {
    assert_eq!(fault("binary").failure.kind, FailureKind::BadAnswer);
}

#[test]
fn a_blank_line_is_a_bad_answer() {
    assert_eq!(fault("blank").failure.kind, FailureKind::BadAnswer);
}

#[test]
fn a_hundred_megabytes_without_a_line_feed_are_not_read_to_their_end() {
    let fault = fault("hundred-megabytes");
    assert_eq!(fault.failure.kind, FailureKind::BadAnswer);
    let start = "the worker wrote more than 1024 KiB to stdout without a line feed, beginning with \"xxx";
    assert!(fault.failure.reason.starts_with(start), "{}", fault.failure.reason);
    assert!(fault.failure.reason.len() < 400);
}

#[test]
fn a_hundred_megabytes_of_lines_fail_at_the_first() {
    let fault = fault("hundred-megabytes-of-lines");
    assert_eq!(fault.failure.kind, FailureKind::BadAnswer);
    assert!(fault.failure.reason.contains("not a protocol message: \"x\""), "{}", fault.failure.reason);
}

#[test]
fn a_flood_on_stderr_hinders_nobody() {
    assert_eq!(no_fault("flood-stderr"), [""; 0]);
}

#[test]
fn a_flood_that_does_not_end_is_timed_out() {
    let reason = "the worker did not answer a run within 1s; `timeout` in the matrix file sets the limit";
    check("flood-stderr-for-ever", FailureKind::TimedOut, reason);
}

#[test]
fn of_a_flood_on_stderr_the_end_is_kept() {
    let fault = fault("flood-stderr-and-die");
    let tail = &fault.failure.stderr_tail;
    assert_eq!(tail.last().unwrap(), "the last words");
    assert!(tail.iter().map(String::len).sum::<usize>() < 10_000);
}

#[test]
fn another_protocol_version_is_named() {
    let reason = "the worker speaks protocol 2, this orchestrator speaks 1; use a worker made for \
                  the same version";
    check("protocol-2", FailureKind::BadAnswer, reason);
    check("other-language", FailureKind::BadAnswer, reason);
}

#[test]
fn what_a_worker_cannot_do_is_no_failure() {
    check("unsupported", FailureKind::Unsupported, "the fixture has no such model");
}

#[test]
fn an_error_is_passed_on() {
    check("error", FailureKind::WorkerError, "the worker reports an error: out of luck");
}

#[test]
fn an_answer_to_another_question_is_a_bad_answer() {
    check("ready-again", FailureKind::BadAnswer, "the worker answered a run with `ready`");
}

#[test]
fn a_sample_that_nobody_asked_for_does_not_count() {
    let fault = fault("chatty");
    assert_eq!(fault.failure.kind, FailureKind::BadAnswer);
    let start = "the worker wrote to stdout before it was asked to run: ";
    assert!(fault.failure.reason.starts_with(start), "{}", fault.failure.reason);
}

#[test]
fn a_sample_that_is_left_over_at_the_end_is_a_warning() {
    let mark = new_mark();
    let plan = plan(&mark, 0, 1, &["two-samples", "good"]);
    let control = Control::new().unwrap();
    let (_, heard) = run(&plan, launcher(&plan, &control), &control);
    assert_eq!(heard.counted("two-samples"), 1);
    let [warning] = &heard.warnings[..] else { panic!("{:?}", heard.warnings) };
    assert!(warning.contains("wrote more to stdout than it was asked for"), "{warning}");
}

#[test]
fn the_runs_before_a_failure_are_kept() {
    let mark = new_mark();
    let plan = plan(&mark, 0, 5, &["exit-3-in-third-run", "good"]);
    let control = Control::new().unwrap();
    let (_, heard) = run(&plan, launcher(&plan, &control), &control);
    assert_eq!(heard.failures[0].1.reason, "the worker exited with status 3 before it answered a run");
    assert_eq!((heard.counted("exit-3-in-third-run"), heard.counted("good")), (2, 5));
    assert_eq!(marked(&mark), [""; 0]);
}

#[test]
fn a_bad_exit_after_the_last_answer_is_a_warning() {
    let warnings = no_fault("exit-4-after-all");
    assert_eq!(
        warnings,
        ["s/cell=exit-4-after-all: the worker exited with status 4 after its last answer; a worker should exit with 0"]
    );
}

#[test]
fn a_worker_that_does_not_exit_when_it_should_is_ended() {
    let warnings = no_fault("no-exit");
    let expected = "s/cell=no-exit: the worker did not exit within 1s after its stdin was closed and was ended";
    assert_eq!(warnings, [expected]);
}

#[test]
fn a_grandchild_that_holds_stdout_is_killed_and_reported() {
    let warnings = no_fault("grandchild-holds-stdout");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("the worker left 3 processes (fixture-worker, "), "{warnings:?}");
}

#[test]
fn a_grandchild_that_holds_stdout_does_not_delay_the_news_of_a_death() {
    let started = Instant::now();
    let reason = "the worker exited with status 0 before it answered a run";
    let fault = check("grandchild-and-no-sample", FailureKind::Died, reason);
    assert!(started.elapsed() < Duration::from_secs(4), "it sleeps for 30 s");
    assert!(fault.warnings[0].contains("the worker left 1 process (fixture-worker, "), "{:?}", fault.warnings);
}

#[test]
fn a_grandchild_that_left_the_process_group_is_killed_and_reported() {
    let warnings = no_fault("grandchild-in-own-session");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("the worker left 3 processes (fixture-worker, "), "{warnings:?}");
    assert!(warnings[0].contains("running outside its process group, which was killed"), "{warnings:?}");
}

#[test]
fn a_program_that_is_not_there_is_missing_and_not_a_failure() {
    let mark = new_mark();
    let mut plan = plan(&mark, 0, 1, &["absent", "good"]);
    plan.runtimes[0].command[0] = "no-such-program-1".to_owned();
    plan.runtimes[0].install = Some("uv python install 3.14t".to_owned());
    let control = Control::new().unwrap();
    let (outcome, heard) = run(&plan, launcher(&plan, &control), &control);
    let failure = &heard.failures[0].1;
    assert_eq!(failure.kind, FailureKind::Missing);
    assert_eq!(failure.reason, "no-such-program-1 is not on the PATH; to install it: uv python install 3.14t");
    assert_eq!((outcome.failed_cells, heard.counted("good")), (0, 1));
}

#[test]
fn a_program_that_cannot_be_started_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not-a-program");
    std::fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mark = new_mark();
    let mut plan = plan(&mark, 0, 1, &["broken", "good"]);
    plan.runtimes[0].command[0] = path.to_str().unwrap().to_owned();
    let control = Control::new().unwrap();
    let (outcome, heard) = run(&plan, launcher(&plan, &control), &control);
    let failure = &heard.failures[0].1;
    assert_eq!(failure.kind, FailureKind::NotStarted);
    assert!(failure.reason.contains("not-a-program could not be started: No such file"), "{}", failure.reason);
    assert_eq!((outcome.failed_cells, heard.counted("good")), (1, 1));
}
