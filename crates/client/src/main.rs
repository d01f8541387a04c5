//! The binary `client`: the load generator behind the worker protocol. All it does is in the library.

mod conversation;
mod usage;

use std::process::ExitCode;

fn main() -> ExitCode {
    conversation::hold()
}
