//! Settings of a `[[batch]]` cell.

use std::path::Path;

use protocol::Query;

use super::{Settings, cpu, duration, tasks};
use crate::matrix::axis::AxisValue;
use crate::matrix::plan::{BatchWork, HttpSource, MailServer, TaskSpec, Tool};
use crate::matrix::size;

pub(super) fn settings(work: &BatchWork) -> Settings {
    let mut settings = Settings::new();
    let mut set = |key: &str, value: Option<AxisValue>| drop(settings.insert(key.to_owned(), value));
    set("model", Some(work.model.name().into()));
    set("workers", work.model.uses_workers().then(|| u64::from(work.workers).into()));
    set("lock", Some(work.lock.name().into()));
    set("switch_interval", work.switch_interval.map(duration));
    set("tasks", Some(tasks(work.tasks)));
    set("steps", Some(u64::from(work.steps).into()));
    if let Some(work) = work.task.cpu() {
        let (key, value) = cpu(work);
        set(key, Some(value));
    }
    for (key, value) in task(&work.task) {
        set(key, Some(value));
    }
    set("op", Some(work.task.op().into()));
    settings
}

/// The parameters of a task but for its CPU work, by their key in the matrix.
fn task(task: &TaskSpec) -> Vec<(&'static str, AxisValue)> {
    let bytes = |bytes: u64| AxisValue::Text(size::shown(bytes));
    let flag = |flag: bool| AxisValue::Text(flag.to_string());
    let number = |number: u32| AxisValue::Number(number.into());
    let by = |tool: &Tool| AxisValue::from(if *tool == Tool::Library { "library" } else { "command" });
    let folder = |folder: &Option<std::path::PathBuf>| {
        folder.as_deref().map(|folder: &Path| ("folder", AxisValue::Text(folder.display().to_string())))
    };
    match task {
        TaskSpec::SumOfSquares { n } => vec![("n", (*n).into())],
        TaskSpec::Burn { .. } => vec![],
        TaskSpec::Primes { limit } => vec![("limit", (*limit).into())],
        TaskSpec::Wait { io } | TaskSpec::WaitAndBurn { io, .. } => vec![("io", duration(*io))],
        TaskSpec::Command { argv } => vec![("argv", AxisValue::Text(argv.join(" ")))],
        TaskSpec::HttpGet { from, keep_alive } => {
            let from = match from {
                HttpSource::Own { io, .. } => ("io", duration(*io)),
                HttpSource::Running { authority, path } => {
                    ("url", AxisValue::Text(format!("http://{authority}{path}")))
                }
            };
            vec![from, ("keep_alive", flag(*keep_alive))]
        }
        TaskSpec::SmtpSend { to, body_bytes } => {
            let to = match to {
                MailServer::Own { delay } => ("delay", duration(*delay)),
                MailServer::Running { authority } => ("to", AxisValue::Text(format!("smtp://{authority}"))),
            };
            vec![to, ("body", bytes(*body_bytes))]
        }
        TaskSpec::DbSelect { database, connections, query } => {
            let query = match query {
                Query::Wait { io_ns } => ("wait", duration(std::time::Duration::from_nanos(*io_ns))),
                Query::Compute { rows } => ("rows", (*rows).into()),
            };
            vec![("database", database.name().into()), ("connections", number(*connections)), query]
        }
        TaskSpec::FileRead { size_bytes, cold, folder: place } => {
            [("size", bytes(*size_bytes)), ("cold", flag(*cold))].into_iter().chain(folder(place)).collect()
        }
        TaskSpec::FileWrite { size_bytes, fsync, folder: place } => {
            [("size", bytes(*size_bytes)), ("fsync", flag(*fsync))].into_iter().chain(folder(place)).collect()
        }
        TaskSpec::ResizeImage { by: tool, source_width, width, folder: place } => {
            let widths = [("source_width", number(*source_width)), ("width", number(*width))];
            widths.into_iter().chain([("by", by(tool))]).chain(folder(place)).collect()
        }
        TaskSpec::Zip { by: tool, files, file_bytes, folder: place } => {
            let files = [("files", number(*files)), ("file_size", bytes(*file_bytes))];
            files.into_iter().chain([("by", by(tool))]).chain(folder(place)).collect()
        }
    }
}
