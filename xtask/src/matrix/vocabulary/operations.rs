//! The operations: what one step of a task may do. Those of everyday jobs are in [`super::everyday`].

use super::everyday::EVERYDAY;
use super::tables::{COUNT, TIME};
use super::{Key, Kind, Operation, Table};

/// The keys that every `task` has beside the parameters of its operation.
pub static TASK: Table = Table {
    header: "`task`",
    about: "What one step of a task does.",
    keys: &[
        Key::new("op", Kind::Text, "The operation.").required(),
        Key::new("label", Kind::Label, "What tables and ids call it.").default("the operation's name"),
    ],
    one_of: &[],
};

const ITERATIONS: Key = Key::new("iterations", COUNT, "How many steps of the generator.");
const CPU: Key = Key::new("cpu", TIME, "As many steps as this time takes on one core without a lock, by calibration.");
const IO: Key = Key::new("io", TIME, "How long it waits.").required();

/// The operations that need nothing but the worker.
static PLAIN: &[Operation] = &[
    Operation {
        name: "sum-of-squares",
        doc: "Adds `i * i` for every `i` below `n`, in a real loop.",
        keys: &[Key::new("n", COUNT, "How many squares.").required()],
        one_of: &[],
        excludes: &[],
    },
    Operation {
        name: "burn",
        doc: "Runs a linear congruential generator.",
        keys: &[ITERATIONS, CPU],
        one_of: &["iterations", "cpu"],
        excludes: &[],
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
        excludes: &[],
    },
    Operation { name: "wait", doc: "Waits, as for a network or a disk.", keys: &[IO], one_of: &[], excludes: &[] },
    Operation {
        name: "wait-and-burn",
        doc: "Waits, then runs the generator.",
        keys: &[IO, ITERATIONS, CPU],
        one_of: &["iterations", "cpu"],
        excludes: &[],
    },
];

/// Every operation.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    PLAIN.iter().chain(EVERYDAY)
}

/// The operation with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.name == name)
}

#[cfg(test)]
mod tests {
    use protocol::{By, Database, Query, Task};

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
                | Task::WaitAndBurn { .. }
                | Task::Command { .. }
                | Task::HttpGet { .. }
                | Task::SmtpSend { .. }
                | Task::DbSelect { .. }
                | Task::FileRead { .. }
                | Task::FileWrite { .. }
                | Task::ResizeImage { .. }
                | Task::Zip { .. } => task.op(),
            }
        }
        let none = String::new;
        let query = Query::Compute { rows: 1 };
        let tasks = [
            Task::SumOfSquares { n: 0 },
            Task::Burn { iterations: 0 },
            Task::Primes { limit: 0 },
            Task::Wait { io_ns: 0 },
            Task::WaitAndBurn { io_ns: 0, iterations: 0 },
            Task::Command { argv: vec![] },
            Task::HttpGet { address: none(), path: none(), keep_alive: false },
            Task::SmtpSend { address: none(), body_bytes: 0 },
            Task::DbSelect { database: Database::Sqlite, connection: none(), connections: 1, query },
            Task::FileRead { folder: none(), size_bytes: 0, cold: false },
            Task::FileWrite { folder: none(), size_bytes: 0, fsync: false },
            Task::ResizeImage { folder: none(), source_width: 1, width: 1, by: By::Library },
            Task::Zip { folder: none(), files: 1, file_bytes: 0, by: By::Library },
        ];
        let entries: Vec<_> = all().map(|operation| operation.name).collect();
        assert_eq!(entries, tasks.iter().map(name).collect::<Vec<_>>());
    }
}
