//! `cargo xtask doctor`: what can this machine measure, and what is missing?

use super::{Exit, to_stdout};
use crate::doctor::examine;

/// What can this machine measure, and what is missing?
///
/// Looks at what disturbs measurements, at the programs and servers that operations need, and at the interpreters that
/// can be measured beside Rust. Nothing is changed.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the subcommand.
///
/// # Errors
/// Stdout cannot be written to.
pub fn run(_args: &Args) -> anyhow::Result<Exit> {
    let findings = examine();
    to_stdout(|out| findings.iter().try_for_each(|finding| writeln!(out, "{}: {}", finding.subject, finding.found)))?;
    Ok(Exit::Ok)
}
