//! The jobs that a worker is asked: small ones, of every kind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use protocol::{
    BatchJob, By, Database, Expect, HttpModel, HttpRequest, Job, Listen, LoadJob, Lock, MailJob, Model, Pace, Query,
    ServeJob, Task,
};

/// How long operations wait here.
pub(super) const WAIT_NS: u64 = 2_000_000;
/// How many steps of the generator requests burn here.
pub(super) const ITERATIONS: u64 = 1000;

/// A folder for what operations write. It is removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A new folder among the temporary ones.
    pub(super) fn new() -> io::Result<Self> {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("parallax-conformance-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// What is in it, by name.
    pub(super) fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A small task of every operation that needs nothing but this machine.
pub(super) fn tasks(folder: &Folder) -> Vec<Task> {
    let folder = folder.path().display().to_string();
    vec![
        Task::SumOfSquares { n: 1000 },
        Task::Burn { iterations: ITERATIONS },
        Task::Primes { limit: 1000 },
        Task::Wait { io_ns: WAIT_NS },
        Task::WaitAndBurn { io_ns: WAIT_NS, iterations: ITERATIONS },
        Task::Command { argv: vec!["true".to_owned()] },
        Task::DbSelect {
            database: Database::Sqlite,
            connection: ":memory:".to_owned(),
            connections: 2,
            query: Query::Compute { rows: 1000 },
        },
        Task::FileRead { folder: folder.clone(), size_bytes: 10_000, cold: false },
        Task::FileWrite { folder: folder.clone(), size_bytes: 10_000, fsync: false },
        Task::ResizeImage { folder: folder.clone(), source_width: 128, width: 64, by: By::Library },
        Task::Zip { folder, files: 3, file_bytes: 10_000, by: By::Library },
    ]
}

/// Operations that need a server, which nobody has here.
pub(super) const NEED_A_SERVER: [&str; 3] = ["http-get", "smtp-send", "db-select with postgres"];

/// How the tasks of a job are many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub tasks: u64,
    pub steps: u32,
    pub first_task: u64,
    pub workers: u32,
}

/// More tasks than workers; no tasks; fewer tasks than workers; numbers that a float of 64 bits cannot hold.
pub(super) const SHAPES: [Shape; 4] = [
    Shape { tasks: 3, steps: 2, first_task: 0, workers: 2 },
    Shape { tasks: 0, steps: 1, first_task: 0, workers: 2 },
    Shape { tasks: 2, steps: 3, first_task: 1_000_000, workers: 3 },
    Shape { tasks: 5, steps: 1, first_task: (1 << 53) + 1, workers: 1 },
];

/// A batch.
pub(super) fn batch(model: Model, task: Task, shape: Shape) -> BatchJob {
    BatchJob {
        model,
        workers: shape.workers,
        lock: Lock::None,
        switch_interval_ns: None,
        tasks: shape.tasks,
        first_task: shape.first_task,
        steps: shape.steps,
        task,
    }
}

/// A server.
pub(super) fn serve(model: HttpModel, listen: Listen) -> ServeJob {
    ServeJob { model, workers: 2, lock: Lock::None, switch_interval_ns: None, listen, io_ns: 0, iterations: ITERATIONS }
}

/// A load of so many requests over two connections.
pub(super) fn load(target: String, pace: Pace, expect: Expect) -> LoadJob {
    let get = HttpRequest { method: "GET".to_owned(), path: "/".to_owned(), headers: Vec::new(), body: None };
    LoadJob {
        targets: vec![target],
        connections: 2,
        threads: 1,
        pace,
        requests: vec![get],
        timeout_ns: 5_000_000_000,
        drain_ns: 2_000_000_000,
        expect,
        worker_header: None,
    }
}

/// A load on nobody in particular: connections are opened at the first run.
pub(super) fn any_load() -> Job {
    let expect = Expect::Status { status: None, body: None };
    Job::Load(load("127.0.0.1:9".to_owned(), Pace::Closed { requests: 2 }, expect))
}

/// A mail server.
pub(super) fn mail() -> Job {
    Job::Mail(MailJob { delay_ns: 0 })
}
