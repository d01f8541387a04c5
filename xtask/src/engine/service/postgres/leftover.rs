//! The server of a throw-away cluster whose owner was killed before it could end it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::PAUSE;
use crate::engine::linux;

/// For a database that an earlier run left to end by itself.
const LEFTOVER_GRACE: Duration = Duration::from_secs(5);

/// Ends the server of a cluster in this folder, whose owner is dead; tells whether there was one.
pub(in crate::engine::service) fn end_leftover(folder: &Path) -> bool {
    let data = folder.join("data");
    let Some(pid) = postmaster(&data) else { return false };
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let _ = kill(pid, signal);
        let deadline = Instant::now() + LEFTOVER_GRACE;
        while postmaster(&data) == Some(pid) && linux::look(pid).is_some_and(|seen| !seen.zombie) {
            if Instant::now() >= deadline {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
    true
}

/// The server of a cluster, if the process that its file names is one: a server works in its data folder.
fn postmaster(data: &Path) -> Option<Pid> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let pid = Pid::from_raw(text.lines().next()?.trim().parse().ok().filter(|&pid| pid > 1)?);
    let works_in = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    (works_in == fs::canonicalize(data).ok()?).then_some(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_names_a_process_elsewhere_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        fs::write(folder.path().join("data/postmaster.pid"), format!("{}\n", std::process::id())).unwrap();
        assert!(!end_leftover(folder.path()));
        fs::write(folder.path().join("data/postmaster.pid"), "1\n").unwrap();
        assert!(!end_leftover(folder.path()));
    }
}
