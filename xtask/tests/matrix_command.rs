//! `cargo xtask matrix` as a person runs it: the real program, real worker processes (the fixture), real files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// A folder of its own for every test: matrix, lock and results.
struct Bench {
    folder: TempDir,
}

impl Bench {
    /// A matrix with one scenario `s` whose cells are fixture workers in these modes, compared with each other.
    fn new(modes: &[&str], settings: &str) -> Self {
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

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(["matrix", "--matrix"])
            .arg(self.path("m.toml"))
            .args(arguments)
            // How many runs there are must not depend on how quiet the machine is.
            .args(if arguments.contains(&"--resume") { &[][..] } else { &["--no-repeats"] })
            .args(if arguments.iter().any(|it| ["--aa", "--resume"].contains(it)) { &[][..] } else { &["--no-aa"] })
            .env("PARALLAX_LOCK_FILE", self.path("lock"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        if !arguments.contains(&"--out") {
            command.arg("--out").arg(self.path("results"));
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The folder of the only result.
    fn result(&self) -> PathBuf {
        let folders = fs::read_dir(self.path("results")).unwrap().map(|entry| entry.unwrap().path());
        let mut folders = folders.filter(|path| path.is_dir());
        let folder = folders.next().expect("there is a result");
        assert_eq!(folders.next(), None);
        folder
    }

    fn summary(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.result().join("summary.json")).unwrap()).unwrap()
    }

    /// The cell of this mode in the summary.
    fn cell(&self, mode: &str) -> Value {
        let summary = self.summary();
        let cells = summary["scenarios"][0]["cells"].as_array().unwrap();
        cells.iter().find(|cell| cell["axes"]["runtime"] == mode).expect("the cell is in the summary").clone()
    }

    /// Waits until this many samples are on disk.
    fn wait_for_samples(&self, count: usize) {
        wait_until("the samples are there", || {
            let Ok(entries) = fs::read_dir(self.path("results")) else { return false };
            entries.flatten().any(|entry| samples(&entry.path()).is_some_and(|samples| samples.len() >= count))
        });
    }

    /// Proves that no worker of this bench is left.
    fn assert_nothing_lives(&self) {
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
fn samples(folder: &Path) -> Option<Vec<Value>> {
    let text = fs::read_to_string(folder.join("samples.jsonl")).ok()?;
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON"));
    Some(lines.filter(|record: &Value| record["record"] == "sample").collect())
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_run_prints_tables_on_stdout_and_keeps_every_file() {
    let bench = Bench::new(&["good", "as-good"], "runs = 3\nwarmups = 1");
    let output = bench.run(&["--seed", "7"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(stdout.starts_with("s\n"), "{stdout}");
    for part in ["good", "as-good", "median", "ratio", "1.00"] {
        assert!(stdout.contains(part), "{stdout}");
    }
    assert!(!stdout.contains('\u{1b}'), "a pipe gets no colour");
    assert!(stderr.contains("[1/2] s/runtime="), "{stderr}");
    let summary = bench.summary();
    assert_eq!((summary["complete"].as_bool(), summary["schema"].as_u64()), (Some(true), Some(1)));
    let names = ["environment.json", "matrix.toml", "samples.jsonl", "summary.json", "tables.md"];
    assert!(names.iter().all(|name| bench.result().join(name).is_file()));
    assert!(fs::read_to_string(bench.path("results/README.md")).unwrap().contains("tables.md"));
    // 2 cells, 3 rounds, a warm-up and a run each.
    let samples = samples(&bench.result()).unwrap();
    assert_eq!(samples.len(), 12);
    assert_eq!(samples.iter().filter(|sample| sample["warmup"] == true).count(), 6);
    assert_eq!(bench.cell("good")["elapsed_ns"]["values"].as_array().unwrap().len(), 3);
    assert_eq!(fs::read(bench.result().join("matrix.toml")).unwrap(), fs::read(bench.path("m.toml")).unwrap());
}

#[test]
fn the_same_seed_gives_the_same_order() {
    let order = || {
        let bench = Bench::new(&["a", "b", "c", "d"], "runs = 4\nwarmups = 0");
        assert_eq!(bench.run(&["--seed", "3"]).status.code(), Some(0));
        let samples = samples(&bench.result()).unwrap();
        samples.iter().map(|sample| sample["cell"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(order(), order());
}

#[test]
fn json_and_csv_on_stdout_are_data_and_nothing_else() {
    let bench = Bench::new(&["good"], "runs = 1\nwarmups = 0");
    let json: Value = serde_json::from_slice(&bench.run(&["--format", "json"]).stdout).unwrap();
    assert_eq!(json, bench.summary());
    let bench = Bench::new(&["good"], "runs = 1\nwarmups = 0");
    let csv = text(&bench.run(&["--format", "csv"]).stdout);
    let widths: Vec<usize> = csv::Reader::from_reader(csv.as_bytes()).records().map(|row| row.unwrap().len()).collect();
    assert_eq!(widths.len(), 1, "{csv}");
}

#[test]
fn a_cell_that_fails_is_a_row_with_its_reason_and_the_others_are_measured() {
    let bench = Bench::new(&["good", "segfault", "exit-3", "missing", "unsupported"], "runs = 2\nwarmups = 0");
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(bench.cell("good")["status"], "ok");
    let reason = |mode: &str| {
        let cell = bench.cell(mode);
        format!("{}: {}", cell["status"].as_str().unwrap(), cell["reason"].as_str().unwrap())
    };
    assert!(reason("segfault").starts_with("failed: "), "{}", reason("segfault"));
    assert!(reason("segfault").contains("SIGSEGV"), "{}", reason("segfault"));
    assert!(reason("exit-3").contains("status 3"), "{}", reason("exit-3"));
    assert_eq!(bench.cell("exit-3")["stderr_tail"][1], "the reason is here");
    assert!(reason("missing").starts_with("skipped: "), "{}", reason("missing"));
    assert!(reason("missing").contains("apt install missing"), "{}", reason("missing"));
    assert_eq!(reason("unsupported"), "unsupported: the fixture has no such model");
    let tables = fs::read_to_string(bench.result().join("tables.md")).unwrap();
    assert!(tables.contains("the reason is here"), "{tables}");
    bench.assert_nothing_lives();
}

#[test]
fn a_cell_that_computes_something_else_has_failed_wherever_it_ran() {
    // Whatever order the seed gives, two against one decide.
    for seed in ["1", "2", "3", "4"] {
        let bench = Bench::new(&["good", "other-checksum", "as-good"], "runs = 1\nwarmups = 0");
        assert_eq!(bench.run(&["--seed", seed]).status.code(), Some(1));
        assert_eq!((&bench.cell("good")["status"], &bench.cell("as-good")["status"]), (&"ok".into(), &"ok".into()));
        let reason = bench.cell("other-checksum")["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("0000000000000002") && reason.contains("0000000000000001"), "{reason}");
    }
}

#[test]
fn a_smoke_pass_runs_every_cell_once() {
    let bench = Bench::new(&["good", "as-good"], "runs = 9\nwarmups = 9");
    assert_eq!(bench.run(&["--smoke"]).status.code(), Some(0));
    assert_eq!(samples(&bench.result()).unwrap().len(), 2);
}

#[test]
fn the_second_matrix_is_told_who_holds_the_machine_and_since_when() {
    let bench = Bench::new(&["slow"], "runs = 50\nwarmups = 0");
    let mut first = bench.start(&[]);
    bench.wait_for_samples(1);
    let second = bench.run(&[]);
    let said = text(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("process {}", first.id())) && said.contains("since 20"), "{said}");
    kill(Pid::from_raw(first.id().cast_signed()), Signal::SIGINT).unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(130));
    bench.assert_nothing_lives();
}

#[test]
fn an_interrupted_matrix_keeps_and_prints_what_there_is() {
    let bench = Bench::new(&["slow"], "runs = 50\nwarmups = 0");
    let mut child = bench.start(&[]);
    bench.wait_for_samples(2);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(stdout.starts_with("s\n"), "{stdout}");
    assert_eq!(bench.summary()["complete"], false);
    assert!(samples(&bench.result()).unwrap().len() >= 2);
    bench.assert_nothing_lives();
}

#[test]
fn a_killed_matrix_leaves_whole_lines_and_no_worker() {
    let bench = Bench::new(&["slow"], "runs = 50\nwarmups = 0");
    let mut child = bench.start(&[]);
    bench.wait_for_samples(2);
    child.kill().unwrap();
    child.wait().unwrap();
    bench.assert_nothing_lives();
    // Parsed to the last line: reading panics at a torn one.
    assert!(samples(&bench.result()).unwrap().len() >= 2);
}

#[test]
fn a_place_where_nothing_can_be_kept_is_named_before_anything_is_measured() {
    let bench = Bench::new(&["good"], "runs = 1");
    fs::write(bench.path("file"), "").unwrap();
    // Below a regular file not even root can make a folder.
    let out = bench.path("file/results");
    let output = bench.run(&["--out", out.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("nothing has been measured") && said.contains("--out DIR"), "{said}");
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn a_full_disk_ends_the_matrix_and_keeps_the_samples_before_it() {
    let bench = Bench::new(&["good"], "runs = 1000\nwarmups = 0\norder = \"sequential\"");
    let disk = bench.path("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: only root may mount a small disk");
        return;
    }
    let output = bench.run(&["--out", disk.to_str().unwrap()]);
    let result = fs::read_dir(&disk).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let kept = samples(&result).unwrap().len();
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("samples.jsonl") && said.contains("No space left"), "{said}");
    assert!(kept > 10, "{kept}");
    bench.assert_nothing_lives();
}

#[test]
fn a_reader_that_leaves_early_does_not_lose_the_result() {
    let bench = Bench::new(&["good"], "runs = 1\nwarmups = 0");
    let mut child = bench.start(&[]);
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    child.wait().unwrap();
    assert_eq!(bench.summary()["complete"], true, "{stderr}");
}
