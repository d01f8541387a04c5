//! `db-select` of a real PostgreSQL, in a cluster that lives as long as the test. Skipped where it is not installed.
#![cfg(target_os = "linux")]

mod support;

use std::{
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, User, geteuid},
};
use protocol::{Database, Lock, Model, Query, Reply, Task};
use support::{error, job, run, say};

/// A cluster that listens on a socket in its folder only.
struct Cluster {
    folder: tempfile::TempDir,
    server: Child,
}

impl Cluster {
    /// Starts one; or says why there is none.
    fn start() -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        // PostgreSQL does not run as root.
        let user = geteuid()
            .is_root()
            .then(|| ["postgres", "nobody"].iter().find_map(|name| User::from_name(name).ok().flatten()))
            .flatten();
        if let Some(user) = &user {
            chown(folder.path(), Some(user.uid.as_raw()), Some(user.gid.as_raw())).unwrap();
        }
        let program = |name: &str| {
            let mut command = Command::new(found(name)?);
            command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if let Some(user) = &user {
                command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
            }
            Ok::<_, String>(command)
        };
        let made = program("initdb")?.args(["-D", "data", "-U", "parallax", "-A", "trust", "-N"]).status();
        assert!(made.unwrap().success(), "initdb failed");
        let mut server = program("postgres")?;
        let server =
            server.args(["-D", "data", "-k"]).arg(folder.path()).args(["-c", "listen_addresses=", "-F"]).spawn();
        let mut cluster = Self { server: server.unwrap(), folder };
        let begun = Instant::now();
        while !matches!(
            &say(&[job(Model::Async, Lock::None, cluster.task(1, Query::Compute { rows: 1 }))])[..],
            [Reply::Ready(_)]
        ) {
            assert!(begun.elapsed() < Duration::from_secs(30), "PostgreSQL does not start");
            assert!(cluster.server.try_wait().unwrap().is_none(), "PostgreSQL ended at its start");
            thread::sleep(Duration::from_millis(20));
        }
        Ok(cluster)
    }

    fn task(&self, connections: u32, query: Query) -> Task {
        let connection = format!("host={} user=parallax dbname=postgres", self.folder.path().display());
        Task::DbSelect { database: Database::Postgres, connection, connections, query }
    }

    fn end(&mut self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.server.id() as i32), signal);
        let _ = self.server.wait();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // At once, without waiting for clients.
        self.end(Signal::SIGQUIT);
    }
}

/// Where a program of PostgreSQL is: on the PATH, or where Debian has it.
fn found(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    std::env::split_paths(&path)
        .chain(debian.map(|version| version.path().join("bin")))
        .map(|folder| folder.join(name))
        .find(|program| Path::is_file(program))
        .ok_or_else(|| format!("{name} is not installed (apt install postgresql)"))
}

#[test]
fn a_real_postgresql_is_asked_under_every_model_and_its_end_is_an_error() {
    let mut cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    for (query, checksum) in
        [(Query::Compute { rows: 1000 }, "dcf19c9a6dd128a9"), (Query::Wait { io_ns: 2_000_000 }, "af5a5c3583097f60")]
    {
        for &model in Model::ALL.iter().filter(|model| model.language().is_none()) {
            for lock in [Lock::None, Lock::Gil] {
                let replies = say(&[job(model, lock, cluster.task(2, query.clone())), run(), run()]);
                let [Reply::Ready(ready), Reply::Sample(first), Reply::Sample(second)] = &replies[..] else {
                    panic!("{model} {query:?}: {replies:?}")
                };
                let version = ready.facts["database_version"].as_str().unwrap();
                assert!(version.starts_with("PostgreSQL "), "{version}");
                assert_eq!([&first.checksum, &second.checksum], [checksum; 2], "{model} {lock} {query:?}");
            }
        }
    }
    // More connections than there may be.
    let message = error(&say(&[job(Model::Loops, Lock::None, cluster.task(200, Query::Wait { io_ns: 1 })), run()]));
    assert!(message.contains(" refused: ") && message.contains("max_connections"), "{message}");
    // A query that goes on while the server is stopped.
    for model in [Model::Threads, Model::Async, Model::Processes] {
        let task = cluster.task(2, Query::Wait { io_ns: 20_000_000_000 });
        let asking = thread::spawn(move || error(&say(&[job(model, Lock::None, task), run()])));
        thread::sleep(Duration::from_millis(500));
        cluster.end(Signal::SIGQUIT);
        let message = asking.join().unwrap();
        let expected = ["was stopped meanwhile", "closed the connection in the middle", "running there?"];
        assert!(expected.iter().any(|part| message.contains(part)), "{model}: {message}");
        cluster = Cluster::start().unwrap();
    }
}
