//! What concerns the whole process: Ctrl-C, Ctrl-Z, and orphans that hide. The engine runs in a process of its own,
//! which is this test program again, asked for [`driver`] alone.

#![expect(clippy::print_stdout, reason = "how the driver talks to the test")]

mod engine_support;

use std::time::Duration;

use engine_support::driver::Driver;
use engine_support::{MARK, TIMEOUT, marked, plan, processes_where, wait_until};
use nix::sys::signal::Signal;
use xtask::engine::binaries::Binaries;
use xtask::engine::calibrations::Calibrations;
use xtask::engine::conversation::Limits;
use xtask::engine::ending::Graces;
use xtask::engine::event::{Event, Listener};
use xtask::engine::signals::{Control, EXIT_INTERRUPTED};
use xtask::engine::workers::ProcessLauncher;
use xtask::engine::{self, Options};

/// Environment variable with the mode of the first cell.
const MODE: &str = "PARALLAX_TEST_MODE";

/// Prints the events that the tests wait for.
struct Print;

impl Listener for Print {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::RunStarted { at } => println!("run of {}", at.cell),
            Event::Sampled { record, .. } => println!("sample of {}", record.cell),
            Event::Voided { .. } => println!("voided"),
            Event::Warning { message } => println!("warning {message}"),
            Event::Finished { complete, .. } => println!("finished {complete}"),
            _ => {}
        }
        Ok(())
    }
}

/// The orchestrator of these tests: what the command line does, for two cells of two runs.
#[test]
#[ignore = "the other tests run it, in a process of its own"]
fn driver() {
    // Whoever asks for all ignored tests is not meant.
    let (Ok(mark), Ok(mode)) = (std::env::var(MARK), std::env::var(MODE)) else { return };
    let control = Control::install().unwrap();
    let plan = plan(&mark, 0, 2, &[&mode, "good"]);
    // Long, so that whatever ends sooner was not waited for.
    let graces = Graces { exit: Duration::from_secs(20), terminate: Duration::from_secs(20) };
    let mut launcher = ProcessLauncher::new(&plan.runtimes, Binaries::default(), control.clone())
        .unwrap()
        .with_limits(Limits { ready: TIMEOUT, graces })
        .alone();
    let options = Options { seed: 1, ..Options::default() };
    let outcome =
        engine::run(&plan, &Calibrations::default(), &options, &mut launcher, &control, &mut [&mut Print]).unwrap();
    if outcome.interrupted {
        std::process::exit(EXIT_INTERRUPTED);
    }
}

fn start(mode: &str) -> Driver {
    Driver::start(&[(MODE, mode)])
}

#[test]
fn ctrl_c_ends_the_worker_and_the_events_in_order() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let mut driver = start("slow");
        driver.wait_for("sample of s/cell=slow");
        driver.wait_for("run of s/cell=slow");
        driver.signal(signal);
        let (lines, status) = driver.finish();
        assert_eq!(lines, ["finished false"], "{signal}");
        assert_eq!(status.code(), Some(EXIT_INTERRUPTED), "{signal}");
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once_a_worker_that_ignores_sigterm() {
    let mut driver = start("ignore-sigterm");
    driver.wait_for("run of s/cell=ignore-sigterm");
    driver.signal(Signal::SIGINT);
    // Two signals that wait at the same time are one.
    std::thread::sleep(Duration::from_millis(200));
    let started = std::time::Instant::now();
    driver.signal(Signal::SIGINT);
    let mark = driver.mark.clone();
    let status = driver.wait();
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    assert_eq!(status.code(), Some(EXIT_INTERRUPTED));
    wait_until("the killed worker is gone", || marked(&mark).is_empty());
}

#[test]
fn ctrl_z_stops_the_worker_too_and_the_repetition_is_repeated() {
    let mut driver = start("slow");
    driver.wait_for("run of s/cell=slow");
    driver.signal(Signal::SIGTSTP);
    wait_until("both are stopped", || driver.states() == "TT");
    // Longer than the timeout of a run: suspended time is nobody's.
    std::thread::sleep(TIMEOUT + Duration::from_millis(200));
    driver.signal(Signal::SIGCONT);
    driver.wait_for("voided");
    let (lines, status) = driver.finish();
    assert_eq!(lines.iter().filter(|line| *line == "sample of s/cell=slow").count(), 2, "{lines:?}");
    assert!(lines.contains(&"finished true".to_owned()), "{lines:?}");
    assert!(status.success());
}

#[test]
fn a_killed_orchestrator_leaves_no_idle_worker() {
    let mut driver = start("slow");
    driver.wait_for("run of s/cell=slow");
    driver.signal(Signal::SIGKILL);
    let mark = driver.mark.clone();
    wait_until("the worker sees the end of its stdin", || marked(&mark).is_empty());
}

#[test]
fn an_orphan_that_cleared_its_environment_is_found_too() {
    let mut driver = start("grandchild-without-environment");
    driver.wait_for("sample of s/cell=grandchild-without-environment");
    let (lines, status) = driver.finish();
    let warning = lines.iter().find(|line| line.starts_with("warning ")).expect("a warning");
    assert!(warning.contains("running outside its process group, which was killed"), "{warning}");
    assert!(lines.contains(&"finished true".to_owned()), "{lines:?}");
    assert!(status.success());
    let worker = env!("CARGO_BIN_EXE_fixture-worker");
    let left = processes_where(|folder| {
        std::fs::read_to_string(folder.join("cmdline"))
            .is_ok_and(|line| line.starts_with(worker) && line.contains("sleep-in-own-session"))
    });
    assert_eq!(left, [""; 0]);
}
