//! `task`: what one step of a task does.

use super::entries::Entries;
use super::plan::{CpuWork, TaskSpec};
use super::problem::{Problem, Problems, quote};
use super::reader::{self, Value, unexpected};
use super::vocabulary::operations::{OPERATIONS, TASK};
use super::vocabulary::{Key, Kind, Operation};

/// Reads a task and its label.
pub fn read(value: &Value<'_>, problems: &mut Problems) -> Option<(TaskSpec, String)> {
    let Some(table) = value.get_ref().as_table() else {
        static TASK_KEY: Key = Key::new("task", Kind::Task, "");
        let mut problem = unexpected(&TASK_KEY, value);
        if let Some(op) = value.get_ref().as_str().filter(|op| operation(op).is_some()) {
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
            OPERATIONS.iter().map(|operation| operation.name),
        ));
        return None;
    };
    let name = reader::text(&TASK.keys[0], op, problems)?;
    let Some(operation) = operation(name) else {
        problems.push(
            Problem::new(format!("unknown operation: {}", quote(name))).at(op.span(), "not an operation").did_you_mean(
                name,
                "operations",
                OPERATIONS.iter().map(|operation| operation.name),
            ),
        );
        return None;
    };
    let keys: Vec<&'static Key> = TASK.keys.iter().chain(operation.keys).collect();
    let subject = format!("the operation `{}`", operation.name);
    let entries = Entries::read(&subject, &keys, value.span(), table, problems);
    entries.require(&subject, &keys, problems);
    check_alternatives(operation, &entries, problems);
    if let Some(entry) = entries.iter().find(|entry| entry.value.get_ref().is_array()) {
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
    let spec = spec(operation, &entries, problems);
    if problems.len() > before {
        return None;
    }
    Some((spec?, label?))
}

fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
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
                .help("`iterations = 20_000` is a count; `cpu = \"2400us\"` is a time, which calibration turns into a count"),
        ),
        [first, second, ..] => problems.push(
            Problem::new(format!("the operation `{}` takes {names}, not both", operation.name))
                .at(second.key_span.clone(), "the same work a second time")
                .at(first.key_span.clone(), "stated here already"),
        ),
    }
}

/// The parameters. `None` where one is missing or wrong, which has been noted.
fn spec(operation: &Operation, entries: &Entries<'_>, problems: &mut Problems) -> Option<TaskSpec> {
    // Every parameter is read, so that each mistake is noted.
    let mut count = |name: &str| entries.get(name).and_then(|entry| reader::count(entry.key, entry.value, problems));
    let (n, limit, iterations) = (count("n"), count("limit"), count("iterations"));
    let mut time = |name: &str| entries.get(name).and_then(|entry| reader::time(entry.key, entry.value, problems));
    let (io, cpu) = (time("io"), time("cpu"));
    let cpu = iterations.map(CpuWork::Iterations).or(cpu.map(CpuWork::Time));
    Some(match operation.name {
        "sum-of-squares" => TaskSpec::SumOfSquares { n: n? },
        "burn" => TaskSpec::Burn { cpu: cpu? },
        "primes" => TaskSpec::Primes { limit: limit? },
        "wait" => TaskSpec::Wait { io: io? },
        "wait-and-burn" => TaskSpec::WaitAndBurn { io: io?, cpu: cpu? },
        other => unreachable!("`{other}` is in the vocabulary and unknown here"),
    })
}
