//! How long steps of everyday jobs take, before anything has run: figures of a small virtual machine with a cloud disk.

use std::time::Duration;

use protocol::{Database, Query};

use super::super::plan::{HttpSource, MailServer, TaskSpec, Tool};
use super::{CHILD_SETUP, PROCESS, burn};

/// Starting a small program and waiting for its end.
const COMMAND_S: f64 = 2e-3;
/// Starting ImageMagick, which reads its configuration.
const IMAGE_MAGICK_S: f64 = 20e-3;
/// A connection to a local server, a question and its answer.
const ROUND_TRIP_S: f64 = 0.3e-3;
/// The dialogue of a mail.
const MAIL_S: f64 = 1e-3;
/// A row that PostgreSQL makes and adds up, and one of SQLite's.
const ROW_S: [f64; 2] = [150e-9, 60e-9];
/// A byte from the page cache, and its checksum.
const CACHED_BYTE_S: f64 = 0.5e-9;
/// A byte from or to the disk.
const DISK_BYTE_S: f64 = 5e-9;
/// A flush of the disk.
const FLUSH_S: f64 = 4e-3;
/// A pixel that is decoded, and one that is encoded.
const PIXEL_S: [f64; 2] = [8e-9, 25e-9];
/// A byte that is deflated, inflated and checked.
const ZIP_BYTE_S: f64 = 25e-9;

/// Seconds that one step waits, and that it computes on one CPU.
pub(super) fn step(task: &TaskSpec) -> (f64, f64) {
    match task {
        TaskSpec::Command { argv } => match argv.as_slice() {
            [sleep, time] if sleep == "sleep" => (time.parse().unwrap_or(0.0), COMMAND_S),
            _ => (0.0, COMMAND_S),
        },
        TaskSpec::HttpGet { from: HttpSource::Own { io, cpu }, .. } => (io.as_secs_f64(), burn(*cpu) + ROUND_TRIP_S),
        TaskSpec::HttpGet { from: HttpSource::Running { .. }, .. } => (0.0, ROUND_TRIP_S),
        TaskSpec::SmtpSend { to, .. } => match to {
            MailServer::Own { delay } => (delay.as_secs_f64(), MAIL_S),
            MailServer::Running { .. } => (0.0, MAIL_S),
        },
        TaskSpec::DbSelect { query: Query::Wait { io_ns }, .. } => {
            (Duration::from_nanos(*io_ns).as_secs_f64(), ROUND_TRIP_S)
        }
        TaskSpec::DbSelect { database, query: Query::Compute { rows }, .. } => {
            (0.0, *rows as f64 * ROW_S[usize::from(*database == Database::Sqlite)])
        }
        TaskSpec::FileRead { size_bytes, cold, .. } => {
            let disk = if *cold { *size_bytes as f64 * DISK_BYTE_S } else { 0.0 };
            (disk, *size_bytes as f64 * CACHED_BYTE_S)
        }
        TaskSpec::FileWrite { size_bytes, fsync, .. } => {
            let disk = if *fsync { *size_bytes as f64 * DISK_BYTE_S + FLUSH_S } else { 0.0 };
            (disk, *size_bytes as f64 * CACHED_BYTE_S)
        }
        TaskSpec::ResizeImage { by, source_width, width, .. } => {
            let pixels = |width: u32| f64::from(width) * f64::from(width) * 0.75;
            let library = pixels(*source_width) * PIXEL_S[0] + pixels(*width) * PIXEL_S[1];
            match by {
                Tool::Library => (0.0, library),
                Tool::Command => (0.0, 2.0 * library + IMAGE_MAGICK_S),
            }
        }
        TaskSpec::Zip { by, files, file_bytes, .. } => {
            let library = f64::from(*files) * *file_bytes as f64 * ZIP_BYTE_S;
            (0.0, if *by == Tool::Library { library } else { library + COMMAND_S })
        }
        // Their times are known where they are asked for.
        TaskSpec::SumOfSquares { .. }
        | TaskSpec::Burn { .. }
        | TaskSpec::Primes { .. }
        | TaskSpec::Wait { .. }
        | TaskSpec::WaitAndBurn { .. } => (0.0, 0.0),
    }
}

/// Starting what a task needs for each of its processes.
pub(super) fn start(task: &TaskSpec) -> Duration {
    match task {
        TaskSpec::HttpGet { from: HttpSource::Own { .. }, .. }
        | TaskSpec::SmtpSend { to: MailServer::Own { .. }, .. } => PROCESS,
        TaskSpec::FileRead { .. }
        | TaskSpec::FileWrite { .. }
        | TaskSpec::ResizeImage { .. }
        | TaskSpec::Zip { .. } => {
            // Making the files.
            CHILD_SETUP
        }
        _ => Duration::ZERO,
    }
}
