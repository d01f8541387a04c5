//! What the figures were taken with and on: `environment.json`. Nothing here fails: what cannot be known is `None`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use duct::cmd;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use protocol::Ready;

use super::git::{self, GitState};
use super::machine::Machine;
use super::options::RunOptions;
use crate::engine::binaries::resolve;
use crate::engine::calibrate::Calibration;
use crate::engine::capacity::Capacity;
use crate::engine::counting::TaskNumber;
use crate::engine::event::Note;
use crate::engine::probe::Probe;
use crate::matrix::plan::Runtime;
use crate::number::hex;

/// The version of `environment.json`.
pub const SCHEMA: u32 = 1;

/// What the figures were taken with and on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Version of this format.
    pub schema: u32,
    /// Version of Parallax.
    pub parallax: String,
    /// The command line: the program's name, then its arguments.
    pub command_line: Vec<String>,
    /// What of it decides what is measured. `None` in results of versions that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<RunOptions>,
    /// When an interrupted run went on, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// What the order of runs was drawn with.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
    /// The repository when the run began; `None` outside one.
    pub git: Option<GitState>,
    /// The same when it ended: work that went on meanwhile shows here. `None` until then.
    pub git_at_end: Option<GitState>,
    /// What `rustc --version` says.
    pub rustc: Option<String>,
    /// Cargo profile of the workers.
    pub profile: String,
    /// The workers that ran.
    pub workers: Vec<WorkerBinary>,
    /// What executed tasks, by the name on the `runtime` axis.
    pub runtimes: BTreeMap<String, RuntimeFacts>,
    /// The burn rate that turned CPU time into counts, by runtime; empty where no cell states CPU work as time.
    pub calibration: BTreeMap<String, Calibration>,
    /// What servers do in a closed loop, by a description of server and load: what rates in per cent are shares of.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capacity: BTreeMap<String, Capacity>,
    /// How many tasks the times of scenarios are, by a description of the task.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tasks: BTreeMap<String, TaskNumber>,
    /// Services and programs that tasks used, by what the matrix calls them: versions, places, without passwords.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, String>,
}

/// A worker's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerBinary {
    /// Its file name.
    pub name: String,
    /// SHA-256 of the file, in hexadecimal digits: two runs with the same hash ran the same program.
    pub sha256: Option<String>,
}

/// What a worker said of its runtime in its `ready` line, and how it was started.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RuntimeFacts {
    /// Name and version, such as `rust 1.95`.
    pub version: Option<String>,
    /// Name and version of the worker, such as `cpu-worker 0.1.0`.
    pub worker: Option<String>,
    /// The first line of what its version command printed, where the matrix has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_command: Option<String>,
    /// The command that started its worker, with the program's path and what the matrix adds to its environment; of our
    /// own workers there are the hashes instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// What else it told.
    #[serde(default)]
    pub facts: BTreeMap<String, serde_json::Value>,
}

impl From<&Ready> for RuntimeFacts {
    fn from(ready: &Ready) -> Self {
        Self {
            version: Some(ready.runtime.clone()),
            worker: Some(ready.worker.clone()),
            version_command: None,
            command: None,
            facts: ready.facts.clone(),
        }
    }
}

/// What only the caller knows when a run begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting<'a> {
    /// Where cargo and git are asked: the workspace.
    pub workspace: &'a Path,
    /// Where results are kept: files there do not make the tree dirty.
    pub results: &'a Path,
    /// What the order of runs is drawn with.
    pub seed: u64,
    /// Cargo profile of the workers.
    pub profile: &'a str,
    /// Files of the workers that will run.
    pub workers: &'a [PathBuf],
}

impl Environment {
    /// Looks around when a run begins. Runtimes and calibration become known later: set them, and write the file again.
    #[must_use]
    pub fn capture(setting: &Setting<'_>) -> Self {
        Self {
            schema: SCHEMA,
            parallax: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: command_line(),
            options: None,
            resumed: Vec::new(),
            seed: setting.seed,
            machine: Machine::capture(),
            git: git::state(setting.workspace, setting.results),
            git_at_end: None,
            rustc: rustc(setting.workspace),
            profile: setting.profile.to_owned(),
            workers: setting.workers.iter().map(|path| worker(path)).collect(),
            runtimes: BTreeMap::new(),
            calibration: BTreeMap::new(),
            capacity: BTreeMap::new(),
            tasks: BTreeMap::new(),
            services: BTreeMap::new(),
        }
    }

    /// Takes note of something that was found out during the run.
    pub fn note(&mut self, note: &Note) {
        match note {
            Note::Built { path } => {
                let built = worker(path);
                self.workers.retain(|known| known.name != built.name);
                self.workers.push(built);
            }
            Note::Counted { key, number } => drop(self.tasks.insert(key.clone(), number.clone())),
            Note::Service { name, found } => drop(self.services.insert(name.clone(), found.clone())),
        }
    }

    /// Looks around once more when the run has ended.
    pub fn finish(&mut self, setting: &Setting<'_>) {
        self.git_at_end = git::state(setting.workspace, setting.results);
    }

    /// Takes note of what a runtime told before anything was measured.
    pub fn note_runtime(&mut self, runtimes: &[Runtime], name: &str, probe: &Probe) {
        let Some(runtime) = runtimes.iter().find(|runtime| runtime.name == name) else { return };
        let mut facts = probe.ready.as_ref().map(RuntimeFacts::from).unwrap_or_default();
        facts.version_command.clone_from(&probe.version);
        facts.command = resolve(runtime).ok().map(|command| {
            let program = without_home(&command.program);
            let variables = command.environment.iter().map(|(name, value)| format!("{name}={value}"));
            variables.chain([program]).chain(command.arguments).collect()
        });
        self.runtimes.insert(name.to_owned(), facts);
    }

    /// Takes note of what a worker said of its runtime in its `ready` line, where that is not known yet.
    pub fn note_ready(&mut self, name: &str, ready: &Ready) {
        let facts = self.runtimes.entry(name.to_owned()).or_default();
        if facts.worker.is_none() {
            let known = std::mem::replace(facts, ready.into());
            (facts.version_command, facts.command) = (known.version_command, known.command);
        }
    }

    /// The text of `environment.json`: readable, ends in a line feed.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an environment has string keys only") + "\n"
    }

    /// The commit, shortened, with a sign where the tree was not clean or changed during the run.
    #[must_use]
    pub fn commit(&self) -> Option<String> {
        let GitState { commit, dirty } = self.git.as_ref()?;
        let short: String = commit.chars().take(10).collect();
        let changed = self.git_at_end.as_ref().is_some_and(|end| end.dirty || end.commit != *commit);
        Some(match (dirty, changed) {
            (true, _) => format!("{short} (dirty)"),
            (false, true) => format!("{short} (changed during the run)"),
            (false, false) => short,
        })
    }
}

/// How this program was started, without the folder that it lies in: results are published.
fn command_line() -> Vec<String> {
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default();
    let name = Path::new(&program).file_name().unwrap_or_default().to_owned();
    std::iter::once(name).chain(arguments).map(|argument| argument.to_string_lossy().into_owned()).collect()
}

fn rustc(workspace: &Path) -> Option<String> {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    cmd!(program, "--version").dir(workspace).stdin_null().stderr_null().read().ok()
}

fn worker(path: &Path) -> WorkerBinary {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    WorkerBinary { name, sha256: sha256(path).ok() }
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut HashWriter(&mut hasher))?;
    Ok(hex(&hasher.finalize()))
}

/// Lets `io::copy` feed a hasher.
struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A path with `~` for the home folder: results are committed, and whose machine it was is nobody's business.
fn without_home(path: &Path) -> String {
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests;
