//! What cells need around their workers: found or skipped, started before the worker, ended after it, and to blame when
//! it dies. The workers are fixtures that look whether it is there; PostgreSQL is the real one, where it is installed.

mod engine_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_support::{Heard, MARK, again, launcher, marked, new_mark, plan, processes_where, run, tell, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use protocol::{Database, Query};
use xtask::engine::binaries::MAIL_SINK;
use xtask::engine::event::Note;
use xtask::engine::failure::{Failure, FailureKind};
use xtask::engine::launcher::{Assignment, Duty, Launcher};
use xtask::engine::service::postgres::{self, Found};
use xtask::engine::service::programs;
use xtask::engine::signals::Control;
use xtask::engine::spawn::WorkerCommand;
use xtask::engine::workers::ProcessLauncher;
use xtask::matrix::plan::{BurnRate, MailServer, Need, Plan, TaskSpec, Tool, Work};

/// A cell of this task, whose worker is the fixture in this mode.
struct Bench {
    plan: Plan,
    mark: String,
    folder: tempfile::TempDir,
    mail: &'static str,
}

impl Bench {
    fn new(mode: &str, task: TaskSpec) -> Self {
        let mark = new_mark();
        let mut plan = plan(&mark, 0, 2, &[mode]);
        let Work::Batch(work) = &mut plan.scenarios[0].cells[0].work else { unreachable!() };
        work.task = task;
        Self { plan, mark, folder: tempfile::tempdir().unwrap(), mail: "mail-good" }
    }

    fn launcher(&self, control: &Control) -> ProcessLauncher {
        let mail = WorkerCommand {
            arguments: vec![self.mail.to_owned()],
            environment: vec![(MARK.to_owned(), self.mark.clone())],
            ..WorkerCommand::of(env!("CARGO_BIN_EXE_fixture-worker").into())
        };
        launcher(&self.plan, control).with_worker(MAIL_SINK, mail).with_scratch(self.folder.path().to_owned())
    }

    /// Runs it. Nothing of it is left.
    fn run(&self) -> Heard {
        let control = Control::new().unwrap();
        let (_, heard) = run(&self.plan, self.launcher(&control), &control);
        assert_eq!(marked(&self.mark), [""; 0], "processes are left");
        assert_eq!(files(self.folder.path()), Vec::<PathBuf>::new(), "files are left");
        heard
    }

    /// Runs it, which is to go well.
    fn works(&self) {
        let heard = self.run();
        assert_eq!(heard.failures, [], "{:?}", heard.warnings);
        assert_eq!((heard.samples.len(), heard.warnings.as_slice()), (2, &[][..]));
    }

    /// Runs it, which is to fail.
    fn failure(&self) -> Failure {
        let heard = self.run();
        let [(_, failure)] = &heard.failures[..] else { panic!("not one failure: {:?}", heard.samples) };
        failure.clone()
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn mail() -> TaskSpec {
    TaskSpec::SmtpSend { to: MailServer::Own { delay: Duration::ZERO }, body_bytes: 10 }
}

fn select() -> TaskSpec {
    TaskSpec::DbSelect { database: Database::Postgres, connections: 1, query: Query::Compute { rows: 1 } }
}

fn write(folder: Option<PathBuf>) -> TaskSpec {
    TaskSpec::FileWrite { size_bytes: 100_000, fsync: false, folder }
}

fn command(argv: &[&str]) -> TaskSpec {
    TaskSpec::Command { argv: argv.iter().map(|&word| word.to_owned()).collect() }
}

#[test]
fn a_mail_server_is_there_while_the_worker_runs_and_gone_afterwards() {
    Bench::new("asks", mail()).works();
}

#[test]
fn a_server_that_dies_in_the_middle_fails_the_cell_with_its_last_words() {
    let failure = Bench { mail: "mail-dying", ..Bench::new("slow", mail()) }.failure();
    assert_eq!(failure.kind, FailureKind::Died);
    assert_eq!(failure.reason, "the mail server exited with status 3 while the worker asked it");
    assert_eq!(failure.stderr_tail, ["no space left in the queue"]);
}

#[test]
fn a_server_that_does_not_get_ready_is_named() {
    let failure = Bench { mail: "mail-never-ready", ..Bench::new("asks", mail()) }.failure();
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert_eq!(failure.reason, "the mail server did not answer the job within 1s");
    let failure = Bench { mail: "mail-without-ports", ..Bench::new("asks", mail()) }.failure();
    assert_eq!(failure.reason, "the mail server said that it is ready and named no port");
}

#[test]
fn a_server_elsewhere_that_refuses_is_the_workers_error() {
    let to = MailServer::Running { authority: "127.0.0.1:1".to_owned() };
    let failure = Bench::new("asks", TaskSpec::SmtpSend { to, body_bytes: 1 }).failure();
    assert_eq!(failure.kind, FailureKind::WorkerError);
    assert!(failure.reason.contains("no connection to 127.0.0.1:1: Connection refused"), "{}", failure.reason);
}

#[test]
fn a_worker_that_hangs_beside_its_server_is_timed_out() {
    let failure = Bench::new("hang", mail()).failure();
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert!(failure.reason.starts_with("the worker did not answer a run within 1s"), "{}", failure.reason);
}

#[test]
fn a_worker_that_dies_beside_its_server_is_to_blame_itself() {
    let failure = Bench::new("exit-3", mail()).failure();
    assert_eq!(failure.reason, "the worker exited with status 3 before it answered a run");
}

#[test]
fn every_process_of_a_cell_has_a_folder_of_its_own_which_is_removed() {
    Bench::new("asks", write(None)).works();
    let failure = Bench::new("exit-3", write(None)).failure();
    assert_eq!(failure.kind, FailureKind::Died);
}

#[test]
fn a_folder_that_is_not_there_is_named_with_what_to_do() {
    let failure = Bench::new("asks", write(Some("/no/such/folder".into()))).failure();
    assert_eq!(failure.kind, FailureKind::NotStarted);
    let reason = "no folder for its files can be made in /no/such/folder: No such file or directory (os error 2); \
                  `folder` of the task names another place";
    assert_eq!(failure.reason, reason);
}

#[test]
fn a_folder_that_nobody_may_write_in_is_named() {
    // Not even root may make folders here.
    let failure = Bench::new("asks", write(Some("/proc".into()))).failure();
    assert!(failure.reason.contains("no folder for its files can be made in /proc: "), "{}", failure.reason);
}

#[test]
fn a_command_that_is_not_there_is_missing_and_nothing_is_started() {
    let failure = Bench::new("asks", command(&["no-such-command-1"])).failure();
    assert_eq!((failure.kind, failure.reason.as_str()), (FailureKind::Missing, "no-such-command-1 is not on the PATH"));
}

#[test]
fn a_command_is_run_and_one_that_fails_is_the_workers_error() {
    Bench::new("asks", command(&["true"])).works();
    let failure = Bench::new("asks", command(&["sh", "-c", "exit 3"])).failure();
    assert_eq!(failure.kind, FailureKind::WorkerError);
    assert!(failure.reason.contains("`sh -c exit 3` ended with exit status: 3"), "{}", failure.reason);
}

#[test]
fn a_command_that_never_ends_is_timed_out_and_ended() {
    let failure = Bench::new("asks", command(&["sleep", "30"])).failure();
    assert_eq!(failure.kind, FailureKind::TimedOut);
}

#[test]
fn what_a_scenario_needs_besides_is_looked_for_and_started() {
    let mut bench = Bench::new("asks", command(&["sh", "-c", "test -n \"$SMTP_URL\""]));
    bench.plan.scenarios[0].needs = vec![Need::named("smtp"), Need::named("sh")];
    bench.works();
    bench.plan.scenarios[0].needs.push(Need::named("no-such-program-2"));
    let failure = bench.failure();
    assert_eq!((failure.kind, failure.reason.as_str()), (FailureKind::Missing, "no-such-program-2 is not on the PATH"));
}

#[test]
fn a_program_that_packs_is_named_by_its_path() {
    let bench = Bench::new("asks", TaskSpec::Zip { by: Tool::Command, files: 1, file_bytes: 1, folder: None });
    match programs::find_zip() {
        Ok(zip) => {
            assert!(zip.version.is_some_and(|version| version.starts_with("Zip ")));
            bench.works();
        }
        Err(missing) => assert_eq!(bench.failure().reason, missing.to_string()),
    }
}

/// Whether this machine can make a cluster; else the cells are skipped, which is checked instead.
fn has_cluster(bench: &Bench) -> bool {
    match postgres::find() {
        Ok(Found::Programs { .. }) => true,
        Ok(Found::Running { .. }) => false,
        Err(missing) => {
            let failure = bench.failure();
            assert_eq!(failure.kind, FailureKind::Missing);
            assert_eq!(failure.reason, format!("{missing}, or set DATABASE_URL to a server that runs"));
            false
        }
    }
}

#[test]
fn a_database_is_made_for_the_cells_of_a_scenario_and_gone_afterwards() {
    let bench = Bench::new("asks", select());
    if !has_cluster(&bench) {
        return;
    }
    let control = Control::new().unwrap();
    let mut launcher = bench.launcher(&control);
    bench.works();
    // What it is goes into the record.
    let Work::Batch(work) = &bench.plan.scenarios[0].cells[0].work else { unreachable!() };
    let duty = Duty::batch(work, 1, BurnRate { iterations_per_s: 1.0 }, &[], 2);
    let cell = &bench.plan.scenarios[0].cells[0];
    let assignment = Assignment { label: &cell.id, runtime: &cell.runtime, duty, timeout: Duration::from_secs(1) };
    let mut session = launcher.launch(&assignment).unwrap();
    session.prepare().unwrap();
    let notes = launcher.take_notes();
    let [Note::Service { name, found }] = &notes[..] else { panic!("{notes:?}") };
    assert_eq!(name, "postgres");
    assert!(found.starts_with("PostgreSQL ") && found.ends_with("fsync off"), "{found}");
    // It outlives the process of the cell, and not the scenario.
    session.close();
    let lives = || processes_where(works_in_ours).len();
    assert!(lives() > 0);
    assert_eq!(launcher.release(), [""; 0]);
    wait_until("the database is gone", || lives() == 0);
}

/// Whether a process works in a cluster of this test program.
fn works_in_ours(process: &Path) -> bool {
    let ours = format!("parallax-postgres-{}-", std::process::id());
    fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.display().to_string().contains(&ours))
}

#[test]
fn a_database_that_is_killed_fails_the_cell() {
    if has_cluster(&Bench::new("asks", select())) {
        let output = again("with_a_killer", &[]);
        assert!(output.contains("PostgreSQL was killed by SIGKILL while the worker asked it"), "{output}");
    }
}

/// Run by [`a_database_that_is_killed_fails_the_cell`] in a process of its own, which has no other database.
#[test]
#[ignore = "another test runs it, in a process of its own"]
fn with_a_killer() {
    let bench = Bench::new("slow", select());
    let killer = std::thread::spawn(|| {
        let mut server = None;
        wait_until("there is a database", || {
            processes_where(|folder| {
                let is_server = works_in_ours(folder)
                    && fs::read_link(folder.join("cwd")).is_ok_and(|cwd| {
                        fs::read_to_string(cwd.join("postmaster.pid")).is_ok_and(|text| {
                            text.lines().next() == folder.file_name().and_then(|pid| pid.to_str())
                                && text.lines().nth(7).map(str::trim) == Some("ready")
                        })
                    });
                if is_server {
                    server = folder.file_name().and_then(|pid| pid.to_str()?.parse::<i32>().ok());
                }
                is_server
            });
            server.is_some()
        });
        // The worker has been asked by then, for 400 ms.
        std::thread::sleep(Duration::from_millis(150));
        kill(Pid::from_raw(server.unwrap()), Signal::SIGKILL).unwrap();
    });
    let failure = bench.failure();
    killer.join().unwrap();
    tell(&failure.reason);
}

#[test]
fn an_initdb_that_fails_is_quoted() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("initdb", "#!/bin/sh\necho 'initdb: error: no luck today' >&2\nexit 1\n"),
        ("postgres", "#!/bin/sh\necho 'postgres (PostgreSQL) 15.0'\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let output = again("only_with_these_programs", &[("PATH", &folder.path().display().to_string())]);
    assert!(output.contains("no PostgreSQL cluster was made: initdb exited with status 1"), "{output}");
    assert!(output.contains("initdb: error: no luck today"), "{output}");
}

/// Run by [`an_initdb_that_fails_is_quoted`] in a process of its own, as it needs another PATH.
#[test]
#[ignore = "another test runs it, in a process of its own"]
fn only_with_these_programs() {
    let failure = Bench::new("asks", select()).failure();
    tell(&format!("{}\n{}", failure.reason, failure.stderr_tail.join("\n")));
}
