//! Shows a file in the browser of whoever sits here.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// What opens a file in the program that the desktop has for it.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens a page, and does not wait. Where that is not possible it says so: the page is there all the same.
pub fn open(page: &Path) {
    if let Err(error) = try_open(page) {
        let why = match error.kind() {
            io::ErrorKind::NotFound => format!("there is no `{OPENER}` here"),
            _ => format!("`{OPENER}` cannot be started: {error}"),
        };
        eprintln!("note: {why}; open {} yourself.", page.display());
    }
}

/// The browser belongs to the person from then on: it outlives us, has a process group of its own, and none of our pipes.
fn try_open(page: &Path) -> io::Result<()> {
    let page = page.canonicalize()?;
    Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map(drop)
}
