//! What the tests of the engine share: plans of fixture workers, a listener that keeps everything, and the proof that
//! no process is left.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod driver;

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use xtask::engine::binaries::Binaries;
use xtask::engine::calibrations::Calibrations;
use xtask::engine::conversation::Limits;
use xtask::engine::ending::Graces;
use xtask::engine::event::{Event, Listener};
use xtask::engine::failure::Failure;
use xtask::engine::schedule::Visit;
use xtask::engine::scripted::{ScriptedLauncher, ScriptedMachine};
use xtask::engine::signals::Control;
use xtask::engine::workers::ProcessLauncher;
use xtask::engine::{self, Options, Outcome};
use xtask::matrix::plan::{Comparison, Order, Plan, Runtime};
use xtask::results::record::{Record, SampleRecord};

/// Environment variable that marks a test's workers and their descendants.
pub const MARK: &str = "PARALLAX_TEST";

/// The limit of a run and of getting ready.
pub const TIMEOUT: Duration = Duration::from_secs(1);

/// A plan of one cell for every mode, each a runtime of its own, in this order.
pub fn plan(mark: &str, warmups: u32, runs: u32, modes: &[&str]) -> Plan {
    let mut plan = engine::scripted::plan_of(Order::Sequential, warmups, runs, modes);
    for (cell, mode) in plan.scenarios[0].cells.iter_mut().zip(modes) {
        cell.runtime = (*mode).to_owned();
    }
    plan.runtimes = modes.iter().map(|mode| runtime(mark, mode)).collect();
    plan
}

fn runtime(mark: &str, mode: &str) -> Runtime {
    Runtime {
        name: mode.to_owned(),
        command: vec![env!("CARGO_BIN_EXE_fixture-worker").to_owned(), mode.to_owned()],
        version: None,
        install: None,
        env: vec![(MARK.to_owned(), mark.to_owned())],
        folder: std::path::PathBuf::new(),
    }
}

/// A mark that no other test has.
pub fn new_mark() -> String {
    static MARKS: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), MARKS.fetch_add(1, Ordering::Relaxed))
}

/// A launcher with short limits.
pub fn launcher(plan: &Plan, control: &Control) -> ProcessLauncher {
    let graces = Graces { exit: Duration::from_secs(1), terminate: Duration::from_millis(500) };
    ProcessLauncher::new(&plan.runtimes, Binaries::default(), control.clone())
        .unwrap()
        .with_limits(Limits { ready: TIMEOUT, graces })
}

/// Keeps what it hears.
#[derive(Default)]
pub struct Heard {
    pub samples: Vec<SampleRecord>,
    pub failures: Vec<(String, Failure)>,
    pub warnings: Vec<String>,
    pub voided: Vec<Record>,
    /// What a sample file would have, in order.
    pub records: Vec<Record>,
    /// How many repetitions were behind us at the end, and how many were planned.
    pub done: u64,
    pub planned: u64,
}

impl Heard {
    /// Counted runs of the cell of this mode.
    pub fn counted(&self, mode: &str) -> usize {
        let id = format!("s/cell={mode}");
        self.samples.iter().filter(|record| record.cell == id && !record.warmup).count()
    }
}

impl Listener for Heard {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::Sampled { record, .. } | Event::SetAside { record } => {
                self.records.push(Record::Sample((*record).clone()));
            }
            Event::CellFailed { record, .. } | Event::TwinFailed { record, .. } | Event::Voided { record } => {
                self.records.push((*record).clone());
            }
            _ => {}
        }
        match event {
            Event::Started { visits, .. } => self.planned = visits.iter().map(Visit::repetitions).sum(),
            Event::Sampled { done, .. } | Event::CellFailed { done, .. } | Event::TwinFailed { done, .. } => {
                self.done = *done;
            }
            _ => {}
        }
        match event {
            Event::Sampled { record, .. } => self.samples.push((*record).clone()),
            Event::TwinFailed { warning: Some(warning), .. } => self.warnings.push(warning.clone()),
            Event::CellFailed { cell, failure, .. } => self.failures.push(((*cell).to_owned(), (*failure).clone())),
            Event::Warning { message } => self.warnings.push(message.clone()),
            Event::Voided { record } => self.voided.push((*record).clone()),
            _ => {}
        }
        Ok(())
    }
}

/// Runs a plan with a launcher.
pub fn run(plan: &Plan, mut launcher: ProcessLauncher, control: &Control) -> (Outcome, Heard) {
    let mut heard = Heard::default();
    let options = Options { seed: 1, ..Options::default() };
    let outcome =
        engine::run(plan, &Calibrations::default(), &options, &mut launcher, control, &mut [&mut heard]).unwrap();
    (outcome, heard)
}

/// Runs a plan with a launcher that starts nothing, on a machine that does what it is told to.
pub fn run_scripted(
    machine: &mut ScriptedMachine,
    plan: &Plan,
    options: &Options,
    launcher: &mut ScriptedLauncher,
) -> (Outcome, Heard) {
    let mut heard = Heard::default();
    let (calibrations, control) = (Calibrations::default(), Control::new().unwrap());
    let listeners: &mut [&mut dyn Listener] = &mut [&mut heard];
    let outcome = engine::run_on(machine, plan, &calibrations, options, launcher, &control, listeners).unwrap();
    (outcome, heard)
}

/// Compares all cells of the only scenario with each other; the first is the baseline.
pub fn compare_all(plan: &mut Plan) {
    let cells: Vec<usize> = (0..plan.scenarios[0].cells.len()).collect();
    plan.scenarios[0].comparisons.push(Comparison { fixed: <_>::default(), cells, baseline: Some(0) });
}

/// A line for a record: `run 2 of s/cell=a`.
pub fn line(record: &Record) -> String {
    match record {
        Record::Sample(SampleRecord { cell, round, warmup: true, .. }) => format!("warm-up {round} of {cell}"),
        Record::Sample(SampleRecord { cell, round, disturbed: Some(why), attempt, .. }) => {
            format!("run {round} of {cell}, attempt {attempt}: {why}")
        }
        Record::Sample(SampleRecord { cell, round, attempt: 1, .. }) => format!("run {round} of {cell}"),
        Record::Sample(SampleRecord { cell, round, attempt, .. }) => {
            format!("run {round} of {cell}, attempt {attempt}")
        }
        Record::Failure { cell, round, failure, .. } => format!("{cell} failed in {round}: {}", failure.reason),
        Record::Voided { cell, round, .. } => format!("voided {round} of {cell}"),
        Record::Header { .. } => "header".to_owned(),
    }
}

/// The processes that were started with a mark, or by one that was: their command lines.
pub fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    processes_where(|folder| {
        fs::read(folder.join("environ"))
            .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()))
    })
}

/// The command lines of processes of which this is true; it is given their folder in `/proc`.
pub fn processes_where(mut condition: impl FnMut(&std::path::Path) -> bool) -> Vec<String> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.file_name().unwrap().to_str().unwrap().parse::<u32>().is_ok())
        .filter(|folder| condition(folder))
        .map(|folder| fs::read_to_string(folder.join("cmdline")).unwrap_or_default().replace('\0', " "))
        .collect()
}

/// Waits until something holds, for at most a minute: a busy machine takes its time to make a database.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "in a minute it did not happen that {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs one ignored test of this test program in a process of its own, with these environment variables, and answers
/// with all that it printed.
pub fn again(test: &str, variables: &[(&str, &str)]) -> String {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
        .envs(variables.iter().copied())
        .env_remove("DATABASE_URL")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text
}

/// Prints for [`again`].
#[expect(clippy::print_stdout, reason = "how it talks to the test")]
pub fn tell(text: &str) {
    println!("{text}");
}
