//! The HTTP server under test: a worker that speaks the worker protocol on stdin and stdout (`docs/protocol.md`).
//!
//! Everything it does is in the library, where the fuzz targets reach it too.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::main()
}
