//! The parameters of a task, by its operation.

use std::path::PathBuf;
use std::time::Duration;

use protocol::{Database, Query};

use super::entries::{Entries, Entry};
use super::plan::{CpuWork, HttpSource, MailServer, TaskSpec, Tool};
use super::problem::{Problem, Problems};
use super::setting::{Surroundings, narrow};
use super::vocabulary::Operation;
use super::vocabulary::everyday::DEFAULT_WAIT;
use super::vocabulary::words::TOOLS;
use super::{address, reader};
use crate::number::nanoseconds;

/// The parameters. `None` where one is missing or wrong, which has been noted.
pub fn spec(
    operation: &Operation,
    entries: &Entries<'_>,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<TaskSpec> {
    let mut given = Parameters { entries, around, problems };
    // Every parameter is read before the first one that is missing ends it, so that each mistake is noted.
    Some(match operation.name {
        "sum-of-squares" => TaskSpec::SumOfSquares { n: given.count("n")? },
        "burn" => TaskSpec::Burn { cpu: given.cpu()? },
        "primes" => TaskSpec::Primes { limit: given.count("limit")? },
        "wait" => TaskSpec::Wait { io: given.time("io")? },
        "wait-and-burn" => {
            let (io, cpu) = (given.time("io"), given.cpu());
            TaskSpec::WaitAndBurn { io: io?, cpu: cpu? }
        }
        "command" => {
            let argv = given.command("argv");
            TaskSpec::Command { argv: argv.unwrap_or_else(|| vec!["sleep".to_owned(), "0.2".to_owned()]) }
        }
        "http-get" => given.http_get(),
        "smtp-send" => given.smtp_send(),
        "db-select" => given.db_select()?,
        "file-read" => TaskSpec::FileRead {
            size_bytes: given.size("size").unwrap_or(1 << 20),
            cold: given.flag("cold").unwrap_or(false),
            folder: given.folder(),
        },
        "file-write" => TaskSpec::FileWrite {
            size_bytes: given.size("size").unwrap_or(1 << 20),
            fsync: given.flag("fsync").unwrap_or(true),
            folder: given.folder(),
        },
        "resize-image" => given.resize_image(),
        "zip" => TaskSpec::Zip {
            by: given.tool(),
            files: given.count("files").map_or(20, narrow),
            file_bytes: given.size("file_size").unwrap_or(50_000),
            folder: given.folder(),
        },
        other => unreachable!("`{other}` is in the vocabulary and unknown here"),
    })
}

/// The parameters of one task, with every mistake noted.
struct Parameters<'p, 'd> {
    entries: &'p Entries<'d>,
    around: &'p Surroundings<'p>,
    problems: &'p mut Problems,
}

impl<'p, 'd> Parameters<'p, 'd> {
    fn get(&self, name: &str) -> Option<&'p Entry<'d>> {
        self.entries.get(name)
    }

    fn count(&mut self, name: &str) -> Option<u64> {
        self.get(name).and_then(|entry| reader::count(entry.key, entry.value, self.problems))
    }

    fn time(&mut self, name: &str) -> Option<Duration> {
        self.get(name).and_then(|entry| reader::time(entry.key, entry.value, self.problems))
    }

    fn size(&mut self, name: &str) -> Option<u64> {
        self.get(name).and_then(|entry| reader::size(entry.key, entry.value, self.problems))
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        self.get(name).and_then(|entry| reader::flag(entry.key, entry.value, self.problems))
    }

    fn command(&mut self, name: &str) -> Option<Vec<String>> {
        self.get(name).and_then(|entry| reader::command(entry.key, entry.value, self.problems))
    }

    fn cpu(&mut self) -> Option<CpuWork> {
        let (iterations, cpu) = (self.count("iterations"), self.time("cpu"));
        iterations.map(CpuWork::Iterations).or(cpu.map(CpuWork::Time))
    }

    fn tool(&mut self) -> Tool {
        let word = self.get("by").and_then(|entry| reader::word(entry.key, entry.value, self.problems));
        let tool = word.and_then(|word| TOOLS.iter().find(|(name, ..)| *name == word));
        tool.map_or(Tool::Library, |(_, tool, _)| *tool)
    }

    /// An absolute path, so that it does not matter who joins it to what.
    fn folder(&mut self) -> Option<PathBuf> {
        let text = self.get("folder").and_then(|entry| reader::text(entry.key, entry.value, self.problems))?;
        let folder = self.around.folder.join(text);
        Some(std::path::absolute(&folder).unwrap_or(folder))
    }

    fn http_get(&mut self) -> TaskSpec {
        let (io, cpu) = (self.time("io"), self.cpu());
        let keep_alive = self.flag("keep_alive").unwrap_or(false);
        let url = self.get("url").and_then(|entry| address::read(entry.key, entry.value, self.around, self.problems));
        let from = match url {
            Some(url) => HttpSource::Running {
                authority: url.authority,
                path: if url.path.is_empty() { "/".to_owned() } else { url.path },
            },
            None => {
                HttpSource::Own { io: io.unwrap_or(DEFAULT_WAIT), cpu: cpu.unwrap_or(CpuWork::Time(Duration::ZERO)) }
            }
        };
        TaskSpec::HttpGet { from, keep_alive }
    }

    fn smtp_send(&mut self) -> TaskSpec {
        let (delay, body_bytes) = (self.time("delay"), self.size("body").unwrap_or(1000));
        let to = self.get("to").and_then(|entry| address::read(entry.key, entry.value, self.around, self.problems));
        let to = match to {
            Some(to) => MailServer::Running { authority: to.authority },
            None => MailServer::Own { delay: delay.unwrap_or(DEFAULT_WAIT) },
        };
        TaskSpec::SmtpSend { to, body_bytes }
    }

    fn db_select(&mut self) -> Option<TaskSpec> {
        let word = self.get("database").and_then(|entry| reader::word(entry.key, entry.value, self.problems));
        let database = word.and_then(Database::from_name).unwrap_or(Database::Postgres);
        let connections = self.count("connections").map_or(4, narrow);
        let (wait, rows) = (self.time("wait"), self.count("rows"));
        if let (Database::Sqlite, Some(entry), Some(database)) = (database, self.get("wait"), self.get("database")) {
            self.problems.push(
                Problem::new("SQLite has no query that waits")
                    .at(entry.key_span.clone(), "`rows = 100_000` computes in it")
                    .at(database.value.span(), "a library, without a server that could wait"),
            );
        }
        let query =
            rows.map(|rows| Query::Compute { rows }).or(wait.map(|io| Query::Wait { io_ns: nanoseconds(io) }))?;
        Some(TaskSpec::DbSelect { database, connections, query })
    }

    fn resize_image(&mut self) -> TaskSpec {
        let by = self.tool();
        let source_width = self.count("source_width").map_or(1600, narrow);
        let width = self.count("width").map_or(400, narrow);
        let folder = self.folder();
        let place = self.get("width").or_else(|| self.get("source_width"));
        if let (true, Some(place)) = (width > source_width, place) {
            self.problems.push(
                Problem::new(format!("the picture would become larger: {width} of {source_width} pixels"))
                    .at(place.value.span(), "`width` is at most `source_width`"),
            );
        }
        TaskSpec::ResizeImage { by, source_width, width, folder }
    }
}
