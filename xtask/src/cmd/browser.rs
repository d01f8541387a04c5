//! Shows a file in the browser of whoever sits here.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What opens a file in the program that the desktop has for it.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// How long it may take to find that there is no browser. `xdg-open` tries a dozen by name.
const FAILS_WITHIN: Duration = Duration::from_secs(1);

/// Opens a page, and does not wait until it is closed. Where it cannot be opened it says so: the page is there all the same.
pub fn open(page: &Path) {
    let why = match try_open(page) {
        Ok(mut opener) => match fails(&mut opener) {
            Some(status) => format!("`{OPENER}` found no browser ({status})"),
            None => return,
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => format!("there is no `{OPENER}` here"),
        Err(error) => format!("`{OPENER}` cannot be started: {error}"),
    };
    eprintln!("note: {why}; open {} yourself.", page.display());
}

/// The status of an opener that ends at once and without success. One that runs on is the browser itself, which some systems
/// do not send to the background.
fn fails(opener: &mut Child) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < FAILS_WITHIN {
        match opener.try_wait() {
            Ok(Some(status)) => return Some(status).filter(|status| !status.success()),
            Ok(None) => sleep(Duration::from_millis(20)),
            Err(_) => return None,
        }
    }
    None
}

/// The browser belongs to the person from then on: it outlives us, has a process group of its own, and none of our pipes.
fn try_open(page: &Path) -> io::Result<Child> {
    let page = page.canonicalize()?;
    Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}
