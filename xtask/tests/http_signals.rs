//! What concerns the whole process, with HTTP cells: Ctrl-C, Ctrl-Z and the limit of open files. The engine runs in a
//! process of its own, which is this test program again, asked for [`driver`] alone.

#![expect(clippy::print_stdout, reason = "how the driver talks to the test")]

mod engine_support;
mod http_support;

use std::process::Command;
use std::time::Duration;

use engine_support::driver::Driver;
use engine_support::{MARK, TIMEOUT, marked, wait_until};
use http_support::Case;
use nix::sys::signal::Signal;
use xtask::engine::event::{Event, Listener};
use xtask::engine::signals::{Control, EXIT_INTERRUPTED};
use xtask::engine::{self, Options};

/// Environment variables with the modes of the server and the client.
const SERVER_MODE: &str = "PARALLAX_TEST_SERVER";
const CLIENT_MODE: &str = "PARALLAX_TEST_CLIENT";
/// How many connections the load has.
const CONNECTIONS: &str = "PARALLAX_TEST_CONNECTIONS";

/// Prints the events that the tests wait for.
struct Print;

impl Listener for Print {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::RunStarted { at } => println!("run {}", at.round),
            Event::Sampled { record, .. } => println!("sample {}", record.round),
            Event::Voided { .. } => println!("voided"),
            Event::CellFailed { failure, .. } => println!("failed {:?} {}", failure.kind, failure.reason),
            Event::Warning { message } => println!("warning {message}"),
            Event::Finished { complete, .. } => println!("finished {complete}"),
            _ => {}
        }
        Ok(())
    }
}

/// The orchestrator of these tests: what the command line does, for one cell of two runs.
#[test]
#[ignore = "the other tests run it, in a process of its own"]
fn driver() {
    // Whoever asks for all ignored tests is not meant.
    let (Ok(mark), Ok(server), Ok(client)) =
        (std::env::var(MARK), std::env::var(SERVER_MODE), std::env::var(CLIENT_MODE))
    else {
        return;
    };
    let control = Control::install().unwrap();
    let mut case = match server.strip_prefix("listen-") {
        Some(_) => Case::command(&server, &[]),
        None => Case::own(server.leak()),
    };
    case.client = client.leak();
    mark.clone_into(&mut case.mark);
    if let xtask::matrix::plan::ServerSpec::Command(spec) = &mut case.work().server {
        spec.env = vec![(MARK.to_owned(), mark)];
    }
    case.work().load.connections = std::env::var(CONNECTIONS).map_or(2, |count| count.parse().unwrap());
    case.plan.scenarios[0].schedule.runs = 2;
    let mut launcher = case.launcher(&control).alone();
    let options = Options { seed: 1, ..Options::default() };
    let outcome =
        engine::run(&case.plan, &case.calibrations, &options, &mut launcher, &control, &mut [&mut Print]).unwrap();
    if outcome.interrupted {
        std::process::exit(EXIT_INTERRUPTED);
    }
}

fn start(server: &str, client: &str) -> Driver {
    Driver::start(&[(SERVER_MODE, server), (CLIENT_MODE, client)])
}

/// By a shell that lowers the limit of open files first, with this many connections.
fn start_by(shell: &mut Command, server: &str, client: &str) -> Driver {
    Driver::start_by(shell, &[(SERVER_MODE, server), (CLIENT_MODE, client)])
}

#[test]
fn ctrl_c_under_load_ends_both_process_groups() {
    for server in ["serve-good", "listen-good", "listen-with-child"] {
        let mut driver = start(server, "load-patient");
        driver.wait_for("run 1");
        driver.signal(Signal::SIGINT);
        let (lines, status) = driver.finish();
        assert_eq!(lines, ["finished false"], "{server}");
        assert_eq!(status.code(), Some(EXIT_INTERRUPTED), "{server}");
    }
}

#[test]
fn ctrl_c_before_the_server_is_ready_ends_it() {
    let driver = start("listen-not-at-all", "load-good");
    wait_until("the server runs", || driver.states().len() >= 2);
    driver.signal(Signal::SIGINT);
    let (lines, status) = driver.finish();
    assert!(lines.last().unwrap().ends_with("finished false"), "{lines:?}");
    assert_eq!(status.code(), Some(EXIT_INTERRUPTED));
}

#[test]
fn a_second_ctrl_c_kills_both_at_once() {
    let mut driver = start("listen-ignoring-sigterm", "load-ignoring-sigterm");
    driver.wait_for("run 1");
    driver.signal(Signal::SIGINT);
    // Two signals that wait at the same time are one.
    std::thread::sleep(Duration::from_millis(100));
    driver.signal(Signal::SIGINT);
    let status = driver.wait();
    assert_eq!(status.code(), Some(EXIT_INTERRUPTED));
    let mark = driver.mark.clone();
    wait_until("the killed processes are gone", || marked(&mark).is_empty());
}

#[test]
fn ctrl_z_stops_server_and_client_too_and_the_repetition_is_repeated() {
    let mut driver = start("serve-good", "load-patient");
    driver.wait_for("run 1");
    driver.signal(Signal::SIGTSTP);
    wait_until("all three are stopped", || driver.states() == "TTT");
    // Longer than the timeout of a run: suspended time is nobody's.
    std::thread::sleep(TIMEOUT + Duration::from_millis(200));
    driver.signal(Signal::SIGCONT);
    driver.wait_for("voided");
    let (lines, status) = driver.finish();
    assert_eq!(lines.iter().filter(|line| line.starts_with("sample")).count(), 2, "{lines:?}");
    assert!(lines.contains(&"finished true".to_owned()), "{lines:?}");
    assert!(status.success());
}

#[test]
fn a_killed_orchestrator_leaves_no_server_of_somebody_else() {
    let mut driver = start("listen-good", "load-patient");
    driver.wait_for("run 1");
    driver.signal(Signal::SIGKILL);
    let mark = driver.mark.clone();
    wait_until("the server dies with it", || marked(&mark).is_empty());
}

#[test]
fn more_connections_than_open_files_are_refused_before_the_start() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
    let mut driver = start_by(shell.env(CONNECTIONS, "500"), "serve-good", "load-good");
    driver.wait_for(
        "failed Limit 500 connections need up to 566 open files in the client and the server each, and the hard limit \
         (RLIMIT_NOFILE) is 64: use fewer connections, or raise it with `ulimit -n 566` as root before the matrix is run",
    );
    let (lines, _) = driver.finish();
    assert!(lines.contains(&"finished true".to_owned()), "{lines:?}");
}

#[test]
fn a_soft_limit_that_a_server_may_raise_itself_is_a_warning() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -S -n 64 && exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
    let driver = start_by(shell.env(CONNECTIONS, "500"), "listen-good", "load-good");
    let (lines, _) = driver.finish();
    let warning = lines.iter().find(|line| line.starts_with("warning ")).expect("a warning");
    assert!(warning.contains("the server starts with a limit of 64 open files"), "{warning}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("sample")).count(), 2, "{lines:?}");
}
