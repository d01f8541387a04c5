//! Worker for everyday operations that need a library: `smtp-send`, `db-select`, `resize-image` and `zip`.
//!
//! It speaks the worker protocol on stdin and stdout (`docs/protocol.md`). Who does which operation is written in the
//! `models` crate, where what our workers have in common stands.

use std::process::ExitCode;

use models::{Worker, worker_main};

fn main() -> ExitCode {
    worker_main(Worker::Everyday, env!("CARGO_PKG_VERSION"))
}
