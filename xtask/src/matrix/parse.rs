//! TOML → [`Matrix`]: the file as a whole, its defaults and its runtimes. Scenarios are read by [`super::parse_scenario`].

use std::path::Path;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::LoadOptions;
use super::entries::{Entries, Entry};
use super::parse_scenario::scenario;
use super::plan::{Order, RUST_RUNTIME, Runtime, Schedule};
use super::problem::{Problem, Problems, Span, quote};
use super::reader::{self, Value, found, unexpected};
use super::setting::Surroundings;
use super::vocabulary::tables::{DEFAULTS, ROOT, RUNTIME};
use super::vocabulary::words::ORDERS;
use super::vocabulary::{Key, Table};
use super::written::{Matrix, Subject};

/// The syntax tree of a text.
///
/// # Errors
/// The text is not TOML: the first place where it is not.
pub fn syntax(text: &str) -> Result<DeTable<'_>, Problem> {
    let (table, errors) = DeTable::parse_recoverable(text);
    // What follows the first error is often its echo, and the reader does not find them in the order of the file.
    let first = errors.iter().min_by_key(|error| error.span().map_or(0, |span| span.start));
    let Some(error) = first else { return Ok(table.into_inner()) };
    let span = error.span().unwrap_or(0..0);
    // The reader joins what happened and what it expected by a comma.
    let (what, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), "other text"));
    let label = match expected {
        "nothing" => "this cannot stand here".to_owned(),
        _ => format!("expected {expected}"),
    };
    let problem = match what {
        "duplicate key" => {
            Problem::new("a key is set twice in one table").at(span, "already set above").help("keep one of the two")
        }
        // A word that begins with `t` or `f` is read as a boolean.
        "string values must be quoted" | "invalid boolean" => {
            let word = text.get(span.clone()).unwrap_or_default();
            Problem::new("text must be quoted").at(span, format!("write \"{word}\""))
        }
        "invalid basic string" | "invalid literal string" if text.get(span.clone()).is_none_or(str::is_empty) => {
            Problem::new("a text has no end").at(span, label)
        }
        _ => Problem::new(format!("not TOML: {what}")).at(span, label),
    };
    Err(problem)
}

/// Reads the file, which is in `folder`; mistakes go to `problems`.
///
/// Runtimes that the file does not have come with `extra`.
pub fn matrix<'d>(
    root: &'d DeTable<'d>,
    folder: &Path,
    options: &LoadOptions,
    extra: &[Runtime],
    problems: &mut Problems,
) -> Matrix {
    let entries = Entries::read(ROOT.header, &keys(&ROOT), 0..0, root, problems);
    version(&entries, problems);
    let defaults = defaults(&entries, problems);
    let mut runtimes = runtimes(&entries, folder, problems);
    let added = add(&mut runtimes, extra);
    let names: Vec<String> = runtimes.iter().map(|(runtime, _)| runtime.name.clone()).collect();
    let around = Surroundings {
        cores: options.cores,
        runtimes: &names,
        added: &added,
        folder,
        allow_remote: options.allow_remote,
    };
    let mut tables: Vec<(Subject, &DeTable<'_>, Span)> = Vec::new();
    for (name, subject) in [("batch", Subject::Batch), ("http", Subject::Http)] {
        let found = self::tables(entries.get(name), name, problems).into_iter();
        tables.extend(found.map(|(table, span)| (subject, table, span)));
    }
    // Scenarios of both kinds run in the order in which they stand in the file.
    tables.sort_by_key(|(_, _, span)| span.start);
    if tables.is_empty() && problems.is_empty() {
        problems.push(
            Problem::new("the matrix has no scenario")
                .at(0..0, "a [[batch]] or an [[http]] table is missing")
                .help("`docs/matrix.md` shows how a matrix looks"),
        );
    }
    let mut questions = Vec::new();
    let mut scenario_names = Vec::new();
    for (subject, table, span) in tables {
        let names = &mut scenario_names;
        questions.extend(scenario(subject, (table, span), defaults, options.quick, &around, names, problems));
    }
    unique("scenario", &scenario_names, problems);
    Matrix { questions, runtimes: runtimes.into_iter().map(|(runtime, _)| runtime).collect() }
}

fn version(entries: &Entries<'_>, problems: &mut Problems) {
    let Some(entry) = entries.get("schema") else {
        problems.push(
            Problem::new("the matrix does not say which version of the format it has")
                .at(0..0, "`schema = 1` is missing")
                .help("begin the file with `schema = 1`"),
        );
        return;
    };
    match entry.value.get_ref() {
        DeValue::Integer(number) if number.as_str() == "1" => {}
        DeValue::Integer(number) => problems.push(
            Problem::new(format!("version {number} of the matrix format is unknown"))
                .at(entry.value.span(), "this program reads version 1"),
        ),
        _ => problems.push(unexpected(entry.key, entry.value)),
    }
}

/// The schedule of a scenario that states none.
fn defaults(entries: &Entries<'_>, problems: &mut Problems) -> Schedule {
    let built_in = Schedule { order: Order::Interleaved, warmups: 1, runs: 5, timeout: Duration::from_secs(60) };
    let Some(entry) = entries.get("defaults") else { return built_in };
    let Some(table) = entry.value.get_ref().as_table() else {
        problems.push(wrong_shape(entry.key, entry.value, "[defaults]"));
        return built_in;
    };
    let entries = Entries::read(DEFAULTS.header, &keys(&DEFAULTS), entry.value.span(), table, problems);
    schedule(&entries, built_in, problems)
}

/// The schedule that a table states, with what it does not state taken from another.
pub fn schedule(entries: &Entries<'_>, otherwise: Schedule, problems: &mut Problems) -> Schedule {
    let mut count = |name| {
        let entry = entries.get(name)?;
        let count = reader::count(entry.key, entry.value, problems)?;
        Some(u32::try_from(count).expect("the vocabulary bounds this count"))
    };
    let (warmups, runs) = (count("warmups"), count("runs"));
    let timeout = entries.get("timeout").and_then(|entry| reader::time(entry.key, entry.value, problems));
    let order = entries.get("order").and_then(|entry| reader::word(entry.key, entry.value, problems));
    let order = order.and_then(|word| ORDERS.iter().find(|(name, ..)| *name == word)).map(|(_, order, _)| *order);
    Schedule {
        order: order.unwrap_or(otherwise.order),
        warmups: warmups.unwrap_or(otherwise.warmups),
        runs: runs.unwrap_or(otherwise.runs),
        timeout: timeout.unwrap_or(otherwise.timeout),
    }
}

/// Adds runtimes to those of the file. One that has a name of the file's takes the place of that one's command; the
/// answer is the names of all of them.
fn add(runtimes: &mut Vec<(Runtime, Span)>, extra: &[Runtime]) -> Vec<String> {
    for new in extra {
        match runtimes.iter_mut().find(|(runtime, _)| runtime.name == new.name) {
            Some((runtime, _)) => {
                let (install, env) = (runtime.install.take(), std::mem::take(&mut runtime.env));
                *runtime = Runtime { install: install.or_else(|| new.install.clone()), env, ..new.clone() };
            }
            None => runtimes.push((new.clone(), 0..0)),
        }
    }
    extra.iter().map(|runtime| runtime.name.clone()).collect()
}

fn runtimes(entries: &Entries<'_>, folder: &Path, problems: &mut Problems) -> Vec<(Runtime, Span)> {
    let keys = keys(&RUNTIME);
    let mut runtimes = Vec::new();
    for (table, span) in tables(entries.get("runtime"), "runtime", problems) {
        let entries = Entries::read(RUNTIME.header, &keys, span, table, problems);
        entries.require(RUNTIME.header, &keys, problems);
        let mut command = |key| entries.get(key).and_then(|entry| reader::command(entry.key, entry.value, problems));
        let (start, version) = (command("command"), command("version"));
        let install = entries.get("install").and_then(|entry| reader::text(entry.key, entry.value, problems));
        let env = entries.get("env").and_then(|entry| reader::texts(entry.key, entry.value, problems));
        let Some(entry) = entries.get("name") else { continue };
        let Some(name) = reader::name(entry.key, entry.value, problems) else { continue };
        if name == RUST_RUNTIME {
            problems.push(
                Problem::new("the runtime `rust` is built in")
                    .at(entry.value.span(), "this name is taken")
                    .help("give the [[runtime]] another name"),
            );
        }
        // A runtime without a valid command keeps its name, so that scenarios that name it are not wrong as well.
        let runtime = Runtime {
            name,
            command: start.unwrap_or_default(),
            version,
            install: install.map(str::to_owned),
            env: env.unwrap_or_default(),
            folder: folder.to_owned(),
        };
        runtimes.push((runtime, entry.value.span()));
    }
    let names: Vec<_> = runtimes.iter().map(|(runtime, span)| (runtime.name.clone(), span.clone())).collect();
    unique("runtime", &names, problems);
    runtimes
}

/// Notes every name that was given before.
fn unique(what: &str, names: &[(String, Span)], problems: &mut Problems) {
    let mut seen = std::collections::HashMap::new();
    for (name, span) in names {
        if let Some(first) = seen.get(name) {
            problems.push(
                Problem::new(format!("two {what}s are called {}", quote(name)))
                    .at(span.clone(), "the second one")
                    .at(Span::clone(first), "the first one"),
            );
        } else {
            seen.insert(name, span.clone());
        }
    }
}

/// The tables of an array of tables.
fn tables<'d>(entry: Option<&Entry<'d>>, name: &str, problems: &mut Problems) -> Vec<(&'d DeTable<'d>, Span)> {
    let Some(entry) = entry else { return Vec::new() };
    let header = format!("[[{name}]]");
    let Some(array) = entry.value.get_ref().as_array() else {
        problems.push(wrong_shape(entry.key, entry.value, &header));
        return Vec::new();
    };
    let mut tables = Vec::new();
    for value in array.iter() {
        match value.get_ref().as_table() {
            Some(table) => tables.push((table, value.span())),
            None => problems.push(wrong_shape(entry.key, value, &header)),
        }
    }
    tables
}

/// A table that was written as something else, or with the wrong brackets.
fn wrong_shape(key: &Key, value: &Value<'_>, header: &str) -> Problem {
    Problem::new(format!("`{}` must be {}, not {}", key.name, key.kind.noun(), found(value)))
        .at(value.span(), format!("write {header}"))
}

/// The keys of a table of the vocabulary.
#[must_use]
pub fn keys(table: &'static Table) -> Vec<&'static Key> {
    table.keys.iter().collect()
}

/// Whether a scenario has other values under `--quick`.
#[must_use]
pub fn has_quick(batches: &DeValue<'_>) -> bool {
    let tables = batches.as_array().into_iter().flat_map(|array| array.iter());
    tables.filter_map(|value| value.get_ref().as_table()).any(|table| table.contains_key("quick"))
}
