//! What every worker process of ours does: the conversation, its child processes and its threads, its usage, its
//! panics, its end.
//!
//! [`main`] is the whole of a worker's `main` function; what the worker can do is its [`Handler`]. What is measured, and
//! how, is not decided here.

mod child;
mod conversation;
mod gate;
mod handler;
mod numbers;
mod panics;
mod parent;
mod storage;
mod together;
mod usage;

use std::{
    io::{self, BufRead, Write},
    process::ExitCode,
};

pub use child::Child;
pub use conversation::converse;
pub use handler::{Answer, Handler, Identity, Prepared, Refusal};
pub use numbers::Numbers;
pub use panics::caught;
pub use parent::wait_exactly;
pub use storage::{Storage, storage};
pub use together::{rehearse, start_together};
pub use usage::Meter;

/// Runs a worker on stdin and stdout until stdin ends. Returns the exit status: 0 if the conversation went by the rules.
pub fn main(identity: &Identity, handler: &impl Handler) -> ExitCode {
    main_on(io::stdin().lock(), io::stdout().lock(), identity, handler)
}

/// [`main`] over something else than stdin and stdout, for a child process that uses these otherwise.
pub fn main_on(input: impl BufRead, output: impl Write, identity: &Identity, handler: &impl Handler) -> ExitCode {
    parent::die_with_parent();
    parent::wait_exactly();
    match converse(input, output, identity, handler) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // For people; the orchestrator has had an error line, unless stdout itself is gone.
            eprintln!("{}: {error:#}", identity.name);
            ExitCode::FAILURE
        }
    }
}
