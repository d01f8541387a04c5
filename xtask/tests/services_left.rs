//! What an orchestrator leaves that is killed, and who removes it: the next one. The orchestrator is this test program
//! again, asked for [`driver`] alone.

#![expect(clippy::print_stdout, reason = "how the driver talks to the test")]

mod engine_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use engine_support::driver::Driver;
use engine_support::{MARK, launcher, plan, processes_where, run, wait_until};
use nix::sys::signal::Signal;
use protocol::{Database, Query};
use xtask::engine::service::postgres::{self, Found};
use xtask::engine::service::scratch::{self, Scratch};
use xtask::engine::signals::Control;
use xtask::matrix::plan::{TaskSpec, Work};

/// Environment variable with what the cell needs.
const NEEDS: &str = "PARALLAX_TEST_NEEDS";

/// The orchestrator of these tests: a cell with a worker that hangs.
#[test]
#[ignore = "the other tests run it, in a process of its own"]
fn driver() {
    let (Ok(mark), Ok(needs)) = (std::env::var(MARK), std::env::var(NEEDS)) else { return };
    let control = Control::install().unwrap();
    let mut plan = plan(&mark, 0, 1, &["hang"]);
    let scenario = &mut plan.scenarios[0];
    scenario.schedule.timeout = std::time::Duration::from_secs(30);
    let Work::Batch(work) = &mut scenario.cells[0].work else { unreachable!() };
    work.task = match needs.as_str() {
        "postgres" => {
            TaskSpec::DbSelect { database: Database::Postgres, connections: 1, query: Query::Compute { rows: 1 } }
        }
        _ => TaskSpec::FileWrite { size_bytes: 1, fsync: false, folder: None },
    };
    let launcher = launcher(&plan, &control);
    println!("begun");
    run(&plan, launcher, &control);
}

/// A place for temporary files. Its end is that of all processes that were told of it: the worker that hangs is one of a
/// third party, which does not notice the death of its orchestrator.
struct Place(tempfile::TempDir);

impl Place {
    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let told = format!("TMPDIR={}", self.path().display());
        processes_where(|process| {
            let environ = fs::read(process.join("environ")).unwrap_or_default();
            let knows = environ.split(|byte| *byte == 0).any(|entry| entry == told.as_bytes());
            if let (true, Ok(pid)) = (knows, process.file_name().unwrap().to_str().unwrap().parse()) {
                let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
            }
            knows
        });
    }
}

/// One that `nobody` may enter, as a database of root runs as that.
fn place() -> Place {
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    Place(place)
}

fn start(needs: &str, place: &Path) -> Driver {
    let mut driver = Driver::start(&[(NEEDS, needs), ("TMPDIR", &place.display().to_string()), ("DATABASE_URL", "")]);
    driver.wait_for("begun");
    driver
}

/// How many processes work in a folder.
fn working_in(folder: &Path) -> usize {
    processes_where(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))).len()
}

fn folders(place: &Path) -> Vec<PathBuf> {
    fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Clears until nothing is left, and says what was told.
fn cleared(place: &Path) -> Vec<String> {
    let mut told = Vec::new();
    // A program that the orchestrator was just starting is a copy of it, and holds its lock, until it is another program.
    wait_until("everything is removed", || {
        told.extend(scratch::clear_leftovers(place));
        folders(place).is_empty()
    });
    told
}

#[test]
fn a_folder_of_a_killed_orchestrator_is_removed_by_the_next() {
    let place = place();
    let mut driver = start("folder", place.path());
    // Its content is made when it is locked: killed before that, nobody would have owned it.
    wait_until("there is a folder", || folders(place.path()).iter().any(|folder| folder.join("in").is_dir()));
    assert_eq!(scratch::clear_leftovers(place.path()), [""; 0], "its owner lives");
    driver.signal(Signal::SIGKILL);
    driver.wait();
    let told = cleared(place.path());
    assert!(told.len() == 1 && told[0].starts_with("removed what an earlier run left: "), "{told:?}");
}

#[test]
fn a_database_of_a_killed_orchestrator_is_ended_and_removed() {
    let Ok(Found::Programs { .. }) = postgres::find() else { return };
    let place = place();
    let mut driver = start("postgres", place.path());
    wait_until("there is a database", || working_in(place.path()) > 0 && socket(place.path()));
    driver.signal(Signal::SIGKILL);
    driver.wait();
    let told = cleared(place.path());
    assert_eq!(told.len(), 1, "{told:?}");
    wait_until("no server works there", || working_in(place.path()) == 0);
}

/// Whether a cluster's socket is there.
fn socket(place: &Path) -> bool {
    let clusters = fs::read_dir(place).unwrap().flatten();
    clusters.into_iter().any(|cluster| cluster.path().join("in/.s.PGSQL.5432").exists())
}

#[test]
fn a_database_that_goes_on_without_its_orchestrator_is_ended() {
    // As where the kernel does not tell children of their parent's death: the server is stopped and cannot hear it.
    let Ok(Found::Programs { .. }) = postgres::find() else { return };
    let place = place();
    let mut driver = start("postgres", place.path());
    wait_until("there is a database", || socket(place.path()));
    let server = server(place.path());
    nix::sys::signal::kill(server, Signal::SIGSTOP).unwrap();
    driver.signal(Signal::SIGKILL);
    driver.wait();
    let told = cleared(place.path());
    assert!(told.len() == 1 && told[0].starts_with("ended the database of an earlier run, and removed "), "{told:?}");
    wait_until("no server works there", || working_in(place.path()) == 0);
}

fn server(place: &Path) -> nix::unistd::Pid {
    let cluster = fs::read_dir(place).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(cluster.join("in/data/postmaster.pid")).unwrap();
    nix::unistd::Pid::from_raw(text.lines().next().unwrap().parse().unwrap())
}

#[test]
fn a_living_neighbour_is_left_alone() {
    let place = place();
    let neighbour = Scratch::create(place.path(), "scratch").unwrap();
    assert_eq!(scratch::clear_leftovers(place.path()), [""; 0]);
    assert!(neighbour.path().is_dir());
}
