//! Builds our own workers, only those that are needed.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::binaries::Binaries;

/// Builds these workers in release, whose progress goes to stderr.
///
/// Each has a call of cargo to itself: packages that are built together share the features of their libraries, and
/// a worker would be another program whenever it is built beside others. So one commit has one program of each name,
/// whichever scenarios are run, and that of `cargo build --release -p NAME`.
///
/// # Errors
/// Cargo cannot be started or a build fails; cargo has then said why on stderr.
pub fn build(workers: &BTreeSet<&'static str>) -> Result<Binaries> {
    workers.iter().map(|worker| build_one(worker)).collect()
}

fn build_one(worker: &'static str) -> Result<(&'static str, PathBuf)> {
    let arguments = arguments(worker);
    let output = duct::cmd(cargo(), &arguments)
        .dir(workspace())
        .stdout_capture()
        .unchecked()
        .run()
        .with_context(|| format!("could not start {}", cargo().display()))?;
    if !output.status.success() {
        bail!("{worker} could not be built; `cargo {}` says why above", arguments.join(" "));
    }
    program(&output.stdout, worker)
}

/// The same without a word on stderr: for the middle of a matrix, where a progress bar may be.
///
/// # Errors
/// As [`build`], with the first lines of what cargo said.
pub fn build_quietly(workers: &BTreeSet<&'static str>) -> Result<Binaries> {
    workers.iter().map(|worker| build_one_quietly(worker)).collect()
}

fn build_one_quietly(worker: &'static str) -> Result<(&'static str, PathBuf)> {
    const LINES: usize = 12;
    let mut arguments = arguments(worker);
    arguments.push("--quiet");
    let output = duct::cmd(cargo(), &arguments)
        .dir(workspace())
        .stdout_capture()
        .stderr_capture()
        .unchecked()
        .run()
        .with_context(|| format!("could not start {}", cargo().display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).take(LINES).collect();
        bail!("`cargo {}` failed: {}", arguments.join(" "), said.join("; "));
    }
    program(&output.stdout, worker)
}

fn arguments(worker: &'static str) -> Vec<&'static str> {
    vec!["build", "--release", "--message-format=json-render-diagnostics", "-p", worker]
}

/// The program that cargo says it built.
fn program(messages: &[u8], worker: &'static str) -> Result<(&'static str, PathBuf)> {
    let messages = String::from_utf8_lossy(messages);
    match messages.lines().find_map(|line| executable(line, worker)) {
        Some(path) => Ok((worker, path)),
        None => bail!("cargo built {worker} but named no program of it: has the package a [[bin]] {worker}?"),
    }
}

/// The workers as an earlier build left them.
///
/// # Errors
/// One is not there.
pub fn already_built(workers: &BTreeSet<&'static str>) -> Result<Binaries> {
    if workers.is_empty() {
        return Ok(Binaries::default());
    }
    let release = target_folder()?.join("release");
    let binaries: Binaries = workers
        .iter()
        .map(|worker| (*worker, release.join(format!("{worker}{}", env::consts::EXE_SUFFIX))))
        .filter(|(_, path)| path.is_file())
        .collect();
    let missing: Vec<&str> = workers.iter().copied().filter(|worker| binaries.path(worker).is_none()).collect();
    if !missing.is_empty() {
        bail!(
            "{} not built yet: {} has no such program. Leave --no-build out, or run `{}`",
            if missing.len() == 1 { format!("{} is", missing[0]) } else { format!("{} are", missing.join(" and ")) },
            release.display(),
            missing.iter().map(|worker| format!("cargo build --release -p {worker}")).collect::<Vec<_>>().join(" && "),
        );
    }
    Ok(binaries)
}

/// The cargo that runs us, or the one on the PATH.
fn cargo() -> OsString {
    // Not a `Path`: duct would look for a bare `cargo` in the current folder instead of on the PATH.
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The workspace that this orchestrator belongs to. Cargo names it when it runs us; it may have been moved since we
/// were compiled.
#[must_use]
pub fn workspace() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().map(Path::to_owned).unwrap_or(package)
}

/// Where cargo puts what it builds: configuration and environment may move it, so cargo is asked.
fn target_folder() -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let text = duct::cmd!(cargo(), "metadata", "--no-deps", "--format-version", "1", "--offline")
        .dir(workspace())
        .read()
        .context("cargo did not tell where its target folder is")?;
    let metadata: Metadata = serde_json::from_str(&text).context("cargo's metadata has no target_directory")?;
    Ok(metadata.target_directory)
}

/// Where this worker is, if this line of cargo's messages tells that.
fn executable(line: &str, worker: &str) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        reason: String,
        #[serde(default)]
        target: Option<Target>,
        #[serde(default)]
        executable: Option<PathBuf>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
        kind: Vec<String>,
    }
    let message: Message = serde_json::from_str(line).ok()?;
    let target = message.target.filter(|target| target.kind.iter().any(|kind| kind == "bin"))?;
    if message.reason != "compiler-artifact" || target.name != worker {
        return None;
    }
    message.executable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_names_the_programs_that_it_built() {
        let line = r#"{"reason":"compiler-artifact","package_id":"x","target":{"kind":["bin"],"crate_types":["bin"],"name":"cpu-worker","src_path":"/x"},"profile":{},"features":[],"filenames":["/t/release/cpu-worker"],"executable":"/t/release/cpu-worker","fresh":true}"#;
        assert_eq!(executable(line, "cpu-worker"), Some("/t/release/cpu-worker".into()));
        assert_eq!(executable(line, "io-worker"), None);
        let library =
            r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"cpu-worker"},"executable":null}"#;
        assert_eq!(executable(library, "cpu-worker"), None);
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#, "cpu-worker"), None);
    }

    #[test]
    fn nothing_needed_is_nothing_built() {
        assert_eq!(build(&BTreeSet::new()).unwrap(), Binaries::default());
        assert_eq!(already_built(&BTreeSet::new()).unwrap(), Binaries::default());
    }

    #[test]
    fn a_quiet_build_that_fails_says_what_cargo_said() {
        let text = build_quietly(&BTreeSet::from(["no-such-worker"])).unwrap_err().to_string();
        assert!(text.contains("-p no-such-worker --quiet` failed: ") && text.contains("no-such-worker"), "{text}");
    }

    #[test]
    fn a_build_that_fails_names_the_command() {
        let text = build(&BTreeSet::from(["no-such-worker"])).unwrap_err().to_string();
        let command = "cargo build --release --message-format=json-render-diagnostics -p no-such-worker";
        assert_eq!(text, format!("no-such-worker could not be built; `{command}` says why above"));
    }

    #[test]
    fn each_worker_is_built_by_itself_so_that_it_is_the_same_program_beside_any_others() {
        let text = build(&BTreeSet::from(["no-such-a", "no-such-b"])).unwrap_err().to_string();
        assert!(text.ends_with("-p no-such-a` says why above"), "{text}");
    }

    #[test]
    fn a_worker_that_was_never_built_comes_with_the_command_that_builds_it() {
        let text = already_built(&BTreeSet::from(["no-such-worker"])).unwrap_err().to_string();
        assert!(text.starts_with("no-such-worker is not built yet: "), "{text}");
        assert!(text.ends_with("run `cargo build --release -p no-such-worker`"), "{text}");
    }
}
