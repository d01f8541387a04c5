//! Any one of the operations, chosen by a job's task and prepared for it.

use std::{collections::BTreeMap, error::Error, fmt, path::Path};

use anyhow::Result;
use protocol::{BatchJob, Model, Task};
use serde_json::Value;

use crate::{
    Burn, Command, DbSelect, Faulty, FileRead, FileWrite, HttpGet, Primes, ResizeImage, SmtpSend, Step, SumOfSquares,
    Wait, WaitAndBurn, Zip, file_system,
};

/// Any one of the operations. What runs it makes the choice once, with [`with_step!`](crate::with_step), and not once a step:
/// a branch would show in a loop that is as short as some of the operations.
#[derive(Debug, Clone)]
pub enum Operation {
    /// See [`SumOfSquares`].
    SumOfSquares(SumOfSquares),
    /// See [`Burn`].
    Burn(Burn),
    /// See [`Primes`].
    Primes(Primes),
    /// See [`Wait`].
    Wait(Wait),
    /// See [`WaitAndBurn`].
    WaitAndBurn(WaitAndBurn),
    /// See [`Command`].
    Command(Command),
    /// See [`HttpGet`].
    HttpGet(HttpGet),
    /// See [`FileRead`].
    FileRead(FileRead),
    /// See [`FileWrite`].
    FileWrite(FileWrite),
    /// See [`SmtpSend`].
    SmtpSend(SmtpSend),
    /// See [`DbSelect`].
    DbSelect(DbSelect),
    /// See [`ResizeImage`].
    ResizeImage(ResizeImage),
    /// See [`Zip`].
    Zip(Zip),
    #[doc(hidden)]
    Faulty(Faulty),
}

/// Runs an expression with the operation inside an [`Operation`](crate::Operation): compiled once for each of them.
///
/// ```
/// use workloads::{Burn, Operation, Step, with_step};
///
/// let operation = Operation::Burn(Burn { iterations: 1 });
/// assert!(with_step!(&operation, step => step.computes()));
/// ```
#[macro_export]
macro_rules! with_step {
    ($operation:expr, $step:ident => $body:expr) => {
        match $operation {
            $crate::Operation::SumOfSquares($step) => $body,
            $crate::Operation::Burn($step) => $body,
            $crate::Operation::Primes($step) => $body,
            $crate::Operation::Wait($step) => $body,
            $crate::Operation::WaitAndBurn($step) => $body,
            $crate::Operation::Command($step) => $body,
            $crate::Operation::HttpGet($step) => $body,
            $crate::Operation::FileRead($step) => $body,
            $crate::Operation::FileWrite($step) => $body,
            $crate::Operation::SmtpSend($step) => $body,
            $crate::Operation::DbSelect($step) => $body,
            $crate::Operation::ResizeImage($step) => $body,
            $crate::Operation::Zip($step) => $body,
            $crate::Operation::Faulty($step) => $body,
        }
    };
}

/// A task that nobody can do here, and why.
#[derive(Debug)]
pub struct Unsupported(
    /// One sentence for a person.
    pub String,
);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Unsupported {}

impl Operation {
    /// The operation of a job's task, with the files and connections that it needs before the first run. They go when the
    /// last clone is dropped.
    ///
    /// # Errors
    /// [`Unsupported`] if the operation is not one of those that this program was built with, or the task has no sensible
    /// form; else something that it needs is not there.
    pub fn prepare(job: &BatchJob) -> Result<Self> {
        Ok(match &job.task {
            Task::SumOfSquares { n } => Self::SumOfSquares(SumOfSquares { n: *n }),
            Task::Burn { iterations } => Self::Burn(Burn { iterations: *iterations }),
            Task::Primes { limit } => Self::Primes(Primes { limit: *limit }),
            Task::Wait { io_ns } => Self::Wait(Wait::new(*io_ns)),
            Task::WaitAndBurn { io_ns, iterations } => Self::WaitAndBurn(WaitAndBurn::new(*io_ns, *iterations)),
            Task::Command { argv } => Self::Command(Command::new(argv)?),
            Task::HttpGet { address, path, keep_alive } => {
                Self::HttpGet(HttpGet::new(address, path, *keep_alive, waiting_threads(job))?)
            }
            Task::FileRead { folder, size_bytes, cold } => Self::FileRead(FileRead::new(folder, *size_bytes, *cold)?),
            Task::FileWrite { folder, size_bytes, fsync } => {
                Self::FileWrite(FileWrite::new(folder, *size_bytes, *fsync)?)
            }
            everyday => return prepare_everyday(everyday, job),
        })
    }

    /// Whether there is a part that computes, which a model may move to another thread.
    #[must_use]
    pub fn computes(&self) -> bool {
        with_step!(self, step => step.computes())
    }

    /// The folder with the files that every task reads, if the operation has made one: child processes read the same.
    #[must_use]
    pub fn inputs(&self) -> Option<&Path> {
        match self {
            Self::FileRead(read) => Some(read.inputs()),
            #[cfg(feature = "everyday")]
            Self::ResizeImage(resize) => Some(resize.inputs()),
            #[cfg(feature = "everyday")]
            Self::Zip(zip) => Some(zip.inputs()),
            _ => None,
        }
    }

    /// What is worth recording about the job, by name: the type of the file system, versions, …
    #[must_use]
    pub fn facts(&self, task: &Task) -> BTreeMap<String, Value> {
        let mut facts = BTreeMap::new();
        if let Task::FileRead { folder, .. }
        | Task::FileWrite { folder, .. }
        | Task::ResizeImage { folder, .. }
        | Task::Zip { folder, .. } = task
        {
            let name = file_system::name(Path::new(folder)).map_or(Value::Null, Value::from);
            facts.insert("file_system".to_owned(), name);
        }
        match self {
            Self::FileRead(read) if matches!(task, Task::FileRead { cold: true, .. }) => {
                let dropped = read.page_cache_dropped().map_or(Value::Null, Value::from);
                facts.insert("page_cache_dropped".to_owned(), dropped);
            }
            #[cfg(feature = "everyday")]
            Self::DbSelect(select) => {
                facts.insert("database_version".to_owned(), select.version().into());
            }
            _ => {}
        }
        facts
    }
}

/// How many threads of a process wait for the tasks of a job at once, each with a connection of its own. Event loops have their
/// own connections, and the threads of `processes` are in other processes.
fn waiting_threads(job: &BatchJob) -> usize {
    match job.model {
        Model::Sequential => 1,
        Model::Threads | Model::Rayon => job.workers as usize,
        _ => 0,
    }
}

/// How many threads of a process do the blocking part of a job at once, each with a connection of its own. Those of
/// `processes` are in other processes.
#[cfg(feature = "everyday")]
fn threads(job: &BatchJob) -> usize {
    match job.model {
        Model::Sequential | Model::Async => 1,
        Model::Processes => 0,
        _ => job.workers as usize,
    }
}

#[cfg(feature = "everyday")]
fn prepare_everyday(task: &Task, job: &BatchJob) -> Result<Operation> {
    Ok(match task {
        Task::SmtpSend { address, body_bytes } => Operation::SmtpSend(SmtpSend::new(address, *body_bytes)?),
        Task::DbSelect { database, connection, connections, query } => {
            Operation::DbSelect(DbSelect::new(*database, connection, *connections, query, threads(job))?)
        }
        Task::ResizeImage { folder, source_width, width, by } => {
            Operation::ResizeImage(ResizeImage::new(folder, *source_width, *width, by)?)
        }
        Task::Zip { folder, files, file_bytes, by } => Operation::Zip(Zip::new(folder, *files, *file_bytes, by)?),
        other => return Err(unsupported(other)),
    })
}

#[cfg(not(feature = "everyday"))]
fn prepare_everyday(task: &Task, _job: &BatchJob) -> Result<Operation> {
    Err(unsupported(task))
}

fn unsupported(task: &Task) -> anyhow::Error {
    Unsupported(format!("this program was built without the operation {}", task.op())).into()
}
