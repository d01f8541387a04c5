//! What the tests of `cargo xtask matrix` share: a folder with a matrix of fixture workers, and the real program.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// An argument of [`Bench::run`] that leaves it to the program which baselines are measured twice.
pub const AUTOMATIC: &str = "(automatic twins)";

/// A folder of its own for every test: matrix, lock and results.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// A matrix with one scenario `s` whose cells are fixture workers in these modes, compared with each other.
    pub fn new(modes: &[&str], settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = modes.iter().map(|mode| format!("{mode:?}")).collect();
        let mut text = format!(
            "schema = 1\n[[batch]]\nname = \"s\"\ntask = {{ op = \"sum-of-squares\", n = 10 }}\ntasks = 2\n\
             model = \"sequential\"\nruntime = [{}]\ncompare = \"runtime\"\n{settings}\n",
            names.join(", ")
        );
        for mode in modes {
            let worker = env!("CARGO_BIN_EXE_fixture-worker");
            let command = if *mode == "missing" { "no-such-interpreter" } else { worker };
            text += &format!(
                "[[runtime]]\nname = {mode:?}\ncommand = [{command:?}, {mode:?}]\ninstall = \"apt install {mode}\"\n\
                 env = {{ PARALLAX_TEST = {:?} }}\n",
                mark(&folder)
            );
        }
        fs::write(folder.path().join("m.toml"), text).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(["matrix", "--matrix"])
            .arg(self.path("m.toml"))
            .args(arguments.iter().filter(|it| **it != AUTOMATIC))
            // How many runs there are must not depend on how quiet the machine is, nor on who ran before.
            .args(if arguments.contains(&"--resume") { &[][..] } else { &["--no-repeats"] })
            .args(if arguments.iter().any(|it| ["--aa", "--resume", AUTOMATIC].contains(it)) {
                &[][..]
            } else {
                &["--no-aa"]
            })
            .env("PARALLAX_LOCK_FILE", self.path("lock"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        if !arguments.contains(&"--out") {
            command.arg("--out").arg(self.path("results"));
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The folder of the only result.
    pub fn result(&self) -> PathBuf {
        let folders = fs::read_dir(self.path("results")).unwrap().map(|entry| entry.unwrap().path());
        let mut folders = folders.filter(|path| path.is_dir());
        let folder = folders.next().expect("there is a result");
        assert_eq!(folders.next(), None);
        folder
    }

    pub fn summary(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.result().join("summary.json")).unwrap()).unwrap()
    }

    /// The cell of this mode in the summary.
    pub fn cell(&self, mode: &str) -> Value {
        let summary = self.summary();
        let cells = summary["scenarios"][0]["cells"].as_array().unwrap();
        cells.iter().find(|cell| cell["axes"]["runtime"] == mode).expect("the cell is in the summary").clone()
    }

    /// Waits until this many samples are on disk.
    pub fn wait_for_samples(&self, count: usize) {
        wait_until("the samples are there", || {
            let Ok(entries) = fs::read_dir(self.path("results")) else { return false };
            entries.flatten().any(|entry| samples(&entry.path()).is_some_and(|samples| samples.len() >= count))
        });
    }

    /// Starts it, and interrupts it when this many samples are on disk.
    pub fn interrupt_at(&self, arguments: &[&str], samples: usize, signal: Signal) -> Output {
        let child = self.start(arguments);
        self.wait_for_samples(samples);
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        self.assert_nothing_lives();
        output
    }

    /// `environment.json` of the only result.
    pub fn environment(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.result().join("environment.json")).unwrap()).unwrap()
    }

    /// Proves that no worker of this bench is left.
    pub fn assert_nothing_lives(&self) {
        wait_until("every worker is gone", || workers(&mark(&self.folder)) == 0);
    }
}

/// The value of an environment variable by which this bench's workers are known.
fn mark(folder: &TempDir) -> String {
    folder.path().display().to_string()
}

/// How many living processes have the mark.
fn workers(mark: &str) -> usize {
    let wanted = format!("PARALLAX_TEST={mark}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| fs::read(entry.path().join("environ")).ok())
        .filter(|environment| environment.windows(wanted.len()).any(|part| part == wanted.as_bytes()))
        .count()
}

/// The sample records in a result's folder, if the file is there.
pub fn samples(folder: &Path) -> Option<Vec<Value>> {
    let text = fs::read_to_string(folder.join("samples.jsonl")).ok()?;
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON"));
    Some(lines.filter(|record: &Value| record["record"] == "sample").collect())
}

pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
