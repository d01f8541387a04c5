//! The vocabulary as a page for people: `docs/matrix.md`. What is not data is in `reference.md` beside this file.

use std::fmt::Write as _;

use super::vocabulary::http::{HTTP, LOAD, SERVER};
use super::vocabulary::operations::{self as every_operation, TASK};
use super::vocabulary::tables::{BATCH, DEFAULTS, ROOT, RUNTIME};
use super::vocabulary::{Key, Kind, Operation, Table, Words};

/// The page, with its last line feed.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(include_str!("reference.md"));
    for table in [&ROOT, &DEFAULTS, &BATCH, &HTTP, &LOAD, &SERVER, &RUNTIME] {
        section(&mut page, table);
    }
    operations(&mut page);
    words(&mut page, "Models", "What `model` may be in a `[[batch]]`.", Words::Model);
    words(&mut page, "Models of a server", "What `model` may be in an `[[http]]`.", Words::HttpModel);
    words(&mut page, "Ways to listen", "What `listen` may be.", Words::Listen);
    words(&mut page, "Arrivals", "What `arrivals` may be.", Words::Arrivals);
    words(
        &mut page,
        "Locks",
        "What `lock` may be. A lock is an emulation; real interpreters are `[[runtime]]`s.",
        Words::Lock,
    );
    words(&mut page, "Orders", "What `order` may be.", Words::Order);
    words(&mut page, "Signals", "What `stop` may be.", Words::Stop);
    page
}

/// Appends text. Writing to a string cannot fail.
fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("a string takes everything");
}

fn section(page: &mut String, table: &Table) {
    let title = match table.header.chars().next() {
        Some('[') => format!("`{}`", table.header),
        Some('`') => table.header.to_owned(),
        _ => "The file".to_owned(),
    };
    add(page, format_args!("\n## {title}\n\n{}\n\n", table.about));
    keys(page, table.keys, table.one_of);
}

fn keys(page: &mut String, keys: &[Key], one_of: &[&str]) {
    page.push_str("| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
    for key in keys {
        add(page, format_args!("| `{}` | {} | {} | {} |\n", key.name, value(key), default(key, one_of), key.doc));
    }
}

fn default(key: &Key, one_of: &[&str]) -> String {
    match key.default {
        // A default that is a value rather than a description of one is set as code.
        Some(value) if value.starts_with('"') || value.parse::<u64>().is_ok() || matches!(value, "true" | "false") => {
            format!("`{value}`")
        }
        Some(words) => words.to_owned(),
        None if key.required => "required".into(),
        None if one_of.contains(&key.name) => "one of them".into(),
        None => "–".into(),
    }
}

fn value(key: &Key) -> String {
    let value = match key.kind {
        Kind::Word(Words::Model) => "one of the [models](#models)".into(),
        Kind::Word(Words::Lock) => "one of the [locks](#locks)".into(),
        Kind::Word(Words::Order) => "one of the [orders](#orders)".into(),
        Kind::Word(Words::HttpModel) => "one of the [models of a server](#models-of-a-server)".into(),
        Kind::Word(Words::Listen) => "one of the [ways to listen](#ways-to-listen)".into(),
        Kind::Word(Words::Arrivals) => "one of the [arrivals](#arrivals)".into(),
        Kind::Word(Words::Stop) => "one of the [signals](#signals)".into(),
        Kind::Word(words @ (Words::Database | Words::Tool)) => {
            words.all().iter().map(|(word, _)| format!("`\"{word}\"`")).collect::<Vec<_>>().join(" or ")
        }
        Kind::Labelled { table, .. } => {
            let name = table.header.trim_matches('`');
            format!("a table, see [`{name}`](#{name})")
        }
        Kind::Task => "one of the [operations](#operations) with its parameters".into(),
        kind => code(&kind.expectation()),
    };
    if key.axis { format!("{value}; *axis*") } else { value }
}

/// Text in quotes and tables in braces are set as code, so that Markdown leaves them alone.
fn code(words: &str) -> String {
    if let Some((before, table)) = words.split_once("such as ") {
        return format!("{before}such as `{table}`");
    }
    words.replace("[[", "`[[").replace("]]", "]]`").replace("written [defaults]", "written `[defaults]`")
}

fn operations(page: &mut String) {
    add(page, format_args!("\n## Operations\n\n{} `op` names one of these operations.", TASK.about));
    page.push_str(" `label` is what tables and ids call the task; the operation's name is the default.\n\n");
    page.push_str("| `op` | parameters | meaning |\n| --- | --- | --- |\n");
    for operation in every_operation::all() {
        let parameter = |key: &Key| format!("`{}`: {}", key.name, code(&key.kind.expectation()));
        let required: Vec<String> = operation.keys.iter().filter(|key| key.required).map(parameter).collect();
        let one_of: Vec<String> =
            operation.keys.iter().filter(|key| operation.one_of.contains(&key.name)).map(parameter).collect();
        let parameters = [required.join("; "), one_of.join("; or ")];
        let mut parameters: Vec<_> = parameters.into_iter().filter(|text| !text.is_empty()).collect();
        if has_optional(operation) {
            parameters = vec![format!("see [below](#{})", operation.name)];
        }
        add(page, format_args!("| `{}` | {} | {} |\n", operation.name, parameters.join("; and "), operation.doc));
    }
    for operation in every_operation::all().filter(|operation| has_optional(operation)) {
        add(page, format_args!("\n### `{}`\n\n{}\n\n", operation.name, operation.doc));
        keys(page, operation.keys, operation.one_of);
    }
}

/// Whether an operation has more to explain than fits into a row.
fn has_optional(operation: &Operation) -> bool {
    operation.keys.iter().any(|key| !key.required && !operation.one_of.contains(&key.name))
}

fn words(page: &mut String, title: &str, about: &str, words: Words) {
    add(page, format_args!("\n## {title}\n\n{about}\n\n| word | meaning |\n| --- | --- |\n"));
    for (word, doc) in words.all() {
        add(page, format_args!("| `{word}` | {doc} |\n"));
    }
}
