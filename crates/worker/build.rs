//! Finds out which compiler builds the workers, which they report as their runtime.

use std::{env, process::Command};

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version =
        Command::new(rustc).arg("--version").output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    // "rustc 1.95.0 (59807616e 2026-04-14)"
    let version = version.as_deref().and_then(|line| line.split_whitespace().nth(1)).unwrap_or("of unknown version");
    println!("cargo::rustc-env=RUSTC_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
