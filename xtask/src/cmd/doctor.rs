//! `cargo xtask doctor`: what can this machine measure, and what is missing?

use clap::ValueEnum;

use super::{Exit, terminal, to_stdout};
use crate::doctor::examine;
use crate::report;

/// What can this machine measure, and what is missing?
///
/// Looks at what disturbs measurements, at the programs and servers that operations need, and at the interpreters that
/// can be measured beside Rust; prints tables of runtimes to paste into a matrix file. Nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0, whatever was found: nothing of it keeps a matrix from running.")]
pub struct Args {
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How findings are printed on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// By topic, as wide as the window.
    Table,
    /// An array of findings: `topic`, `subject`, `state`, `found`, `advice`, `paste`.
    Json,
}

/// Runs the subcommand.
///
/// # Errors
/// Stdout cannot be written to.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let findings = examine();
    let text = match args.format {
        Format::Table => report::doctor::doctor(&findings, &terminal(false)),
        Format::Json => serde_json::to_string_pretty(&findings)? + "\n",
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Ok)
}
