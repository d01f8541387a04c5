//! The subcommands, one file each: thin, they join the stages.

use std::process::ExitCode;

/// Runs the command line.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(2)
}
