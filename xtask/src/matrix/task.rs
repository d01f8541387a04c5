//! `task`: what one step of a task does.

use super::entries::{Entries, Entry};
use super::plan::TaskSpec;
use super::problem::{Problem, Problems, quote};
use super::reader::{self, Value, unexpected};
use super::setting::Surroundings;
use super::task_spec::spec;
use super::vocabulary::operations::{self, TASK};
use super::vocabulary::{Key, Kind, Operation};

/// Reads a task and its label.
pub fn read(value: &Value<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Option<(TaskSpec, String)> {
    let Some(table) = value.get_ref().as_table() else {
        static TASK_KEY: Key = Key::new("task", Kind::Task, "");
        let mut problem = unexpected(&TASK_KEY, value);
        if let Some(op) = value.get_ref().as_str().filter(|op| operations::named(op).is_some()) {
            problem = problem.help(format!("write {{ op = \"{op}\", … }} with the parameters of `{op}`"));
        }
        problems.push(problem);
        return None;
    };
    let before = problems.len();
    // Which keys are known depends on the operation, so it is read first.
    let Some(op) = table.get("op") else {
        problems.push(Problem::new("a task needs `op`").at(value.span(), "`op` is missing").did_you_mean(
            "",
            "operations",
            operations::all().map(|operation| operation.name),
        ));
        return None;
    };
    let name = reader::text(&TASK.keys[0], op, problems)?;
    let Some(operation) = operations::named(name) else {
        problems.push(
            Problem::new(format!("unknown operation: {}", quote(name))).at(op.span(), "not an operation").did_you_mean(
                name,
                "operations",
                operations::all().map(|operation| operation.name),
            ),
        );
        return None;
    };
    let keys: Vec<&'static Key> = TASK.keys.iter().chain(operation.keys).collect();
    let subject = format!("the operation `{}`", operation.name);
    let entries = Entries::read(&subject, &keys, value.span(), table, problems);
    entries.require(&subject, &keys, problems);
    check_alternatives(operation, &entries, problems);
    check_excludes(operation, &entries, problems);
    let is_several = |entry: &&Entry<'_>| entry.value.get_ref().is_array() && !matches!(entry.key.kind, Kind::Command);
    if let Some(entry) = entries.iter().find(is_several) {
        // It looks as if it should work, so it is worth more than "must be a duration".
        problems.push(
            Problem::new(format!("`{}` must be one value; it cannot be an axis", entry.key.name))
                .at(entry.value.span(), format!("expected {}", entry.key.kind.expectation()))
                .help("make `task` an array of tasks, each with its own `label`"),
        );
        return None;
    }
    let label = match entries.get("label") {
        Some(entry) => reader::name(entry.key, entry.value, problems),
        None => Some(operation.name.to_owned()),
    };
    let spec = spec(operation, &entries, around, problems);
    if problems.len() > before {
        return None;
    }
    Some((spec?, label?))
}

/// Notes parameters that exclude each other, or of which none is there.
fn check_alternatives(operation: &Operation, entries: &Entries<'_>, problems: &mut Problems) {
    if operation.one_of.is_empty() {
        return;
    }
    let names = operation.one_of.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
    let given: Vec<_> = operation.one_of.iter().filter_map(|name| entries.get(name)).collect();
    match given.as_slice() {
        [_] => {}
        [] if operation.one_of.iter().any(|name| !entries.is_missing(name)) => {}
        [] => problems.push(
            Problem::new(format!("the operation `{}` needs {names}", operation.name))
                .at(entries.span.clone(), "how much work is missing")
                .help(match operation.name {
                    "db-select" => "`wait = \"50ms\"` waits in the database; `rows = 100_000` computes in it",
                    _ => "`iterations = 20_000` is a count; `cpu = \"2400us\"` is a time, which calibration turns into a count",
                }),
        ),
        [first, second, ..] => problems.push(
            Problem::new(format!("the operation `{}` takes {names}, not both", operation.name))
                .at(second.key_span.clone(), "the same work a second time")
                .at(first.key_span.clone(), "stated here already"),
        ),
    }
}

/// Notes parameters that mean nothing beside another one.
fn check_excludes(operation: &Operation, entries: &Entries<'_>, problems: &mut Problems) {
    for (name, others) in operation.excludes {
        let Some(entry) = entries.get(name) else { continue };
        for other in others.iter().filter_map(|other| entries.get(other)) {
            problems.push(
                Problem::new(format!("`{}` means nothing beside `{name}`", other.key.name))
                    .at(other.key_span.clone(), "without effect")
                    .at(entry.key_span.clone(), format!("because of `{name}`")),
            );
        }
    }
}
