//! What one step of a task does, as the matrix states it, and what it becomes on the wire.

use std::path::PathBuf;
use std::time::Duration;

use protocol::{By, Database, Query, Task};

use super::needs::{Endpoints, Need};
use super::{BurnRate, CpuWork};
use crate::number::nanoseconds;

/// What one step does, with CPU work as the matrix states it: as a count or as a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TaskSpec {
    /// Adds `i * i` for every `i` in `0..n`.
    SumOfSquares {
        /// How many squares.
        n: u64,
    },
    /// Runs a linear congruential generator.
    Burn {
        /// How far.
        cpu: CpuWork,
    },
    /// Counts the primes below a limit.
    Primes {
        /// The first number that is not looked at.
        limit: u64,
    },
    /// Waits.
    Wait {
        /// How long.
        io: Duration,
    },
    /// Waits, then burns.
    WaitAndBurn {
        /// How long it waits.
        io: Duration,
        /// How far it burns.
        cpu: CpuWork,
    },
    /// Runs a program.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
    },
    /// Asks for a page.
    HttpGet {
        /// Whom.
        from: HttpSource,
        /// Whether a worker keeps its connection.
        keep_alive: bool,
    },
    /// Sends a mail.
    SmtpSend {
        /// To whom.
        to: MailServer,
        /// Size of its text.
        body_bytes: u64,
    },
    /// Asks a database.
    DbSelect {
        /// Which.
        database: Database,
        /// Connections of an event loop.
        connections: u32,
        /// What.
        query: Query,
    },
    /// Reads a file.
    FileRead {
        /// Size of each file.
        size_bytes: u64,
        /// Whether the disk is asked.
        cold: bool,
        /// Where; `None` is the default place.
        folder: Option<PathBuf>,
    },
    /// Writes a file.
    FileWrite {
        /// Size of each file.
        size_bytes: u64,
        /// Whether it waits for the disk.
        fsync: bool,
        /// Where; `None` is the default place.
        folder: Option<PathBuf>,
    },
    /// Makes a picture smaller.
    ResizeImage {
        /// Who does it.
        by: Tool,
        /// Width of the original in pixels.
        source_width: u32,
        /// Width of the result in pixels.
        width: u32,
        /// Where; `None` is the default place.
        folder: Option<PathBuf>,
    },
    /// Packs an archive.
    Zip {
        /// Who does it.
        by: Tool,
        /// How many files.
        files: u32,
        /// Size of each.
        file_bytes: u64,
        /// Where; `None` is the default place.
        folder: Option<PathBuf>,
    },
}

/// Who answers an `http-get`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HttpSource {
    /// Our own server, started for the cell.
    Own {
        /// How long it waits.
        io: Duration,
        /// How far it then computes.
        cpu: CpuWork,
    },
    /// A server that runs already.
    Running {
        /// Host and port.
        authority: String,
        /// What is asked for; begins with `/`.
        path: String,
    },
}

/// Who takes the mail of an `smtp-send`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MailServer {
    /// Our own, started for the cell.
    Own {
        /// How long it waits before it takes a mail.
        delay: Duration,
    },
    /// One that runs already.
    Running {
        /// Host and port.
        authority: String,
    },
}

/// Who does a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// The worker itself, with a library.
    Library,
    /// A program that it starts.
    Command,
}

impl TaskSpec {
    /// The operation's name.
    #[must_use]
    pub fn op(&self) -> &'static str {
        match self {
            Self::SumOfSquares { .. } => "sum-of-squares",
            Self::Burn { .. } => "burn",
            Self::Primes { .. } => "primes",
            Self::Wait { .. } => "wait",
            Self::WaitAndBurn { .. } => "wait-and-burn",
            Self::Command { .. } => "command",
            Self::HttpGet { .. } => "http-get",
            Self::SmtpSend { .. } => "smtp-send",
            Self::DbSelect { .. } => "db-select",
            Self::FileRead { .. } => "file-read",
            Self::FileWrite { .. } => "file-write",
            Self::ResizeImage { .. } => "resize-image",
            Self::Zip { .. } => "zip",
        }
    }

    /// The CPU work that the task states, where its operation burns, or the server that it asks.
    #[must_use]
    pub fn cpu(&self) -> Option<CpuWork> {
        match self {
            Self::Burn { cpu }
            | Self::WaitAndBurn { cpu, .. }
            | Self::HttpGet { from: HttpSource::Own { cpu, .. }, .. } => Some(*cpu),
            _ => None,
        }
    }

    /// What must be there around the worker.
    #[must_use]
    pub fn needs(&self) -> Vec<Need> {
        let program = |by: &Tool, need: Need| (*by == Tool::Command).then_some(need);
        match self {
            Self::SumOfSquares { .. }
            | Self::Burn { .. }
            | Self::Primes { .. }
            | Self::Wait { .. }
            | Self::WaitAndBurn { .. }
            | Self::HttpGet { from: HttpSource::Running { .. }, .. }
            | Self::SmtpSend { to: MailServer::Running { .. }, .. }
            | Self::DbSelect { database: Database::Sqlite, .. } => Vec::new(),
            Self::Command { argv } => argv.first().map(|program| Need::Program(program.clone())).into_iter().collect(),
            Self::HttpGet { from: HttpSource::Own { io, cpu }, .. } => vec![Need::Http { io: *io, cpu: *cpu }],
            Self::SmtpSend { to: MailServer::Own { delay }, .. } => vec![Need::Mail { delay: *delay }],
            Self::DbSelect { database: Database::Postgres, .. } => vec![Need::Postgres],
            Self::FileRead { folder, .. } | Self::FileWrite { folder, .. } => vec![Need::Folder(folder.clone())],
            Self::ResizeImage { by, folder, .. } => {
                program(by, Need::ImageMagick).into_iter().chain([Need::Folder(folder.clone())]).collect()
            }
            Self::Zip { by, folder, .. } => {
                program(by, Need::Program("zip".into())).into_iter().chain([Need::Folder(folder.clone())]).collect()
            }
        }
    }

    /// The task on the wire, with CPU time turned into a count at this rate and what it [needs](Self::needs) at these
    /// places.
    #[must_use]
    pub fn resolve(&self, rate: BurnRate, at: &Endpoints) -> Task {
        let folder = || at.folder().display().to_string();
        match self {
            Self::SumOfSquares { n } => Task::SumOfSquares { n: *n },
            Self::Burn { cpu } => Task::Burn { iterations: cpu.iterations(rate) },
            Self::Primes { limit } => Task::Primes { limit: *limit },
            Self::Wait { io } => Task::Wait { io_ns: nanoseconds(*io) },
            Self::WaitAndBurn { io, cpu } => {
                Task::WaitAndBurn { io_ns: nanoseconds(*io), iterations: cpu.iterations(rate) }
            }
            Self::Command { argv } => Task::Command { argv: argv.clone() },
            Self::HttpGet { from, keep_alive } => {
                let (address, path) = match from {
                    HttpSource::Own { .. } => (at.http().to_owned(), "/".to_owned()),
                    HttpSource::Running { authority, path } => (authority.clone(), path.clone()),
                };
                Task::HttpGet { address, path, keep_alive: *keep_alive }
            }
            Self::SmtpSend { to, body_bytes } => {
                let address = match to {
                    MailServer::Own { .. } => at.mail().to_owned(),
                    MailServer::Running { authority } => authority.clone(),
                };
                Task::SmtpSend { address, body_bytes: *body_bytes }
            }
            Self::DbSelect { database, connections, query } => Task::DbSelect {
                database: *database,
                connection: match database {
                    Database::Postgres => at.postgres().to_owned(),
                    Database::Sqlite => ":memory:".to_owned(),
                },
                connections: *connections,
                query: query.clone(),
            },
            Self::FileRead { size_bytes, cold, .. } => {
                Task::FileRead { folder: folder(), size_bytes: *size_bytes, cold: *cold }
            }
            Self::FileWrite { size_bytes, fsync, .. } => {
                Task::FileWrite { folder: folder(), size_bytes: *size_bytes, fsync: *fsync }
            }
            Self::ResizeImage { by, source_width, width, .. } => Task::ResizeImage {
                folder: folder(),
                source_width: *source_width,
                width: *width,
                by: done_by(*by, || at.program(&Need::ImageMagick)),
            },
            Self::Zip { by, files, file_bytes, .. } => Task::Zip {
                folder: folder(),
                files: *files,
                file_bytes: *file_bytes,
                by: done_by(*by, || at.program(&Need::Program("zip".into()))),
            },
        }
    }
}

fn done_by(tool: Tool, program: impl FnOnce() -> String) -> By {
    match tool {
        Tool::Library => By::Library,
        Tool::Command => By::Program(program()),
    }
}
