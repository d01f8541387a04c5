//! HTTP cells with servers of somebody else, through real processes: started on free ports, asked until they are ready,
//! watched from outside, ended by their signal.

mod engine_support;
mod http_support;

use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use engine_support::processes_where;
use http_support::{Case, FIXTURE};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use xtask::engine::failure::FailureKind;
use xtask::matrix::plan::{Readiness, RunningServer, ServerSpec, StopSignal};

#[track_caller]
fn check(case: &Case, kind: FailureKind, reason: &str) -> Vec<String> {
    let (failure, warnings) = case.failure();
    assert_eq!((failure.kind, without_ports(&failure.reason).as_str()), (kind, reason));
    assert_eq!(warnings, [""; 0]);
    failure.stderr_tail
}

/// Numbers of four digits and more are ports and processes, which differ each time.
fn without_ports(text: &str) -> String {
    let mut words = String::new();
    for part in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        // A process id may be short, where ids have just begun again.
        let is_changing = digits.len() >= 4 || (!digits.is_empty() && words.ends_with("process "));
        words.push_str(&if is_changing { part.replace(digits, "N") } else { part.to_owned() });
    }
    words
}

#[test]
fn a_server_gets_a_free_port_and_is_measured() {
    let (sample, warnings) = Case::command("listen-good", &[]).sample();
    assert_eq!(warnings, [""; 0]);
    assert_eq!((sample.load.completed, sample.served), (20, None));
    let usage = sample.server_usage.unwrap();
    assert_eq!(usage.processes, Some(1));
    assert!(usage.user_ns.is_some() && usage.peak_rss_bytes > Some(100_000), "{usage:?}");
}

#[test]
fn the_port_is_filled_in_in_the_environment_too() {
    let mut case = Case::command("listen-on-port-of-environment", &[]);
    case.spec().env.push(("WHERE".to_owned(), "{port}".to_owned()));
    assert_eq!(case.sample().0.load.completed, 20);
}

#[test]
fn a_server_with_several_ports_is_asked_on_all_of_them() {
    for ready in [Readiness::Tcp, Readiness::Http("/health".to_owned())] {
        let mut case = Case::command("listen-good", &[]);
        let spec = case.spec();
        (spec.command[2], spec.ports, spec.ready) = ("{ports}".to_owned(), 3, ready);
        assert_eq!(case.sample().0.load.completed, 20);
    }
}

#[test]
fn a_server_starts_in_its_folder_and_its_program_is_looked_for_there() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(FIXTURE, folder.path().join("my-server")).unwrap();
    let mut case = Case::command("listen-good", &[]);
    case.plan.file = folder.path().join("bench-matrix.toml");
    "./my-server".clone_into(&mut case.spec().command[0]);
    assert_eq!(case.sample().0.load.completed, 20);
    case.spec().cwd = Some("no-such-folder".into());
    let (failure, _) = case.failure();
    assert!(failure.reason.ends_with("/no-such-folder, the working folder of the server, is not a folder"));
}

#[test]
fn a_program_that_is_not_installed_is_missing_and_not_a_failure() {
    let mut case = Case::command("listen-good", &[]);
    "no-such-server-1".clone_into(&mut case.spec().command[0]);
    assert_eq!(check(&case, FailureKind::Missing, "no-such-server-1 is not on the PATH"), [""; 0]);
    assert_eq!(case.run().outcome.failed_cells, 0);
}

#[test]
fn a_shell_that_finds_no_program_is_missing_something_too() {
    let mut case = Case::command("listen-good", &[]);
    case.spec().command = ["sh", "-c", "no-such-server-2 {port}"].map(str::to_owned).into();
    let (failure, _) = case.failure();
    assert_eq!(failure.kind, FailureKind::Missing);
    let start = "a program that the server's command starts is not installed (status 127): ";
    assert!(failure.reason.starts_with(start) && failure.reason.contains("no-such-server-2"), "{}", failure.reason);
}

#[test]
fn a_server_that_is_busy_at_first_is_waited_for() {
    assert_eq!(Case::command("listen-busy-for-a-while", &[]).sample().0.load.completed, 20);
}

#[test]
fn a_server_that_never_gets_ready_is_told_with_what_was_seen_last() {
    let check_mode = |mode: &str, seen: &str| {
        let reason =
            format!("the server was not ready within 1s: {seen}; `ready_timeout` in the matrix file sets the limit");
        check(&Case::command(mode, &[]), FailureKind::NotReady, &reason);
    };
    // A second each: at the same time.
    std::thread::scope(|scope| {
        for (mode, seen) in [
            ("listen-not-at-all", "nobody listens on 127.0.0.1:N; does the command use {port}?"),
            ("listen-busy-for-ever", "it answers with status 503 on port N"),
            ("listen-silent", "it takes connections on port N and does not answer"),
            ("listen-not-http", "what it answers on port N is not HTTP"),
        ] {
            scope.spawn(move || check_mode(mode, seen));
        }
    });
}

#[test]
fn a_server_that_dies_before_it_is_ready_is_told_with_all_that_it_wrote() {
    let started = Instant::now();
    let mut case = Case::command("listen-dies", &[]);
    case.spec().ready_timeout = Duration::from_secs(30);
    let tail = check(&case, FailureKind::Died, "the server exited with status 4 before it was ready");
    assert_eq!(tail, ["on stdout", "on stderr", "no such configuration"]);
    assert!(started.elapsed() < Duration::from_secs(5), "its end was noticed at once");
}

#[test]
fn a_server_that_dies_under_load_ends_the_client_too() {
    for client in ["load-good", "load-stubborn"] {
        let case = Case::command("listen-dies-under-load", &[]).with_client(client);
        let tail = check(&case, FailureKind::Died, "the server exited with status 9 while it was under load");
        assert_eq!(tail, ["out of memory"], "{client}");
    }
}

#[test]
fn a_server_that_writes_much_is_not_held_up() {
    let (sample, warnings) = Case::command("listen-noisily", &[]).sample();
    assert_eq!((sample.load.completed, warnings), (20, vec![]));
}

#[test]
fn a_load_without_a_right_answer_is_a_failure_by_kinds() {
    let mut case = Case::command("listen-busy-for-ever", &[]);
    case.spec().ready = Readiness::Tcp;
    case.work().load.pace = xtask::matrix::plan::PaceSpec::Closed { requests: 1000 };
    let (failure, _) = case.failure();
    assert_eq!(failure.kind, FailureKind::NoAnswers);
    assert_eq!(failure.reason, "1000 of 1000 requests failed: 1000 status");
}

#[test]
fn a_port_that_was_taken_meanwhile_is_given_up_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("marker");
    let case = Case::command("listen-on-port-of-stranger-once", &[marker.to_str().unwrap()]);
    let (sample, _) = case.sample();
    assert_eq!(sample.load.completed, 20);
    end_strangers(&marker);
}

#[test]
fn a_port_that_is_always_taken_is_told_with_its_holder() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("marker");
    let case = Case::command("listen-on-port-of-stranger", &[marker.to_str().unwrap()]);
    let reason = "the server exited with status 1 before it was ready: port N is taken by fixture-worker, process N";
    let tail = check(&case, FailureKind::Died, reason);
    assert_eq!(tail, ["bind: Address already in use"]);
    end_strangers(&marker);
}

/// Ends the servers that are nobody's, which have this name as their last argument.
fn end_strangers(name: &Path) {
    processes_where(|folder| {
        let line = std::fs::read_to_string(folder.join("cmdline")).unwrap_or_default();
        if line.contains("listen-as-stranger") && line.trim_end_matches('\0').ends_with(name.to_str().unwrap()) {
            let pid = folder.file_name().unwrap().to_str().unwrap().parse().unwrap();
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        false
    });
}

#[test]
fn a_server_that_goes_to_the_background_is_told_to_stay() {
    let (failure, _) = Case::command("listen-in-background", &[]).failure();
    assert_eq!(failure.kind, FailureKind::Died);
    assert_eq!(
        without_ports(&failure.reason),
        "the server exited with status 0 before it was ready, and left fixture-worker, process N, listening on its \
         port; it must stay in the foreground"
    );
}

#[test]
fn a_server_that_ignores_its_signal_is_killed_and_told() {
    let (_, warnings) = Case::command("listen-ignoring-sigterm", &[]).sample();
    assert_eq!(
        warnings,
        ["s/cell=a: the server did not end within 1s of SIGTERM and was killed; `stop` in the matrix file names the \
          signal"]
    );
}

#[test]
fn another_signal_may_end_it() {
    let mut case = Case::command("listen-ignoring-sigterm", &[]);
    case.spec().stop = StopSignal::Quit;
    let (_, warnings) = case.sample();
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn the_cpu_time_of_a_servers_children_is_the_servers() {
    let (sample, warnings) = Case::command("listen-with-child", &[]).sample();
    let usage = sample.server_usage.unwrap();
    assert_eq!(usage.processes, Some(2));
    // Twenty requests of 15 ms each, in ticks of 10 ms; most of it, whatever else the machine does.
    assert!(usage.user_ns.unwrap() + usage.sys_ns.unwrap() >= 50_000_000, "{usage:?}");
    assert_eq!(warnings, [""; 0], "children that end with their parent are not left behind");
}

#[test]
fn a_server_that_runs_already_is_only_asked() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = stranger.local_addr().unwrap();
    let mut server = std::process::Command::new(FIXTURE);
    // It takes a moment from here to there, in which nobody else wants the port.
    drop(stranger);
    let mut server = server.args(["listen-good", &address.port().to_string()]).spawn().unwrap();
    engine_support::wait_until("it listens", || std::net::TcpStream::connect(address).is_ok());
    let mut case = Case::own("serve-good");
    case.work().server = ServerSpec::Running(RunningServer { target: format!("http://{address}"), address });
    let (sample, warnings) = case.sample();
    assert_eq!((sample.load.completed, sample.served, sample.server_usage), (20, None, None));
    assert_eq!(warnings, [""; 0]);
    assert!(server.try_wait().unwrap().is_none(), "it is not ours to end");
    server.kill().unwrap();
    server.wait().unwrap();

    let (failure, _) = case.failure();
    assert_eq!(failure.kind, FailureKind::NotReady);
    assert_eq!(
        without_ports(&failure.reason),
        "nobody answers at http://127.0.0.1:N (127.0.0.1:N): Connection refused (os error 111); start the server there \
         first, or correct `target`"
    );
}
