//! `server`: a server that the matrix brings along, with placeholders still in its command.

use std::path::Path;
use std::time::Duration;

use super::super::entries::Entries;
use super::super::parse::keys;
use super::super::plan::{Readiness, ServerCommand, StopSignal};
use super::super::problem::{Problem, Problems, Span, quote};
use super::super::reader::{self, Value};
use super::super::setting::{Surroundings, narrow};
use super::super::vocabulary::http::{HTTP, SERVER};
use super::super::vocabulary::words::STOP_SIGNALS;
use super::placeholder;

/// A server before its placeholders are filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerTemplate {
    command: ServerCommand,
    /// Where the table stands.
    pub span: Span,
    /// Its placeholders, each with the place of the text that has it.
    pub placeholders: Vec<(String, Span)>,
}

impl ServerTemplate {
    /// Whether the command or the environment has this placeholder.
    #[must_use]
    pub fn uses(&self, name: &str) -> bool {
        self.placeholders.iter().any(|(placeholder, _)| placeholder == name)
    }

    /// The server with these values filled in. Ports are left for the engine, which knows which are free.
    #[must_use]
    pub fn fill(&self, vars: &[(&str, &str)]) -> ServerCommand {
        let value_of = |name: &str| vars.iter().find(|(var, _)| *var == name).map(|(_, value)| *value);
        let fill = |text: &String| placeholder::fill(text, value_of);
        ServerCommand {
            command: self.command.command.iter().map(fill).collect(),
            env: self.command.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
            ..self.command.clone()
        }
    }
}

/// Reads a server and its label.
pub fn read(value: &Value<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Option<(ServerTemplate, String)> {
    let Some(table) = value.get_ref().as_table() else {
        problems.push(reader::unexpected(HTTP.key("server")?, value));
        return None;
    };
    let before = problems.len();
    let entries = Entries::read(SERVER.header, &keys(&SERVER), value.span(), table, problems);
    entries.require(SERVER.header, &keys(&SERVER), problems);
    let command = entries.get("command").and_then(|entry| reader::command(entry.key, entry.value, problems));
    let label = match entries.get("label") {
        Some(entry) => reader::name(entry.key, entry.value, problems),
        None => command.as_ref().and_then(|command| command.first()).map(|program| program_name(program)),
    };
    let env = entries.get("env").and_then(|entry| reader::texts(entry.key, entry.value, problems));
    let cwd = entries.get("cwd").and_then(|entry| reader::text(entry.key, entry.value, problems));
    let ports = entries.get("ports").and_then(|entry| reader::count(entry.key, entry.value, problems));
    let ready = entries.get("ready").and_then(|entry| readiness(entry.key, entry.value, problems));
    let ready_timeout = entries.get("ready_timeout").and_then(|entry| reader::time(entry.key, entry.value, problems));
    let stop = entries.get("stop").and_then(|entry| reader::word(entry.key, entry.value, problems));
    let stop = stop.and_then(|word| STOP_SIGNALS.iter().find(|(name, ..)| *name == word)).map(|(_, signal, _)| *signal);
    if problems.len() > before {
        return None;
    }
    let command = ServerCommand {
        command: command?,
        env: env.unwrap_or_default(),
        // Absolute, so that it does not matter who joins it to what.
        cwd: cwd.map(|cwd| absolute(&around.folder.join(cwd))),
        ports: ports.map_or(1, narrow),
        ready: ready.unwrap_or(Readiness::Tcp),
        ready_timeout: ready_timeout.unwrap_or(Duration::from_secs(10)),
        stop: stop.unwrap_or(StopSignal::Term),
    };
    let texts = entries.get("command").and_then(|entry| entry.value.get_ref().as_array());
    let texts = texts.into_iter().flat_map(|array| array.iter());
    let values = entries.get("env").and_then(|entry| entry.value.get_ref().as_table());
    let values = values.into_iter().flatten().map(|(_, value)| value);
    let mut placeholders = Vec::new();
    for text in texts.chain(values) {
        let names = placeholder::find(text.get_ref().as_str().unwrap_or_default());
        placeholders.extend(names.map(|(_, name)| (name.to_owned(), text.span())));
    }
    Some((ServerTemplate { command, span: value.span(), placeholders }, label?))
}

/// What tables call a server that has no label: its program without folders.
fn program_name(program: &str) -> String {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect()
}

fn absolute(path: &Path) -> std::path::PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn readiness(
    key: &'static super::super::vocabulary::Key,
    value: &Value<'_>,
    problems: &mut Problems,
) -> Option<Readiness> {
    match reader::text(key, value, problems)? {
        "tcp" => Some(Readiness::Tcp),
        path if super::request::is_path(path) => Some(Readiness::Http(path.to_owned())),
        other => {
            let problem = Problem::new(format!("`ready` is neither a path nor \"tcp\": {}", quote(other)))
                .at(value.span(), format!("expected {}", key.kind.expectation()));
            problems.push(match other.starts_with("http://") {
                true => problem.help("the port is known only when the server is started: write the path alone"),
                false => problem,
            });
            None
        }
    }
}
