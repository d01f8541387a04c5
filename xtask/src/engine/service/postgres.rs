//! PostgreSQL: the server that `DATABASE_URL` names, or a throw-away cluster of our own.
//!
//! The cluster is in a folder for temporary files and listens on a Unix socket in it and nowhere else. It belongs to
//! `nobody` where we are root, as PostgreSQL refuses to run as root. Nothing in it is worth keeping, so it never waits
//! for the disk (`fsync=off`): figures of writes would be worthless, those of SELECTs are the same. Its own housekeeping is
//! off as well, so that it sleeps when nobody asks it.

use std::env;
use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, User, geteuid};

use super::Service;
use super::programs::{self, ask};
use super::scratch::Scratch;
use crate::engine::binaries::NotFound;
use crate::engine::ending::{self, Manner};
use crate::engine::failure::{Failure, FailureKind};
use crate::engine::launcher::Halt;
use crate::engine::linux;
use crate::engine::process::{Process, describe};
use crate::engine::spawn::{Identity, Streams, WorkerCommand};
use crate::engine::starter::Starter;
use crate::matrix::plan::Endpoints;

/// Environment variable that names a PostgreSQL server to use instead.
pub const URL_VARIABLE: &str = "DATABASE_URL";

/// Where distributions put the server's programs, none of which is on the PATH: a folder for each version.
const FOLDERS: &[&str] = &["/usr/lib/postgresql", "/usr/libexec/postgresql", "/opt/homebrew/opt"];
/// A cluster is made in a second or two.
const MAKING: Duration = Duration::from_secs(60);
/// It starts in less than a second.
const STARTING: Duration = Duration::from_secs(30);
/// Between two looks at whether it is ready.
const PAUSE: Duration = Duration::from_millis(10);
/// For a database that an earlier run left to end by itself.
const LEFTOVER_GRACE: Duration = Duration::from_secs(5);
/// The name of the socket that clients look for by default.
const SOCKET: &str = ".s.PGSQL.5432";
/// Longest path of a Unix socket on Linux: unix(7).
const LONGEST_SOCKET: usize = 107;
/// Who may connect at the same time: more than any sensible model has workers.
const CONNECTIONS: &str = "max_connections=256";
/// What is set against the defaults; see the head of this file.
const SETTINGS: &[&str] = &[
    "listen_addresses=",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "bgwriter_lru_maxpages=0",
    "wal_writer_delay=10s",
    "checkpoint_timeout=1h",
    "shared_buffers=32MB",
    // So that nothing is left outside the folder after SIGKILL.
    "dynamic_shared_memory_type=mmap",
    // Whether a query is compiled depends on how many rows are estimated: one way for all.
    "jit=off",
    CONNECTIONS,
];

/// A PostgreSQL that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A server that runs already.
    Running {
        /// How to connect to it.
        url: String,
    },
    /// Programs to make a cluster with.
    Programs {
        /// Makes a cluster.
        initdb: PathBuf,
        /// The server.
        postgres: PathBuf,
        /// Such as `PostgreSQL 15.18`.
        version: String,
    },
}

impl Found {
    /// What it is, without a password: for the record.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Running { url } => format!("{URL_VARIABLE}: {}", without_password(url)),
            Self::Programs { version, .. } => format!("{version}, a throw-away cluster on a Unix socket, fsync off"),
        }
    }
}

/// Looks for a server that runs, then for programs to start one with.
///
/// # Errors
/// There is neither.
pub fn find() -> Result<Found, NotFound> {
    match env::var(URL_VARIABLE) {
        Ok(url) if !url.trim().is_empty() => Ok(Found::Running { url }),
        _ => find_programs(&program_folders()).ok_or_else(|| programs::missing("postgres")),
    }
}

/// The folders of the PATH, then those of distributions, the newest version first.
fn program_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    for folder in FOLDERS {
        let versions = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut versions: Vec<PathBuf> = versions.map(|entry| entry.path()).collect();
        let number = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or(0)
        };
        versions.sort_by_key(|path| std::cmp::Reverse(number(path)));
        folders.extend(versions.into_iter().map(|version| version.join("bin")));
    }
    folders
}

/// The first folder that has both programs, which then are of one version.
fn find_programs(folders: &[PathBuf]) -> Option<Found> {
    folders.iter().find_map(|folder| {
        let (initdb, postgres) = (folder.join("initdb"), folder.join("postgres"));
        if !initdb.is_file() || !postgres.is_file() {
            return None;
        }
        // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
        let said = ask(&postgres, "--version")?;
        let number = said.split_once("(PostgreSQL) ")?.1.split_whitespace().next()?.to_owned();
        Some(Found::Programs { initdb, postgres, version: format!("PostgreSQL {number}") })
    })
}

/// `postgresql://user:secret@host/db` without the secret, also as `password=secret`.
fn without_password(url: &str) -> String {
    if let Some((scheme, rest)) = url.split_once("://") {
        // Parameters may hold a password as well.
        let rest = rest.split('?').next().unwrap_or_default();
        return match rest.rsplit_once('@') {
            Some((user, place)) => format!("{scheme}://{}@{place}", user.split(':').next().unwrap_or_default()),
            None => format!("{scheme}://{rest}"),
        };
    }
    let words = url.split_whitespace().filter(|word| !word.starts_with("password"));
    words.collect::<Vec<_>>().join(" ")
}

/// A PostgreSQL for cells.
#[derive(Debug)]
pub(in crate::engine) struct Postgres {
    found: Found,
    starter: Starter,
    process: Option<Process>,
    folder: Option<Scratch>,
    connection: Option<String>,
}

impl Postgres {
    /// One that is not started yet.
    pub(in crate::engine) fn new(found: Found, starter: Starter) -> Self {
        Self { found, starter, process: None, folder: None, connection: None }
    }

    /// Makes a cluster and starts its server.
    fn start_cluster(&mut self, initdb: &Path, postgres: &Path) -> Result<(), Halt> {
        let base = env::temp_dir();
        let refused = |error: std::io::Error| {
            let reason = format!("no PostgreSQL cluster can be made in {}: {error}", base.display());
            Halt::failed(FailureKind::NotStarted, reason)
        };
        let folder = Scratch::create(&base, "postgres").map_err(refused)?;
        let place = folder.path().to_owned();
        let length = place.join(SOCKET).as_os_str().len();
        if length > LONGEST_SOCKET {
            let reason = format!(
                "the path of PostgreSQL's socket in {} would have {length} bytes, and {LONGEST_SOCKET} are possible; set \
                 TMPDIR to a shorter folder",
                place.display()
            );
            return Err(Halt::failed(FailureKind::NotStarted, reason));
        }
        let identity = unprivileged().map_err(|reason| Halt::failed(FailureKind::NotStarted, reason))?;
        if let Some(Identity { uid, gid }) = identity {
            chown(&place, Some(uid), Some(gid)).map_err(refused)?;
        }
        self.folder = Some(folder);
        let data = place.join("data").display().to_string();
        let socket = place.display().to_string();
        let command = |program: &Path, arguments: Vec<String>| WorkerCommand {
            program: program.to_owned(),
            arguments,
            // Messages in one language, whatever the user's is.
            environment: vec![("LC_ALL".to_owned(), "C".to_owned())],
            folder: Some(place.clone()),
        };
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let arguments = words(&["-D", &data, "-U", "parallax", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
        self.make(&command(initdb, arguments), identity)?;
        let mut arguments = words(&["-D", &data, "-k", &socket]);
        arguments.extend(SETTINGS.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]));
        let process = self.starter.start_as("PostgreSQL", Streams::Log, &command(postgres, arguments), identity);
        self.process = Some(process.map_err(Halt::Failed)?);
        self.wait_until_ready(&place.join("data"))?;
        self.connection = Some(format!("host={socket} user=parallax dbname=postgres"));
        Ok(())
    }

    /// Runs `initdb` to its end.
    fn make(&mut self, command: &WorkerCommand, identity: Option<Identity>) -> Result<(), Halt> {
        let process = self.starter.start_as("initdb", Streams::Log, command, identity).map_err(Halt::Failed)?;
        self.process = Some(process);
        self.wait(MAKING, "initdb did not end", |process| process.has_exited())?;
        let process = self.process.as_mut().expect("it was started");
        while process.read() {}
        let status = process.status().filter(|status| !status.success());
        let failed = status.map(|status| format!("initdb {}", describe(status)));
        match failed {
            Some(reason) => {
                Err(self.fail(FailureKind::NotStarted, format!("no PostgreSQL cluster was made: {reason}")))
            }
            None => {
                self.end();
                Ok(())
            }
        }
    }

    /// The server writes its state into the eighth line of `postmaster.pid`, which `pg_ctl` reads as well.
    fn wait_until_ready(&mut self, data: &Path) -> Result<(), Halt> {
        let file = data.join("postmaster.pid");
        let ready = || fs::read_to_string(&file).is_ok_and(|text| text.lines().nth(7).map(str::trim) == Some("ready"));
        self.wait(STARTING, "PostgreSQL was not ready", |process| process.has_exited() || ready())?;
        let process = self.process.as_mut().expect("it was started");
        if process.has_exited() {
            let how = process.status().map_or_else(|| "ended".to_owned(), describe);
            return Err(self.fail(FailureKind::Died, format!("PostgreSQL {how} before it was ready")));
        }
        Ok(())
    }

    /// Waits until something holds. Nothing blocks for long meanwhile.
    fn wait(&mut self, limit: Duration, what: &str, mut holds: impl FnMut(&mut Process) -> bool) -> Result<(), Halt> {
        let deadline = Instant::now() + limit;
        let process = self.process.as_mut().expect("it was started");
        while !holds(process) {
            let control = &self.starter.control;
            if control.stopped() {
                return Err(Halt::Interrupted);
            }
            if control.suspend_if_asked() {
                return Err(Halt::Suspended);
            }
            let now = Instant::now();
            if now >= deadline {
                let reason = format!("{what} within {}", humantime::format_duration(limit));
                return Err(self.fail(FailureKind::NotReady, reason));
            }
            if !process.read() {
                process.sleep(deadline.min(now + PAUSE));
            }
            process.discard_excess();
        }
        Ok(())
    }

    /// Ends the process, if there is one; tells what a person should know about that.
    fn end(&mut self) -> Vec<String> {
        let Some(process) = &mut self.process else { return Vec::new() };
        let Starter { control, limits, orphans, .. } = &self.starter;
        // Fast shutdown: whoever is connected is thrown out.
        let manner = Manner::Stop(Signal::SIGINT);
        let ended = ending::end(process, control, limits.graces, manner, Some(orphans));
        self.process = None;
        ended.warnings
    }
}

impl Service for Postgres {
    fn start(&mut self) -> Result<(), Halt> {
        if self.process.as_mut().is_some_and(Process::has_exited) {
            // It died while nobody asked it.
            self.close();
        }
        match self.found.clone() {
            _ if self.connection.is_some() => Ok(()),
            Found::Running { url } => {
                self.connection = Some(url);
                Ok(())
            }
            Found::Programs { initdb, postgres, .. } => {
                let started = self.start_cluster(&initdb, &postgres);
                if started.is_err() {
                    self.close();
                }
                started
            }
        }
    }

    fn offer(&self, endpoints: &mut Endpoints) {
        endpoints.postgres.clone_from(&self.connection);
    }

    fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    fn fail(&mut self, kind: FailureKind, reason: String) -> Halt {
        let Some(process) = &mut self.process else { return Halt::failed(kind, reason) };
        while process.read() {}
        let stderr_tail = process.stderr_tail();
        self.close();
        Halt::Failed(Failure { kind, reason, stderr_tail })
    }

    fn close(&mut self) -> Vec<String> {
        let mut warnings = self.end();
        self.connection = None;
        warnings.extend(self.folder.take().and_then(Scratch::remove));
        warnings
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.close();
    }
}

/// Whom the server runs as: PostgreSQL refuses to run as root.
fn unprivileged() -> Result<Option<Identity>, String> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    match User::from_name("nobody") {
        Ok(Some(nobody)) => Ok(Some(Identity { uid: nobody.uid.as_raw(), gid: nobody.gid.as_raw() })),
        _ => Err("PostgreSQL refuses to run as root, and there is no user `nobody` that it could run as; start the \
                  matrix as another user, or set DATABASE_URL"
            .to_owned()),
    }
}

/// Ends the server of a cluster in this folder, whose owner is dead; tells whether there was one.
pub(super) fn end_leftover(folder: &Path) -> bool {
    let data = folder.join("data");
    let Some(pid) = postmaster(&data) else { return false };
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let _ = kill(pid, signal);
        let deadline = Instant::now() + LEFTOVER_GRACE;
        while postmaster(&data) == Some(pid) && linux::look(pid).is_some_and(|seen| !seen.zombie) {
            if Instant::now() >= deadline {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
    true
}

/// The server of a cluster, if the process that its file names is one: a server works in its data folder.
fn postmaster(data: &Path) -> Option<Pid> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let pid = Pid::from_raw(text.lines().next()?.trim().parse().ok().filter(|&pid| pid > 1)?);
    let works_in = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    (works_in == fs::canonicalize(data).ok()?).then_some(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_recorded() {
        for (url, shown) in [
            ("postgresql://me:secret@db:5432/x?sslmode=disable", "postgresql://me@db:5432/x"),
            ("postgresql://me:s/c@ret@db", "postgresql://me@db"),
            ("postgresql://me@db/x", "postgresql://me@db/x"),
            ("postgresql:///x?password=secret", "postgresql:///x"),
            ("host=/tmp user=me password=secret dbname=x", "host=/tmp user=me dbname=x"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }

    #[test]
    fn a_folder_with_only_one_of_the_programs_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("initdb"), "").unwrap();
        assert_eq!(find_programs(&[folder.path().to_owned()]), None);
    }

    #[test]
    fn a_file_that_names_a_process_elsewhere_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        fs::write(folder.path().join("data/postmaster.pid"), format!("{}\n", std::process::id())).unwrap();
        assert!(!end_leftover(folder.path()));
        fs::write(folder.path().join("data/postmaster.pid"), "1\n").unwrap();
        assert!(!end_leftover(folder.path()));
    }
}
