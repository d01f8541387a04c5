//! HTTP cells with our own server, through real processes: what is measured, and every way in which the server or the
//! client can misbehave.

mod engine_support;
mod http_support;

use engine_support::{MARK, TIMEOUT};
use http_support::{Case, FIXTURE};
use protocol::Listen;
use xtask::engine::failure::FailureKind;
use xtask::matrix::plan::{Rate, Runtime, ServerSpec};
use xtask::results::record::Measured;

#[track_caller]
fn check(case: &Case, kind: FailureKind, reason: &str) -> Vec<String> {
    let (failure, warnings) = case.failure();
    assert_eq!((failure.kind, failure.reason.as_str()), (kind, reason));
    assert_eq!(warnings, [""; 0]);
    failure.stderr_tail
}

#[test]
fn a_server_and_a_client_that_behave_are_measured() {
    let (sample, warnings) = Case::own("serve-good").sample();
    assert_eq!(warnings, [""; 0]);
    assert_eq!((sample.load.sent, sample.load.completed), (20, 20));
    assert_eq!(sample.load.by_worker, [("00".to_owned(), 20)].into());
    assert_eq!(sample.served.unwrap().requests, [20]);
    assert_eq!((sample.server_usage, sample.asked_rate_per_s), (None, None));
    assert!(sample.time_wait.is_some());
}

#[test]
fn what_both_say_about_themselves_is_kept() {
    let seen = Case::own("serve-good").run();
    assert_eq!(seen.outcome.workers.len(), 1, "both fixtures have one name");
    assert_eq!((seen.outcome.samples, seen.outcome.complete), (1, true));
}

#[test]
fn a_runtime_serves_in_place_of_our_server_and_the_load_is_still_ours() {
    // Ours would never get ready.
    let mut case = Case::own("serve-never-ready");
    case.plan.scenarios[0].cells[0].runtime = "it".to_owned();
    case.plan.runtimes = vec![Runtime {
        name: "it".to_owned(),
        command: vec![FIXTURE.to_owned(), "serve-good".to_owned()],
        version: None,
        install: None,
        env: vec![(MARK.to_owned(), case.mark.clone())],
        folder: std::path::PathBuf::new(),
    }];
    let seen = case.run();
    assert_eq!(seen.heard.failures, []);
    assert_eq!(seen.outcome.samples, 1);
    let workers: Vec<&str> = seen.outcome.workers.keys().map(|(runtime, _)| runtime.as_str()).collect();
    assert_eq!(workers, ["it", "rust"]);
}

#[test]
fn a_runtime_that_is_not_installed_serves_nothing_and_says_how_to_get_it() {
    let mut case = Case::own("serve-good");
    case.plan.scenarios[0].cells[0].runtime = "it".to_owned();
    case.plan.runtimes = vec![Runtime {
        name: "it".to_owned(),
        command: vec!["no-such-program-1".to_owned()],
        version: None,
        install: Some("uv python install 3.14t".to_owned()),
        env: vec![],
        folder: std::path::PathBuf::new(),
    }];
    let reason = "no-such-program-1 is not on the PATH; to install it: uv python install 3.14t";
    check(&case, FailureKind::Missing, reason);
}

#[test]
fn each_run_counts_what_the_server_served_in_it() {
    let mut case = Case::own("serve-good");
    (case.plan.scenarios[0].schedule.warmups, case.plan.scenarios[0].schedule.runs) = (1, 2);
    let samples = case.run().heard.samples;
    let served = samples.iter().map(|record| match &record.sample {
        Measured::Http(sample) => sample.served.clone().unwrap().requests,
        Measured::Batch(_) => panic!("not an HTTP cell"),
    });
    assert_eq!(served.collect::<Vec<_>>(), [[20], [20], [20]]);
}

#[test]
fn every_port_of_a_server_with_a_port_for_each_worker_is_used() {
    let mut case = Case::own("serve-good");
    let ServerSpec::Own(server) = &mut case.work().server else { unreachable!() };
    (server.listen, server.workers) = (Listen::PerPort, 4);
    let (sample, _) = case.sample();
    assert_eq!(sample.served.unwrap().connections, [4]);
}

#[test]
fn an_open_loop_is_asked_for_its_rate() {
    let (sample, _) = Case::own("serve-good").open(Rate::PerSecond(300.0)).sample();
    assert_eq!((sample.asked_rate_per_s, sample.load.sent), (Some(300.0), 30));
}

#[test]
fn a_server_that_never_gets_ready_is_timed_out() {
    let case = Case::own("serve-never-ready");
    check(&case, FailureKind::TimedOut, "the server did not answer the job within 1s");
}

#[test]
fn a_server_that_dies_before_it_is_ready_is_a_death() {
    let case = Case::own("serve-dying-before-ready");
    let tail = check(&case, FailureKind::Died, "the server exited with status 3 before it answered the job");
    assert_eq!(tail, ["no such lock"]);
}

#[test]
fn a_server_without_a_port_is_a_bad_answer() {
    let case = Case::own("serve-without-ports");
    check(&case, FailureKind::BadAnswer, "the server said that it is ready and named no port");
}

#[test]
fn a_server_that_dies_under_load_is_the_reason_and_not_the_errors_of_the_client() {
    for client in ["load-good", "load-stubborn"] {
        let case = Case::own("serve-dying-under-load").with_client(client);
        let tail = check(&case, FailureKind::Died, "the server was killed by SIGABRT while it was under load");
        assert_eq!(tail, ["assertion failed: left == right"], "{client}");
    }
}

#[test]
fn a_server_that_answers_garbage_is_quoted() {
    let (failure, warnings) = Case::own("serve-garbage").failure();
    assert_eq!(failure.kind, FailureKind::BadAnswer);
    let start = "the server's answer is not a protocol message: \"served a lot\"";
    assert!(failure.reason.starts_with(start), "{}", failure.reason);
    assert_eq!(warnings, [""; 0], "the client is no orphan of the server");
}

#[test]
fn a_server_that_ignores_sigterm_is_killed() {
    let reason = "the server did not answer what it served within 1s; it did not end on SIGTERM and was killed";
    check(&Case::own("serve-ignoring-sigterm"), FailureKind::TimedOut, reason);
}

#[test]
fn what_a_server_leaves_behind_is_killed_and_reported() {
    let (_, warnings) = Case::own("serve-leaving-grandchildren").sample();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("the server left 1 process (fixture-worker, "), "{warnings:?}");
}

#[test]
fn a_server_that_does_not_exit_when_it_should_is_ended() {
    let (_, warnings) = Case::own("serve-not-exiting").sample();
    assert_eq!(warnings, ["s/cell=a: the server did not exit within 1s after its stdin was closed and was ended"]);
}

#[test]
fn a_client_that_dies_is_named_with_the_end_of_its_stderr() {
    let case = Case::own("serve-good").with_client("load-dying");
    let tail = check(&case, FailureKind::Died, "the client exited with status 3 before it answered a run");
    assert_eq!(tail, ["too many open files"]);
    let case = Case::own("serve-good").with_client("load-dying-before-ready");
    check(&case, FailureKind::Died, "the client exited with status 5 before it answered the job");
}

#[test]
fn a_client_that_hangs_is_timed_out() {
    let reason = "the client did not answer a run within 1s; `timeout` in the matrix file sets the limit";
    check(&Case::own("serve-good").with_client("load-hanging"), FailureKind::TimedOut, reason);
    assert_eq!(TIMEOUT.as_secs(), 1);
}

#[test]
fn a_client_that_ignores_sigterm_is_killed() {
    let reason = "the client did not answer a run within 1s; it did not end on SIGTERM and was killed; `timeout` in the \
                  matrix file sets the limit";
    check(&Case::own("serve-good").with_client("load-ignoring-sigterm"), FailureKind::TimedOut, reason);
}

#[test]
fn a_client_that_answers_garbage_or_reports_an_error_is_a_failure() {
    let (failure, _) = Case::own("serve-good").with_client("load-garbage").failure();
    assert_eq!(failure.kind, FailureKind::BadAnswer);
    assert!(failure.reason.starts_with("the client's answer is not a protocol message"), "{}", failure.reason);
    let case = Case::own("serve-good").with_client("load-erring");
    check(&case, FailureKind::WorkerError, "the client reports an error: no such header");
}

#[test]
fn a_client_that_was_not_built_is_named() {
    let case = Case::own("serve-good");
    let control = xtask::engine::signals::Control::new().unwrap();
    let (_, heard) = engine_support::run(&case.plan, engine_support::launcher(&case.plan, &control), &control);
    let (_, failure) = &heard.failures[0];
    assert_eq!(failure.kind, FailureKind::NotStarted);
    assert_eq!(failure.reason, "client was not built: run `cargo build --release -p client`");
}
