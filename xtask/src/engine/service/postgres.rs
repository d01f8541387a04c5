//! PostgreSQL: the server that `DATABASE_URL` names, or a throw-away cluster of our own.
//!
//! The cluster is in a folder for temporary files and listens on a Unix socket in it and nowhere else. It belongs to
//! `nobody` where we are root, as PostgreSQL refuses to run as root. Nothing in it is worth keeping, so it never waits
//! for the disk (`fsync=off`): figures of writes would be worthless, those of SELECTs are the same. Its own housekeeping is
//! off as well, so that it sleeps when nobody asks it.

mod find;
mod leftover;

use std::env;
use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::{User, geteuid};

use super::Service;
use super::scratch::Scratch;
use crate::engine::ending::{self, Manner};
use crate::engine::failure::{Failure, FailureKind};
use crate::engine::launcher::Halt;
use crate::engine::process::{Process, describe};
use crate::engine::spawn::{Identity, Streams, WorkerCommand};
use crate::engine::starter::Starter;
use crate::matrix::plan::Endpoints;

pub use find::{Found, URL_VARIABLE, find};
pub(super) use leftover::end_leftover;

/// A cluster is made in a second or two.
const MAKING: Duration = Duration::from_secs(60);
/// It starts in less than a second.
const STARTING: Duration = Duration::from_secs(30);
/// Between two looks at whether it is ready.
const PAUSE: Duration = Duration::from_millis(10);
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
