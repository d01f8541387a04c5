//! Runtimes beside Rust: on the axes of the matrix, from the command line, and what becomes of those that are missing,
//! broken or too old. Interpreters are stood in for by scripts that answer as they do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use xtask::doctor::interpreters::findings_in;
use xtask::doctor::interpreters::places::Places;
use xtask::doctor::{Finding, State};

/// A program that is a shell script.
fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A stand-in for an interpreter: what it answers when it is asked what it is.
fn interpreter(path: &Path, greeting: &str, answer: &str) {
    script(path, &format!("if [ \"$1\" = --version ]; then echo '{greeting}'; else echo '{answer}'; fi"));
}

fn python(path: &Path, version: &str, more: &str) {
    let executable = path.display();
    interpreter(
        path,
        &format!("Python {version}"),
        &format!(
            r#"{{"parallax": 1, "implementation": "CPython", "version": "{version}", "executable": "{executable}"{more}}}"#
        ),
    );
}

/// Long enough for a script on a busy machine; for those that hang, `SHORT`.
const LIMIT: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(300);

fn look(path: &[PathBuf], versions: &[PathBuf], limit: Duration) -> Vec<Finding> {
    let places = Places { path: std::env::join_paths(path).unwrap(), versions: versions.to_vec() };
    findings_in(&places, limit)
}

fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{:?} {}: {}", finding.state, finding.subject, finding.found)).collect()
}

const NOWHERE: &str = "not found on the PATH, nor in the folders of uv, pyenv and rbenv";

#[test]
fn a_machine_without_interpreters_is_told_how_to_get_them() {
    let findings = look(&[], &[PathBuf::from("/no/such/folder")], LIMIT);
    assert_eq!(
        lines(&findings),
        [
            format!("Missing Python: {NOWHERE}"),
            format!("Missing Python without a GIL: {NOWHERE}"),
            format!("Missing Ruby: {NOWHERE}")
        ]
    );
    assert!(findings.iter().all(|finding| finding.advice.as_ref().unwrap().contains("install")), "{findings:?}");
}

#[test]
fn interpreters_of_the_path_and_of_version_managers_are_listed_once_each() {
    let folder = tempfile::tempdir().unwrap();
    let (bin, uv) = (folder.path().join("bin"), folder.path().join("uv"));
    let free = uv.join("cpython-3.14.0+freethreaded/bin/python3.14t");
    python(&bin.join("python3.11"), "3.11.7", r#", "built_without_gil": false, "gil_enabled": true"#);
    python(&free, "3.14.0", r#", "built_without_gil": true, "gil_enabled": false, "interpreters": true"#);
    // Links, and a shim that is a script of its own.
    std::os::unix::fs::symlink("python3.11", bin.join("python3")).unwrap();
    std::os::unix::fs::symlink(&free, bin.join("python3.14t")).unwrap();
    script(&folder.path().join("shims/python3"), &format!("exec {} \"$@\"", bin.join("python3.11").display()));
    script(&folder.path().join("shims/python3.9"), "echo 'pyenv: python3.9: command not found' >&2; exit 127");
    // What is called nearly so is not asked.
    script(&bin.join("python3-config"), "touch \"$0.was-asked\"");

    let findings = look(&[folder.path().join("shims"), bin.clone()], &[uv], LIMIT);
    assert_eq!(
        lines(&findings),
        [
            format!("Good python3.11: CPython 3.11.7, has a GIL; {}/python3.11", bin.display()),
            format!(
                "Good python3.14t: CPython 3.14.0, free-threaded: built without a GIL, and it is off, a pool of \
                 interpreters; {}",
                free.display()
            ),
            format!("Missing Ruby: {NOWHERE}")
        ]
    );
    assert_eq!(
        findings[1].paste,
        format!(
            "[[runtime]]\nname    = \"python3.14t\"\ncommand = [\"{}\", \"crates/interpreters/python/worker.py\"]\n",
            free.display()
        )
    );
    assert!(!bin.join("python3-config.was-asked").exists());
}

#[test]
fn one_that_hangs_or_talks_nonsense_or_is_too_old_is_told_and_not_offered() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    script(&bin.join("python3.10"), "sleep 60 & sleep 60");
    script(&bin.join("python3.12"), "echo 'I am a teapot'");
    script(&bin.join("python3.13"), "echo 'libpython3.13.so.1.0: cannot open shared object file' >&2; exit 1");
    python(&bin.join("python3.8"), "3.8.18", "");
    let findings = look(std::slice::from_ref(&bin), &[], SHORT);
    let path = bin.display();
    let told = lines(&findings);
    let expected = [
        format!("Note python3.8: CPython 3.8.18; {path}/python3.8"),
        format!("Note python3.10: {path}/python3.10 did not answer within 300ms"),
        format!("Note python3.12: {path}/python3.12 answered \"I am a teapot\" when it was asked what it is"),
        format!(
            "Note python3.13: {path}/python3.13 exited with status 1: libpython3.13.so.1.0: cannot open shared object file"
        ),
    ];
    assert_eq!(told[..4], expected);
    assert_eq!(findings[0].advice.as_deref(), Some("too old for the worker, which needs Python 3.9"));
    assert!(findings.iter().all(|finding| finding.paste.is_empty() && finding.state != State::Good));
}

#[test]
fn two_of_one_version_have_their_whole_versions_in_their_names() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["3.11.7", "3.11.2"] {
        python(&folder.path().join(version).join("bin/python3.11"), version, "");
    }
    let findings = look(&[], &[folder.path().to_owned()], LIMIT);
    let names: Vec<&str> = findings.iter().map(|finding| finding.subject.as_str()).take(2).collect();
    assert_eq!(names, ["python3.11.2", "python3.11.7"]);
}

/// A folder with a matrix, and the real program in it.
struct Bench(TempDir);

impl Bench {
    fn new(matrix: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("bench-matrix.toml"), format!("schema = 1\n{matrix}")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(arguments)
            .current_dir(self.0.path())
            .env("PARALLAX_LOCK_FILE", self.path("lock"))
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The matrix, which needs none of our workers.
    fn measure(&self) -> (Output, Value) {
        let output = self.run(&["matrix", "--no-build", "--out", "results", "--format", "json"]);
        let summary = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        (output, summary)
    }
}

fn ids(output: &Output) -> Vec<String> {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

const BATCH: &str =
    "[[batch]]\nname = \"b\"\nmodel = \"threads\"\ntasks = 2\ntask = { op = \"burn\", iterations = 10 }\n";
const HTTP: &str = "[[http]]\nname = \"h\"\nmodel = \"loops\"\nload = { connections = 2, requests = 10 }\n";
const PYTHON: &str = "[[runtime]]\nname = \"python3\"\ncommand = [\"python3\", \"worker.py\"]\n";

#[test]
fn a_server_of_a_runtime_has_one_cell_whatever_the_lock_says() {
    let axes = "runtime = [\"rust\", \"python3\"]\nlock = [\"none\", \"gil\"]\ncompare = \"runtime\"\n";
    let bench = Bench::new(&format!("{HTTP}{axes}{PYTHON}"));
    let cells = ids(&bench.run(&["list", "--format", "ids"]));
    assert_eq!(cells, ["h/runtime=rust,lock=none", "h/runtime=rust,lock=gil", "h/runtime=python3"]);
}

#[test]
fn a_server_of_ones_own_has_no_runtime() {
    let server = "[[http]]\nname = \"h\"\nserver = { command = [\"x\", \"{port}\"] }\nruntime = \"python3\"\n\
                  load = { connections = 2, requests = 10 }\n";
    let text = error(&Bench::new(&format!("{server}{PYTHON}")).run(&["check"]));
    assert!(text.contains("`runtime` is about our own server, and this scenario has a `server`"), "{text}");
}

#[test]
fn a_comparison_of_locks_that_only_interpreters_have_is_refused() {
    let axes = "runtime = \"python3\"\nlock = [\"none\", \"gil\"]\ncompare = \"lock\"\n";
    let text = error(&Bench::new(&format!("{HTTP}{axes}{PYTHON}")).run(&["check"]));
    assert!(text.contains("an interpreter brings its own lock"), "{text}");
}

#[test]
fn a_runtime_of_the_command_line_joins_every_axis_of_runtimes() {
    let axis = "runtime = [\"rust\", \"python3\"]\n";
    let other = BATCH.replace("\"b\"", "\"other\"");
    let bench = Bench::new(&format!("{BATCH}{axis}{other}{HTTP}runtime = [\"rust\"]\n{PYTHON}"));
    interpreter(&bench.path("mine"), "Python 3.13.0", "");
    let all = ids(&bench.run(&["list", "--format", "ids", "--runtime", "python3.13t=./mine"]));
    let joined = [
        "b/runtime=rust",
        "b/runtime=python3",
        "b/runtime=python3.13t",
        "other",
        "h/runtime=rust",
        "h/runtime=python3.13t",
    ];
    assert_eq!(all, joined);
    // One that the matrix has already is replaced, not added.
    let all = ids(&bench.run(&["list", "b", "--format", "ids", "--runtime", "python3=./mine"]));
    assert_eq!(all, ["b/runtime=rust", "b/runtime=python3"]);
}

#[test]
fn a_runtime_of_the_command_line_that_would_be_measured_nowhere_is_refused() {
    let bench = Bench::new(&format!("{BATCH}runtime = \"rust\"\n"));
    interpreter(&bench.path("mine"), "ruby 3.3.0 (2023-12-25)", "");
    let text = error(&bench.run(&["matrix", "--runtime", "r=./mine"]));
    assert_eq!(
        text,
        "error: --runtime r: none of the 1 scenario chosen has a `runtime` axis that it could join; write `runtime = \
         [\"rust\"]` in a scenario to make one\n"
    );
    let text = error(&bench.run(&["matrix", "--runtime", "r=./mine", "--runtime", "r=./mine"]));
    assert_eq!(text, "error: --runtime r=./mine: is given twice\n");
}

/// A matrix of one cell of a runtime with this command, and what became of it: status and reason, and the exit status.
fn fate(command: &str, more: &str, prepare: impl Fn(&Bench)) -> (String, String, Option<i32>, Value) {
    let runtime = format!("[[runtime]]\nname = \"it\"\ncommand = {command}\ninstall = \"apt install it\"\n{more}");
    let bench = Bench::new(&format!("{BATCH}runtime = \"it\"\n{runtime}"));
    prepare(&bench);
    let (output, summary) = bench.measure();
    let cell = summary["scenarios"][0]["cells"][0].clone();
    let text = |key: &str| cell[key].as_str().unwrap_or_default().to_owned();
    let reason = text("reason").replace("before the first round (0 of 5 runs were measured): ", "");
    (text("status"), reason, output.status.code(), cell)
}

#[test]
fn an_interpreter_that_is_missing_is_skipped_with_how_to_get_it() {
    let (status, reason, exit, _) = fate("[\"no-such-python\", \"worker.py\"]", "", |_| {});
    assert_eq!((status.as_str(), exit), ("skipped", Some(0)));
    assert_eq!(reason, "no-such-python is not on the PATH; to install it: apt install it");
}

#[test]
fn a_worker_that_crashes_at_import_fails_with_the_end_of_its_traceback() {
    let crash = |bench: &Bench| {
        script(&bench.path("python"), "echo \"ModuleNotFoundError: No module named 'asyncio'\" >&2; exit 1");
    };
    let (status, reason, exit, cell) = fate("[\"./python\", \"worker.py\"]", "", crash);
    assert_eq!((status.as_str(), exit), ("failed", Some(1)));
    assert_eq!(reason, "the worker exited with status 1 before it answered the job");
    assert_eq!(cell["stderr_tail"], serde_json::json!(["ModuleNotFoundError: No module named 'asyncio'"]));
}

#[test]
fn a_worker_that_finds_its_interpreter_too_old_is_unsupported_in_its_own_words() {
    let old = |bench: &Bench| {
        let answer = r#"{"type":"unsupported","message":"this worker needs Python 3.9 or later, this is 3.6.15"}"#;
        script(&bench.path("python"), &format!("while read line; do echo '{answer}'; done"));
    };
    let (status, reason, exit, _) = fate("[\"./python\"]", "", old);
    assert_eq!((status.as_str(), exit), ("unsupported", Some(0)));
    assert_eq!(reason, "this worker needs Python 3.9 or later, this is 3.6.15");
}

#[test]
fn a_runtime_that_cannot_tell_its_version_is_not_measured() {
    let ready = r#"{"type":"ready","protocol":1,"worker":"w 1","runtime":" "}"#;
    let mute = |bench: &Bench| script(&bench.path("w"), &format!("while read line; do echo '{ready}'; done"));
    let (status, reason, _, _) = fate("[\"./w\"]", "", mute);
    assert_eq!(status, "failed");
    assert_eq!(reason, "the worker does not say what executes its tasks: `runtime` of its `ready` line is empty");

    let good = |bench: &Bench| {
        script(&bench.path("w"), &format!("while read line; do echo '{}'; done", ready.replace("\" \"", "\"x 1\"")));
    };
    let (status, reason, _, _) = fate("[\"./w\"]", "version = [\"sh\", \"-c\", \"exit 4\"]\n", good);
    assert_eq!(status, "failed");
    assert_eq!(
        reason,
        "`sh -c exit 4`, the version command of it, exited with status 4; a runtime that cannot tell its version is not \
         measured"
    );
}

#[test]
fn files_of_a_command_are_looked_for_beside_the_matrix_and_then_in_the_workspace() {
    // The worker says which file it was given, and from which folder.
    let tell = r#"while read line; do echo "{\"type\":\"error\",\"message\":\"$1 in $PWD\"}"; done"#;
    let beside = |bench: &Bench| {
        script(&bench.path("python"), tell);
        script(&bench.path("lib/worker.py"), "");
    };
    let (_, reason, _, _) = fate("[\"./python\", \"lib/worker.py\"]", "", beside);
    assert!(reason.starts_with("the worker reports an error: lib/worker.py in /"), "{reason}");
    let (_, reason, _, _) = fate("[\"./python\", \"xtask/Cargo.toml\"]", "", beside);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let start = format!("the worker reports an error: {}/xtask/Cargo.toml in /", workspace.display());
    assert!(reason.starts_with(&start), "{reason}");
}
