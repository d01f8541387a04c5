//! The tables of the file and their keys, but for those of `[[http]]`.

use std::time::Duration;

use super::http::{HTTP, LOAD, SERVER};
use super::operations::{self, TASK};
use super::{Key, Kind, Table, Words};
use crate::matrix::problem::list;

/// Most combinations of axis values that a matrix may have. Far more than anybody can run; it keeps a slip of the pen
/// from eating the memory.
pub const MAX_CELLS: u64 = 250_000;

const MAX_TIME: Duration = Duration::from_secs(3600);
/// Any count of work.
pub const COUNT: Kind = Kind::Count { min: 0, max: 1_000_000_000_000 };
/// Any time that work takes.
pub const TIME: Kind = Kind::Time { min: Duration::ZERO, max: MAX_TIME };
const WARMUPS: Kind = Kind::Count { min: 0, max: 1000 };
const RUNS: Kind = Kind::Count { min: 1, max: 1000 };
const TIMEOUT: Kind = Kind::Time { min: Duration::from_millis(1), max: Duration::from_secs(24 * 3600) };

/// The whole file.
pub static ROOT: Table = Table {
    header: "the matrix file",
    about: "The file as a whole.",
    keys: &[
        Key::new("schema", Kind::Version, "Version of this format.").required(),
        Key::new("defaults", Kind::Table(&DEFAULTS), "Settings of every scenario that does not state its own."),
        Key::new("batch", Kind::Tables(&BATCH), "A scenario: a fixed set of tasks, run to its end."),
        Key::new("http", Kind::Tables(&HTTP), "A scenario: a server under load."),
        Key::new("runtime", Kind::Tables(&RUNTIME), "A worker in another language."),
    ],
    one_of: &[],
};

/// `[defaults]`.
pub static DEFAULTS: Table = Table {
    header: "[defaults]",
    about: "Settings of every scenario that does not state its own.",
    keys: &[
        Key::new("warmups", WARMUPS, "Runs that warm up: recorded, never counted.").default("1"),
        Key::new("runs", RUNS, "Runs that count.").default("5"),
        Key::new("timeout", TIMEOUT, "How long one run may take before its cell has failed.").default("\"60s\""),
        Key::new("order", Kind::Word(Words::Order), "In which order the runs of a scenario follow each other.")
            .default("\"interleaved\""),
    ],
    one_of: &[],
};

// Keys that scenarios of both kinds have.
/// `name` of a scenario.
pub const NAME: Key = Key::new("name", Kind::Name, "Name of the scenario; unique. Cell ids begin with it.").required();
/// `question` of a scenario.
pub const QUESTION: Key = Key::new("question", Kind::Text, "What the scenario asks, for a reader of its table.");
/// `lock`.
pub const LOCK: Key =
    Key::new("lock", Kind::Word(Words::Lock), "The emulated interpreter lock that the tasks run under.")
        .axis()
        .default("\"none\"");
/// `switch_interval`.
pub const SWITCH_INTERVAL: Key = Key::new(
    "switch_interval",
    Kind::Time { min: Duration::from_micros(1), max: Duration::from_secs(60) },
    "How long a waiter leaves the lock to its holder.",
)
.axis()
.default("5 ms for `gil`, 100 ms for `gvl`");
/// `runtime` of a scenario.
pub const RUNTIME_OF: Key = Key::new(
    "runtime",
    Kind::Runtime,
    "What does the work, or serves: `\"rust\"`, or the name of a `[[runtime]]`. A real interpreter has the lock that it \
     has, so `lock` and `switch_interval` are no axes of its cells.",
)
.axis()
.default("\"rust\"");
/// `needs`.
pub const NEEDS: Key = Key::new(
    "needs",
    Kind::Needs,
    "What its cells need beside what their tasks need anyway: `postgres` and `smtp` are started, and named to the worker and \
     its commands by `DATABASE_URL` and `SMTP_URL`; `convert` is ImageMagick; any other name is a program on the PATH. \
     Where something is missing, the cells are skipped.",
)
.default("nothing");
/// `compare`.
pub const COMPARE: Key =
    Key::new("compare", Kind::AxisName, "The axis whose values are compared with each other.").default("no comparison");
/// `baseline`.
pub const BASELINE: Key =
    Key::new("baseline", Kind::Baseline, "The value of the compared axis that ratios are taken against.")
        .quick()
        .default("the first value");
/// `zip`.
pub const ZIP: Key =
    Key::new("zip", Kind::Zip, "Axes that are walked together, value by value, instead of combined.").quick();
/// `exclude`.
pub const EXCLUDE: Key = Key::new(
    "exclude",
    Kind::Exclude,
    "Combinations that are left out: each table drops all cells that have its values.",
)
.quick();
/// `order` of a scenario.
pub const ORDER: Key = Key::new("order", Kind::Word(Words::Order), "In which order the runs follow each other.")
    .default("see `[defaults]`");
/// `warmups` of a scenario.
pub const WARMUPS_OF: Key =
    Key::new("warmups", WARMUPS, "Runs that warm up: recorded, never counted.").quick().default("see `[defaults]`");
/// `runs` of a scenario.
pub const RUNS_OF: Key = Key::new("runs", RUNS, "Runs that count.").quick().default("see `[defaults]`");
/// `timeout` of a scenario.
pub const TIMEOUT_OF: Key = Key::new("timeout", TIMEOUT, "How long one run may take before its cell has failed.")
    .quick()
    .default("see `[defaults]`");
/// `quick`.
pub const QUICK: Key = Key::new("quick", Kind::Quick, "Keys of this scenario that have other values under `--quick`.");

/// `[[batch]]`.
pub static BATCH: Table = Table {
    header: "[[batch]]",
    about: "One question about a fixed set of tasks. A key marked *axis* takes one value or an array of values; the \
            scenario is run for every combination of the values of its axes, and each combination is a cell.",
    keys: &[
        NAME,
        QUESTION,
        Key::new("task", Kind::Task, "What one step of a task does.").required().axis(),
        Key::new(
            "tasks",
            Kind::Tasks { max: 10_000_000, longest: MAX_TIME },
            "How many tasks there are. A time such as `\"330ms\"` stands for as many as one worker does in it, by a count.",
        )
        .required()
        .axis(),
        Key::new("steps", Kind::Count { min: 1, max: 1_000_000 }, "How often each task repeats its operation.")
            .axis()
            .default("1"),
        Key::new("model", Kind::Word(Words::Model), "How the tasks are made to run at the same time.")
            .required()
            .axis(),
        Key::new(
            "workers",
            Kind::Workers { max: 4096 },
            "How many threads, processes or event loops the model uses. `\"cores\"` is the number of usable CPUs.",
        )
        .axis()
        .default("\"cores\""),
        LOCK,
        SWITCH_INTERVAL,
        RUNTIME_OF,
        NEEDS,
        COMPARE,
        BASELINE,
        Key::new("include_setup", Kind::Flag, "Whether making threads, processes and loops counts as elapsed time.")
            .default("false"),
        ZIP,
        EXCLUDE,
        ORDER,
        WARMUPS_OF,
        RUNS_OF,
        TIMEOUT_OF,
        QUICK,
    ],
    one_of: &[],
};

/// `[[runtime]]`.
pub static RUNTIME: Table = Table {
    header: "[[runtime]]",
    about: "A worker in another language. It speaks the same protocol as ours; `docs/protocol.md` is its text. It is asked \
            for its version once before anything is measured: one that cannot tell it is not measured. `cargo xtask \
            doctor` finds the interpreters of this machine and prints such tables; `cargo xtask matrix --runtime \
            NAME=PROGRAM` adds one without a table to every scenario whose `runtime` is an array. Where the program of `command` is not \
            installed, the cells are skipped. An argument of it that is no file beside the matrix, but one of this \
            workspace, is taken from here, so `crates/interpreters/python/worker.py` works in every matrix.",
    keys: &[
        Key::new("name", Kind::Name, "Its name on the `runtime` axis; unique, and not `rust`.").required(),
        Key::new("command", Kind::Command, "The command that starts the worker, in the folder of the matrix file.")
            .required(),
        Key::new(
            "version",
            Kind::Command,
            "A command that prints its version, for a worker that cannot tell it well; the first line counts.",
        )
        .default("the worker's own word"),
        Key::new("install", Kind::Text, "How to get it: shown where it is missing."),
        Key::new("env", Kind::Environment, "Environment variables that it is started with."),
    ],
    one_of: &[],
};

/// Where a key belongs that was met in another table: "key of `[[batch]]`" or "parameter of `burn`", say. Many words
/// are keys of several tables, so it matters where it was met.
#[must_use]
pub fn home_of(word: &str, met_in: &str) -> Option<String> {
    let has = |keys: &[Key]| keys.iter().any(|key| key.name == word);
    let table = |tables: &[&Table]| {
        let table = tables.iter().rfind(|table| has(table.keys));
        table.map(|table| format!("key of {}", table.header))
    };
    let operation = || {
        let operations: Vec<&str> = operations::all().filter(|operation| has(operation.keys)).map(|o| o.name).collect();
        (!operations.is_empty()).then(|| format!("parameter of {}", list(&operations)))
    };
    let http = || table(&[&LOAD, &SERVER, &HTTP]);
    let batch = || table(&[&ROOT, &DEFAULTS, &BATCH, &RUNTIME, &TASK]).or_else(operation);
    match [&HTTP, &LOAD, &SERVER].iter().any(|table| table.header == met_in) {
        true => http().or_else(batch),
        false => batch().or_else(http),
    }
}
