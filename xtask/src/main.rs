//! `cargo xtask`: see [`xtask::cmd`].

use std::process::ExitCode;

fn main() -> ExitCode {
    xtask::cmd::main()
}
