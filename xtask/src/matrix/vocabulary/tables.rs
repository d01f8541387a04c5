//! The words themselves.

use std::time::Duration;

use protocol::{Lock, Model};

use super::{Key, Kind, Operation, Table, Words};
use crate::matrix::plan::Order;

/// Most combinations of axis values that a matrix may have. Far more than anybody can run; it keeps a slip of the pen
/// from eating the memory.
pub const MAX_CELLS: u64 = 250_000;

const MAX_TIME: Duration = Duration::from_secs(3600);
const COUNT: Kind = Kind::Count { min: 0, max: 1_000_000_000_000 };
const TIME: Kind = Kind::Time { min: Duration::ZERO, max: MAX_TIME };
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
        Key::new("runtime", Kind::Tables(&RUNTIME), "A worker in another language."),
    ],
};

/// Tables that a later version reads: known, so that whoever writes one already is told so.
pub static NOT_YET: &[Key] =
    &[Key::new("http", Kind::Tables(&BATCH), "HTTP scenarios are not supported by this version")];

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
};

/// `[[batch]]`.
pub static BATCH: Table = Table {
    header: "[[batch]]",
    about: "One question about a fixed set of tasks. A key marked *axis* takes one value or an array of values; the \
            scenario is run for every combination of the values of its axes, and each combination is a cell.",
    keys: &[
        Key::new("name", Kind::Name, "Name of the scenario; unique. Cell ids begin with it.").required(),
        Key::new("question", Kind::Text, "What the scenario asks, for a reader of its table."),
        Key::new("task", Kind::Task, "What one step of a task does.").required().axis(),
        Key::new("tasks", Kind::Count { min: 1, max: 10_000_000 }, "How many tasks there are.").required().axis(),
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
        Key::new("lock", Kind::Word(Words::Lock), "The emulated interpreter lock that the tasks run under.")
            .axis()
            .default("\"none\""),
        Key::new(
            "switch_interval",
            Kind::Time { min: Duration::from_micros(1), max: Duration::from_secs(60) },
            "How long a waiter leaves the lock to its holder.",
        )
        .axis()
        .default("5 ms for `gil`, 100 ms for `gvl`"),
        Key::new("runtime", Kind::Runtime, "What executes the tasks: `\"rust\"`, or the name of a `[[runtime]]`.")
            .axis()
            .default("\"rust\""),
        Key::new("compare", Kind::AxisName, "The axis whose values are compared with each other.")
            .default("no comparison"),
        Key::new("baseline", Kind::Baseline, "The value of the compared axis that ratios are taken against.")
            .quick()
            .default("the first value"),
        Key::new("include_setup", Kind::Flag, "Whether making threads, processes and loops counts as elapsed time.")
            .default("false"),
        Key::new("zip", Kind::Zip, "Axes that are walked together, value by value, instead of combined.").quick(),
        Key::new(
            "exclude",
            Kind::Exclude,
            "Combinations that are left out: each table drops all cells that have its values.",
        )
        .quick(),
        Key::new("order", Kind::Word(Words::Order), "In which order the runs follow each other.")
            .default("see `[defaults]`"),
        Key::new("warmups", WARMUPS, "Runs that warm up: recorded, never counted.").quick().default("see `[defaults]`"),
        Key::new("runs", RUNS, "Runs that count.").quick().default("see `[defaults]`"),
        Key::new("timeout", TIMEOUT, "How long one run may take before its cell has failed.")
            .quick()
            .default("see `[defaults]`"),
        Key::new("quick", Kind::Quick, "Keys of this scenario that have other values under `--quick`."),
    ],
};

/// `[[runtime]]`.
pub static RUNTIME: Table = Table {
    header: "[[runtime]]",
    about: "A worker in another language. It speaks the same protocol as ours; `docs/protocol.md` is its text.",
    keys: &[
        Key::new("name", Kind::Name, "Its name on the `runtime` axis; unique, and not `rust`.").required(),
        Key::new("command", Kind::Command, "The command that starts the worker.").required(),
        Key::new("version", Kind::Command, "The command that prints its version.").default("the worker's own word"),
        Key::new("install", Kind::Text, "How to get it: shown where it is missing."),
        Key::new("env", Kind::Environment, "Environment variables that it is started with."),
    ],
};

/// The keys that every `task` has beside the parameters of its operation.
pub static TASK: Table = Table {
    header: "`task`",
    about: "What one step of a task does.",
    keys: &[
        Key::new("op", Kind::Text, "The operation.").required(),
        Key::new("label", Kind::Label, "What tables and ids call it.").default("the operation's name"),
    ],
};

const ITERATIONS: Key = Key::new("iterations", COUNT, "How many steps of the generator.");
const CPU: Key = Key::new("cpu", TIME, "As many steps as this time takes on one core without a lock, by calibration.");
const IO: Key = Key::new("io", TIME, "How long it waits.").required();

/// Every operation.
pub static OPERATIONS: &[Operation] = &[
    Operation {
        name: "sum-of-squares",
        doc: "Adds `i * i` for every `i` below `n`, in a real loop.",
        keys: &[Key::new("n", COUNT, "How many squares.").required()],
        one_of: &[],
    },
    Operation {
        name: "burn",
        doc: "Runs a linear congruential generator.",
        keys: &[ITERATIONS, CPU],
        one_of: &["iterations", "cpu"],
    },
    Operation {
        name: "primes",
        doc: "Counts the primes below `limit` by trial division.",
        keys: &[Key::new(
            "limit",
            Kind::Count { min: 0, max: 1_000_000_000 },
            "The first number that is not looked at.",
        )
        .required()],
        one_of: &[],
    },
    Operation { name: "wait", doc: "Waits, as for a network or a disk.", keys: &[IO], one_of: &[] },
    Operation {
        name: "wait-and-burn",
        doc: "Waits, then runs the generator.",
        keys: &[IO, ITERATIONS, CPU],
        one_of: &["iterations", "cpu"],
    },
];

/// The orders of runs, with the plan's word for each.
pub static ORDERS: &[(&str, Order, &str)] = &[
    (
        "interleaved",
        Order::Interleaved,
        "Round by round through the cells of a comparison in a random order, a fresh process and its warm-ups each time, \
         so that drift of the machine falls on all cells alike.",
    ),
    ("sequential", Order::Sequential, "Cell by cell: one process, its warm-ups, then all its runs."),
];

/// One sentence on a model.
#[must_use]
pub fn model_doc(model: Model) -> &'static str {
    match model {
        Model::Sequential => "One after another on one thread. Ignores `workers`.",
        Model::Threads => "A fixed pool of OS threads that take tasks from one counter.",
        Model::Processes => {
            "A fixed pool of child processes, each given an even share of the tasks and a lock of its own."
        }
        Model::Async => "One event loop, all tasks at once; CPU work blocks it, on purpose. Ignores `workers`.",
        Model::Loops => "Threads with an event loop each, tasks dealt out evenly.",
        Model::WorkStealing => "One multi-thread runtime whose threads steal tasks from each other.",
        Model::Rayon => "A rayon pool: work stealing for CPU-bound code; a wait holds its thread.",
        Model::Offload => "One event loop; the CPU part of each step goes to a pool of threads.",
    }
}

/// One sentence on a lock.
#[must_use]
pub fn lock_doc(lock: Lock) -> &'static str {
    match lock {
        Lock::None => "No lock: tasks run in parallel.",
        Lock::Gil => "CPython's global interpreter lock: a waiter asks for it after 5 ms.",
        Lock::Gvl => "Ruby's global VM lock: waiters queue, and the holder gives it up after 100 ms of running.",
    }
}

#[cfg(test)]
mod tests {
    use protocol::Task;

    use super::*;

    #[test]
    fn every_operation_of_the_protocol_has_its_entry() {
        // A match that the compiler keeps complete: whoever adds an operation to the protocol is led here.
        fn name(task: &Task) -> &'static str {
            match task {
                Task::SumOfSquares { .. }
                | Task::Burn { .. }
                | Task::Primes { .. }
                | Task::Wait { .. }
                | Task::WaitAndBurn { .. } => task.op(),
            }
        }
        let tasks = [
            Task::SumOfSquares { n: 0 },
            Task::Burn { iterations: 0 },
            Task::Primes { limit: 0 },
            Task::Wait { io_ns: 0 },
            Task::WaitAndBurn { io_ns: 0, iterations: 0 },
        ];
        let entries: Vec<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
        assert_eq!(entries, tasks.iter().map(name).collect::<Vec<_>>());
    }
}
