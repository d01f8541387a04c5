//! Everyday operations in the matrix file: what is left out has its default, what is written means what it says; and as a
//! person runs them, on a machine that has what they need and on a bare one. The workers are fixtures.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use protocol::{Database, Query};
use serde_json::Value;
use tempfile::TempDir;
use xtask::matrix::plan::{
    BatchWork, CpuWork, HttpSource, MailServer, Need, Plan, Scenario, TaskCount, TaskSpec, Tool, Work,
};
use xtask::matrix::{LoadOptions, parse};

fn load(keys: &str) -> Plan {
    let text = format!("schema = 1\n[[batch]]\nname = \"s\"\n{keys}\n");
    let options = LoadOptions { quick: false, cores: 2, allow_remote: false };
    parse(Path::new("/some/where/test.toml"), text, &options).unwrap_or_else(|report| panic!("{report}"))
}

fn scenario(keys: &str) -> Scenario {
    load(keys).scenarios.remove(0)
}

fn work(cell: &xtask::matrix::plan::Cell) -> &BatchWork {
    let Work::Batch(work) = &cell.work else { unreachable!() };
    work
}

fn task(text: &str) -> TaskSpec {
    work(&scenario(&format!("task = {{ {text} }}\ntasks = 8\nmodel = \"threads\"")).cells[0]).task.clone()
}

#[test]
fn what_is_left_out_has_its_default() {
    let ms = Duration::from_millis;
    assert_eq!(task("op = \"command\""), TaskSpec::Command { argv: vec!["sleep".into(), "0.2".into()] });
    let from = HttpSource::Own { io: ms(50), cpu: CpuWork::Time(Duration::ZERO) };
    assert_eq!(task("op = \"http-get\""), TaskSpec::HttpGet { from, keep_alive: false });
    let to = MailServer::Own { delay: ms(50) };
    assert_eq!(task("op = \"smtp-send\""), TaskSpec::SmtpSend { to, body_bytes: 1000 });
    let query = Query::Wait { io_ns: 5_000_000 };
    let asked = TaskSpec::DbSelect { database: Database::Postgres, connections: 4, query };
    assert_eq!(task("op = \"db-select\", wait = \"5ms\""), asked);
    let read = TaskSpec::FileRead { size_bytes: 1 << 20, cold: false, folder: None };
    assert_eq!(task("op = \"file-read\""), read);
    let written = TaskSpec::FileWrite { size_bytes: 1 << 20, fsync: true, folder: None };
    assert_eq!(task("op = \"file-write\""), written);
    let resized = TaskSpec::ResizeImage { by: Tool::Library, source_width: 1600, width: 400, folder: None };
    assert_eq!(task("op = \"resize-image\""), resized);
    let packed = TaskSpec::Zip { by: Tool::Library, files: 20, file_bytes: 50_000, folder: None };
    assert_eq!(task("op = \"zip\""), packed);
}

#[test]
fn a_server_that_runs_is_named_by_its_address() {
    let from = HttpSource::Running { authority: "127.0.0.1:80".into(), path: "/a?b=c".into() };
    assert_eq!(
        task("op = \"http-get\", url = \"http://127.0.0.1:80/a?b=c\", keep_alive = true"),
        TaskSpec::HttpGet { from, keep_alive: true }
    );
    let bare = HttpSource::Running { authority: "127.0.0.1:80".into(), path: "/".into() };
    assert_eq!(
        task("op = \"http-get\", url = \"http://127.0.0.1:80\""),
        TaskSpec::HttpGet { from: bare, keep_alive: false }
    );
    let to = MailServer::Running { authority: "localhost:2525".into() };
    assert_eq!(
        task("op = \"smtp-send\", to = \"smtp://localhost:2525\", body = \"2KiB\""),
        TaskSpec::SmtpSend { to, body_bytes: 2048 }
    );
}

#[test]
fn a_folder_is_seen_from_the_matrix_file() {
    let TaskSpec::FileWrite { folder, size_bytes: 0, fsync: false } =
        task("op = \"file-write\", folder = \"disk\", size = \"0B\", fsync = false")
    else {
        panic!("another task")
    };
    assert_eq!(folder.as_deref(), Some(Path::new("/some/where/disk")));
}

#[test]
fn what_a_task_needs_follows_from_it() {
    let needs = |text: &str| task(text).needs();
    assert_eq!(needs("op = \"wait\", io = \"1ms\""), []);
    assert_eq!(needs("op = \"db-select\", rows = 5, database = \"sqlite\""), []);
    assert_eq!(needs("op = \"db-select\", rows = 5"), [Need::Postgres]);
    assert_eq!(needs("op = \"command\", argv = [\"true\"]"), [Need::Program("true".into())]);
    assert_eq!(needs("op = \"zip\", by = \"command\""), [Need::Program("zip".into()), Need::Folder(None)]);
    assert_eq!(needs("op = \"resize-image\", by = \"command\""), [Need::ImageMagick, Need::Folder(None)]);
    assert_eq!(needs("op = \"smtp-send\", to = \"smtp://127.0.0.1:25\""), []);
    let scenario = scenario(
        "task = { op = \"wait\", io = \"1ms\" }\ntasks = 8\nmodel = \"threads\"\nneeds = [\"postgres\", \"convert\", \"curl\"]",
    );
    assert_eq!(scenario.needs, [Need::Postgres, Need::ImageMagick, Need::Program("curl".into())]);
}

#[test]
fn tasks_by_time_can_be_dealt_out_evenly_to_the_largest_number_of_workers() {
    let scenario = scenario(
        "task = { op = \"wait\", io = \"1ms\" }\ntasks = \"330ms\"\nmodel = [\"sequential\", \"threads\"]\nworkers = [2, 6]",
    );
    let time = Duration::from_millis(330);
    assert_eq!(scenario.cells.len(), 3);
    for cell in &scenario.cells {
        assert_eq!(work(cell).tasks, TaskCount::Time { time, multiple_of: 6 });
    }
}

#[test]
fn tasks_by_time_may_be_an_axis() {
    let scenario = scenario(
        "task = { op = \"wait\", io = \"1ms\" }\ntasks = [\"100ms\", 7]\nmodel = \"async\"\ncompare = \"tasks\"",
    );
    let ids: Vec<&str> = scenario.cells.iter().map(|cell| cell.id.as_str()).collect();
    assert_eq!(ids, ["s/tasks=100ms", "s/tasks=7"]);
    assert_eq!(work(&scenario.cells[1]).tasks, TaskCount::Exactly(7));
}

/// Runs a matrix of everyday tasks by the fixture, with this PATH.
fn run(folder: &TempDir, tasks: &[&str], path: &str) -> Output {
    let tasks = tasks.join(", ");
    let text = format!(
        "schema = 1\n[defaults]\nruns = 2\nwarmups = 0\n[[batch]]\nname = \"s\"\ntask = [{tasks}]\ntasks = \"20ms\"\n\
         model = [\"sequential\", \"threads\"]\nworkers = 2\nruntime = \"asks\"\ncompare = \"model\"\n\
         [[runtime]]\nname = \"asks\"\ncommand = [{:?}, \"asks\"]\n",
        env!("CARGO_BIN_EXE_fixture-worker")
    );
    let file = folder.path().join("m.toml");
    fs::write(&file, text).unwrap();
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["matrix", "--matrix"])
        .arg(file)
        .arg("--out")
        .arg(folder.path().join("results"))
        .env("PARALLAX_LOCK_FILE", folder.path().join("lock"))
        .env("PATH", path)
        .env_remove("DATABASE_URL")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A file of the only result.
fn result(folder: &TempDir, file: &str) -> Value {
    let entries = fs::read_dir(folder.path().join("results")).unwrap().map(|entry| entry.unwrap().path());
    let result = entries.into_iter().find(|path| path.is_dir()).unwrap();
    serde_json::from_str(&fs::read_to_string(result.join(file)).unwrap()).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_bare_machine_skips_with_reasons_and_all_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [
        "{ label = \"zip\", op = \"zip\", by = \"command\" }",
        "{ label = \"resize\", op = \"resize-image\", by = \"command\" }",
        "{ label = \"sleep\", op = \"command\" }",
        "{ label = \"write\", op = \"file-write\" }",
    ];
    let output = run(&folder, &tasks, "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = result(&folder, "summary.json");
    let cells = summary["scenarios"][0]["cells"].as_array().unwrap();
    for (label, status, reason) in [
        ("zip", "skipped", Some("zip is not on the PATH; to install it: apt install zip")),
        (
            "resize",
            "skipped",
            Some("ImageMagick (magick or convert) is not on the PATH; to install it: apt install imagemagick"),
        ),
        ("sleep", "skipped", Some("sleep is not on the PATH; to install it: apt install coreutils")),
        ("write", "ok", None),
    ] {
        let of_task: Vec<&Value> = cells.iter().filter(|cell| cell["axes"]["task"] == label).collect();
        assert_eq!(of_task.len(), 2);
        for cell in of_task {
            assert_eq!((cell["status"].as_str(), cell["reason"].as_str()), (Some(status), reason), "{label}");
        }
    }
    assert!(text(&output.stderr).contains("2 cells measured, 6 skipped"), "{}", text(&output.stderr));
}

#[test]
fn what_was_counted_and_found_is_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let task = format!("{{ op = \"file-write\", label = \"write\", size = \"1kB\", folder = {:?} }}", folder.path());
    let output = run(&folder, &[&task], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let environment = result(&folder, "environment.json");
    let tasks = environment["tasks"].as_object().unwrap();
    let (key, number) = tasks.iter().next().unwrap();
    assert!(key.starts_with("file-write #") && key.ends_with(": 20ms, a multiple of 2"), "{key}");
    // The fixture takes a millisecond, however many tasks it is given.
    assert_eq!((number["tasks"].as_u64(), number["took_ns"].as_u64()), (Some(10_000_000), Some(1_000_000)));
    assert!(environment["services"]["scratch folders"].as_str().unwrap().ends_with(" file system"));
    let summary = result(&folder, "summary.json");
    assert_eq!(summary["scenarios"][0]["cells"][0]["tasks"], 10_000_000);
    // No folder of a cell is left.
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("parallax-")), "{left:?}");
}
