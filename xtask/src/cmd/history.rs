//! `cargo xtask history`: each cell's ratio over all results.

use super::Exit;

/// Show each cell's ratio over all results, and where it changed.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the subcommand.
///
/// # Errors
/// Stdout cannot be written to.
pub fn run(_args: &Args) -> anyhow::Result<Exit> {
    Ok(Exit::Ok)
}
