//! The load generator: a worker that speaks the worker protocol on stdin and stdout (`docs/protocol.md`).
//!
//! Everything it does is in the library, where the fuzz target reaches its parser too.

use std::process::ExitCode;

fn main() -> ExitCode {
    client::main()
}
