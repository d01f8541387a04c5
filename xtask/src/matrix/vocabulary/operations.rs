//! The operations: what one step of a task may do.

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
                // Known on the wire and not yet in the matrix.
                _ => unreachable!(),
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
