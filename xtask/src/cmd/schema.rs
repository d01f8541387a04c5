//! `cargo xtask schema`: what the matrix file may contain, for editors and for people.

use super::{Exit, to_stdout};
use crate::matrix::{reference, schema};

/// Print the JSON Schema of the matrix file, for editors.
///
/// docs/bench-matrix.schema.json is this text. An editor with Taplo (the TOML language server) finds it by the first
/// line of bench-matrix.toml.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print docs/matrix.md instead: the same for people.
    #[arg(long)]
    reference: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// Stdout cannot be written to.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let text = if args.reference { reference::markdown() } else { schema::text() };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Ok)
}
