//! How a process is ended, so that nothing of it lives when the next one starts.
//!
//! Closing its stdin asks a worker to exit, a signal asks any other program. What does not hear is terminated, then killed, with its whole process group. A
//! process that left the group (`setsid`) becomes our child when its parent ends, as we adopt orphans; such children
//! are killed one by one. No process is ever looked for by its name, and none is touched that we did not start.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use super::linux::{self, Seen};
use super::process::Process;
use super::signals::Control;

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Graces {
    /// For the exit after stdin was closed.
    pub exit: Duration,
    /// For the exit after SIGTERM.
    pub terminate: Duration,
}

impl Default for Graces {
    fn default() -> Self {
        Self { exit: Duration::from_secs(3), terminate: Duration::from_secs(1) }
    }
}

/// For the kernel to clear away what was killed.
const KILL_GRACE: Duration = Duration::from_secs(5);

/// How politely a process is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// A worker may clean up: its stdin is closed first.
    Ask,
    /// It hangs, or nobody wants to wait: SIGTERM at once.
    Terminate,
    /// It speaks no protocol: the signal that it takes for a request to end, and time to do so.
    Stop(Signal),
}

impl Manner {
    /// The signal that is sent before SIGKILL.
    #[must_use]
    pub fn signal(self) -> Signal {
        match self {
            Self::Ask | Self::Terminate => Signal::SIGTERM,
            Self::Stop(signal) => signal,
        }
    }
}

/// What an ending took.
#[derive(Debug, Default)]
pub struct Ended {
    /// Whether the signal was not enough.
    pub killed: bool,
    /// What a person should know, one sentence each.
    pub warnings: Vec<String>,
}

/// Which children of this process may be orphans that a worker left.
#[derive(Debug, Clone)]
pub struct Orphans {
    /// Environment variable by which the descendants of this launcher's workers are known.
    pub mark: (String, String),
    /// Whether nobody else in this process starts processes, so that a child without the mark is an orphan too.
    pub alone: bool,
    /// Children that were there before.
    pub inherited: Vec<Pid>,
}

/// Ends a process and all that it started. Orphans are looked for where `orphans` says which they may be: not while
/// another process of the cell lives, whose children they could be.
pub fn end(
    process: &mut Process,
    control: &Control,
    graces: Graces,
    manner: Manner,
    orphans: Option<&Orphans>,
) -> Ended {
    let name = process.name();
    let mut ended = Ended::default();
    let mut signalled = false;
    process.close_stdin();
    if manner == Manner::Ask && !wait_for_exit(process, control, graces.exit, true) && !control.stopped() {
        let text = format!("{name} did not exit within {:?} after its stdin was closed and was ended", graces.exit);
        ended.warnings.push(text);
    }
    if !process.has_exited() {
        signalled = true;
        let patient = matches!(manner, Manner::Stop(_)) && !control.stopped();
        let grace = if patient { graces.exit } else { graces.terminate };
        let deadline = Instant::now() + grace;
        process.signal(manner.signal());
        if !wait_for_exit(process, control, grace, false) {
            ended.killed = true;
            process.signal(Signal::SIGKILL);
            if !wait_for_exit(process, control, KILL_GRACE, false) {
                let group = process.group();
                let text = format!("{name}, process {group}, could not be killed; what follows may be disturbed by it");
                ended.warnings.push(text);
            }
        } else if patient && !wait_for_empty_group(process, deadline) {
            let left = linux::living_members(process.group());
            ended.warnings.push(format!("{name} left {} running when it ended, which was killed", list(&left)));
        }
    }
    if process.has_exited() && !process.group_is_empty() {
        let left = linux::living_members(process.group());
        // Whoever was told to end together with its leader was not left behind by it.
        if !signalled && !left.is_empty() {
            ended.warnings.push(format!("{name} left {} running, which was killed", list(&left)));
        }
        process.signal(Signal::SIGKILL);
        if !wait_for_empty_group(process, Instant::now() + KILL_GRACE) {
            let left = linux::living_members(process.group());
            if !left.is_empty() {
                let text = format!("{} could not be killed; what follows may be disturbed by it", list(&left));
                ended.warnings.push(text);
            }
        }
    }
    control.remove_group(process.group());
    let left = orphans.map(|orphans| end_orphans(orphans, control)).unwrap_or_default();
    if !left.is_empty() {
        let text = format!("{name} left {} running outside its process group, which was killed", list(&left));
        ended.warnings.push(text);
    }
    process.read();
    ended
}

/// Waits until the process itself has ended, emptying its pipes meanwhile: it may be writing.
fn wait_for_exit(process: &mut Process, control: &Control, grace: Duration, give_up_when_stopped: bool) -> bool {
    let mut deadline = Instant::now() + grace;
    loop {
        if control.suspend_if_asked() {
            deadline = Instant::now() + grace;
        }
        let exited = process.has_exited();
        let more = process.read();
        process.discard_excess();
        if exited {
            return true;
        }
        if Instant::now() >= deadline || give_up_when_stopped && control.stopped() {
            return false;
        }
        if !more {
            process.sleep(deadline);
        }
    }
}

/// Waits until the group has left the process table. Where orphans are not adopted, nobody tells us when that
/// is so: hence short sleeps, in a case that is rare.
fn wait_for_empty_group(process: &mut Process, deadline: Instant) -> bool {
    while !process.group_is_empty() {
        let now = Instant::now();
        if now >= deadline {
            return false;
        }
        process.sleep_for_exit(deadline.min(now + Duration::from_millis(10)));
    }
    true
}

/// Kills the orphans among our children, and theirs, until there are none; tells which they were.
fn end_orphans(orphans: &Orphans, control: &Control) -> Vec<Seen> {
    let mut killed: Vec<Seen> = Vec::new();
    let deadline = Instant::now() + KILL_GRACE;
    loop {
        let mut any = false;
        for pid in linux::children().unwrap_or_default() {
            // Whoever still leads a group of the cell is nobody's orphan.
            if !orphans.owns(pid) || control.has_group(pid) {
                continue;
            }
            let seen = linux::look(pid).filter(|seen| !seen.zombie);
            // It is our child and nobody has waited for it, so the id is still its own.
            let _ = kill(pid, Signal::SIGKILL);
            if let Some(seen) = seen
                && killed.iter().all(|known| known.pid != pid)
            {
                killed.push(seen);
            }
            // Blocks until the kernel has cleared it away. A process that the kernel cannot end now is left alone.
            any |= wait_until_gone(pid, deadline);
        }
        if !any {
            return killed;
        }
    }
}

fn wait_until_gone(pid: Pid, deadline: Instant) -> bool {
    loop {
        match waitpid(pid, Some(WaitPidFlag::WNOHANG)) {
            Ok(nix::sys::wait::WaitStatus::StillAlive) if Instant::now() >= deadline => return false,
            Ok(nix::sys::wait::WaitStatus::StillAlive) => std::thread::sleep(Duration::from_millis(1)),
            _ => return true,
        }
    }
}

impl Orphans {
    fn owns(&self, pid: Pid) -> bool {
        !self.inherited.contains(&pid) && (self.alone || linux::has_variable(pid, &self.mark.0, &self.mark.1))
    }
}

/// `1 process (sleep, 123)`, `2 processes (sleep, 123; sh, 124)`.
fn list(processes: &[Seen]) -> String {
    const SHOWN: usize = 5;
    let mut names: Vec<String> =
        processes.iter().take(SHOWN).map(|seen| format!("{}, {}", seen.name, seen.pid)).collect();
    if processes.len() > SHOWN {
        names.push("…".to_owned());
    }
    let noun = if processes.len() == 1 { "process" } else { "processes" };
    format!("{} {noun} ({})", processes.len(), names.join("; "))
}
