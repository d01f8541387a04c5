//! What one step of a task does: the operations and their parameters. `docs/protocol.md` says what each computes.

use serde::{Deserialize, Serialize};

use crate::words::words;

/// What one step of a task does. Times are in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Task {
    /// Adds `i * i` for every `i` in `0..n`, in a real loop.
    SumOfSquares {
        /// How many squares.
        n: u64,
    },
    /// Runs a linear congruential generator.
    Burn {
        /// How many steps of the generator.
        iterations: u64,
    },
    /// Counts the primes below a limit by trial division.
    Primes {
        /// The first number that is not looked at.
        limit: u64,
    },
    /// Waits, as for a network or a disk.
    Wait {
        /// How long.
        io_ns: u64,
    },
    /// Waits, then burns.
    WaitAndBurn {
        /// How long it waits.
        io_ns: u64,
        /// How many steps of the generator follow.
        iterations: u64,
    },
    /// Runs a program to its end, without a shell; its stdin is empty, its output goes nowhere.
    Command {
        /// The program and its arguments; at least the program.
        argv: Vec<String>,
    },
    /// Asks an HTTP/1.1 server for a page and reads all of it.
    HttpGet {
        /// Host and port.
        address: String,
        /// What is asked for; begins with `/`.
        path: String,
        /// Whether a worker keeps its connection; else each request has a new one.
        keep_alive: bool,
    },
    /// Hands a mail over to a mail server: connect, EHLO, MAIL, RCPT, DATA, QUIT.
    SmtpSend {
        /// Host and port.
        address: String,
        /// Size of the mail's text.
        body_bytes: u64,
    },
    /// Asks a database for one number.
    DbSelect {
        /// Which database.
        database: Database,
        /// Where it is: a `postgresql://` address or a list of `key=value` of libpq; for SQLite the path of a file, or `:memory:`.
        connection: String,
        /// How many connections an event loop opens for its tasks. A thread and a process have one each, whatever this says.
        connections: u32,
        /// What is asked.
        query: Query,
    },
    /// Reads a whole file.
    FileRead {
        /// Where the files are made while the job is prepared; an existing folder.
        folder: String,
        /// Size of each file.
        size_bytes: u64,
        /// Whether the file is dropped from the page cache before it is read, so that the disk is asked.
        cold: bool,
    },
    /// Writes a whole file.
    FileWrite {
        /// Where; an existing folder.
        folder: String,
        /// Size of each file.
        size_bytes: u64,
        /// Whether the write lasts until the disk has it.
        fsync: bool,
    },
    /// Reads a picture, makes it smaller, and writes it.
    ResizeImage {
        /// Where the picture is made while the job is prepared, and where the smaller ones go; an existing folder.
        folder: String,
        /// Width of the original in pixels; it is three quarters as high.
        source_width: u32,
        /// Width of the result in pixels; it is three quarters as high.
        width: u32,
        /// Who does it.
        by: By,
    },
    /// Packs a folder of text files into one archive, and reads it back.
    Zip {
        /// Where the files are made while the job is prepared, and where the archives go; an existing folder.
        folder: String,
        /// How many files.
        files: u32,
        /// Size of each.
        file_bytes: u64,
        /// Who does it.
        by: By,
    },
}

/// What a database is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Query {
    /// To wait in the server.
    Wait {
        /// How long.
        io_ns: u64,
    },
    /// To compute in the database.
    Compute {
        /// Over how many rows.
        rows: u64,
    },
}

words! {
    /// A database.
    Database {
        /// PostgreSQL, a server.
        Postgres = "postgres",
        /// SQLite, a library.
        Sqlite = "sqlite",
    }
}

/// Who does a piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The worker itself, with a library.
    Library,
    /// A program that the worker starts.
    Program(
        /// Its path, or its name on the PATH: ImageMagick's `convert` or `magick`, or `zip`.
        String,
    ),
}

impl Task {
    /// The operation's name, as in the matrix file and on the wire.
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
}
