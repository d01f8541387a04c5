//! What only Linux has: adopting orphans, and `/proc`. Elsewhere the functions answer that they know nothing, and the
//! engine falls back on process groups alone.

use std::fs;
use std::process::Command;

use nix::unistd::Pid;

use crate::results::linux::field;

/// Makes orphans of our descendants our own children, so that a process that left its group can still be found. Holds
/// for the whole process; is not inherited by children.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // Kernels before 3.4 cannot; there orphans go to init, as they always did.
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Makes the process that this command will start receive SIGTERM when the thread that starts it ends, as our own
/// workers do by themselves.
pub fn die_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;

        use nix::sys::prctl::set_pdeathsig;
        use nix::sys::signal::Signal;
        use nix::unistd::getppid;

        let parent = Pid::this();
        let prepare = move || {
            set_pdeathsig(Signal::SIGTERM)?;
            // It may have ended before it could be asked for.
            if getppid() == parent { Ok(()) } else { Err(nix::errno::Errno::ESRCH.into()) }
        };
        // SAFETY: between fork and exec it makes two system calls, which allocate nothing and take no lock.
        unsafe { command.pre_exec(prepare) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// The children of this process, zombies included. `None` where the system does not tell.
#[must_use]
pub fn children() -> Option<Vec<Pid>> {
    let mut children = Vec::new();
    for task in fs::read_dir("/proc/self/task").ok()? {
        // A thread may have ended since the listing; its children have moved on to another.
        let Ok(list) = fs::read_to_string(task.ok()?.path().join("children")) else { continue };
        children.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw));
    }
    Some(children)
}

/// Whether a process was started with this environment variable, or by somebody who was.
#[must_use]
pub fn has_variable(pid: Pid, name: &str, value: &str) -> bool {
    let wanted = format!("{name}={value}");
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes()))
}

/// A process, as `/proc` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its id.
    pub pid: Pid,
    /// The name of its program, at most 15 bytes of it.
    pub name: String,
    /// Its parent.
    pub parent: Pid,
    /// Its process group.
    pub group: Pid,
    /// Whether it has ended and only waits to be noticed by its parent.
    pub zombie: bool,
    /// CPU time in user mode and in the kernel, in clock ticks.
    pub ticks: [u64; 2],
    /// The same of its children that have ended and were waited for, and of theirs.
    pub reaped_ticks: [u64; 2],
    /// When it began, in clock ticks after the start of the machine: tells it from a later one with the same id.
    pub started_ticks: u64,
}

/// Looks at one process.
#[must_use]
pub fn look(pid: Pid) -> Option<Seen> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The CPU time that the scheduler has given to the threads of a process that live:
/// Documentation/scheduler/sched-stats.rst. `None` where it does not tell.
#[must_use]
pub fn scheduled_ns(pid: Pid) -> Option<u64> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        // A thread may have ended since the listing.
        let Ok(text) = fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
        sum += text.split_ascii_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(sum)
}

/// The time between two ticks of the kernel's clock, at which the scheduler charges a thread that goes on running; `None`
/// where it does not tell. The clock ticks that CPU time is told in are another thing.
#[must_use]
pub fn kernel_tick_ns() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::time::TimeValLike;
        use nix::time::{ClockId, clock_getres};

        // It is as coarse as the ticks that move it: clock_getres(2).
        u64::try_from(clock_getres(ClockId::CLOCK_MONOTONIC_COARSE).ok()?.num_nanoseconds()).ok()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Looks at all processes; `None` where the system does not show them. Reads all of `/proc`: not for the fast path.
#[must_use]
pub fn processes() -> Option<impl Iterator<Item = Seen>> {
    let ids = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    // A process may have ended since the folder was listed.
    Some(ids.filter_map(|pid| look(Pid::from_raw(pid))))
}

/// The members of a process group that live.
#[must_use]
pub fn living_members(group: Pid) -> Vec<Seen> {
    processes().into_iter().flatten().filter(|seen| seen.group == group && !seen.zombie).collect()
}

/// `pid (name) state ppid pgrp …`, CPU times being fields 14 to 17, the start field 22: proc_pid_stat(5). The name may hold spaces and
/// parentheses, so that the last one ends it.
fn parse_stat(stat: &str) -> Option<Seen> {
    let (pid, rest) = stat.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    // Counted from the state, which is field 3.
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let process = |field: usize| fields.get(field)?.parse().ok().map(Pid::from_raw);
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some(Seen {
        pid: Pid::from_raw(pid.parse().ok()?),
        name: name.to_owned(),
        parent: process(1)?,
        group: process(2)?,
        zombie: matches!(fields.first(), Some(&("Z" | "X"))),
        ticks: [ticks(11)?, ticks(12)?],
        reaped_ticks: [ticks(13)?, ticks(14)?],
        started_ticks: ticks(19)?,
    })
}

/// Whether whoever started us chose to ignore a signal.
#[must_use]
pub fn is_ignored(signal: i32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return false };
    let Some(mask) = field(&status, "SigIgn") else { return false };
    u64::from_str_radix(mask, 16).is_ok_and(|mask| mask & (1 << (signal - 1)) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_be_called_anything() {
        let expected = Seen {
            pid: Pid::from_raw(42),
            name: "a) b (c".into(),
            parent: Pid::from_raw(1),
            group: Pid::from_raw(40),
            zombie: true,
            ticks: [100, 20],
            reaped_ticks: [7, 3],
            started_ticks: 12_345,
        };
        let line = "42 (a) b (c) Z 1 40 40 0 -1 4194304 1 2 3 4 100 20 7 3 20 0 1 0 12345 0 0";
        assert_eq!(parse_stat(line), Some(expected));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_no_process() {
        for garbage in
            ["", "1 (x", "1 (x) S 1 2", "1 (x) S 1 4242 4242 0 -1 4194560 1164 0 0 0 -30 12 0 0 20 0 1 0 100"]
        {
            assert_eq!(parse_stat(garbage), None, "{garbage}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_process_worked_is_told_in_nanoseconds() {
        use std::io::Read;

        let mut child = Command::new("sh")
            .args(["-c", "i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done; echo; read end"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let pid = Pid::from_raw(child.id().try_into().unwrap());
        let worked_ns = scheduled_ns(pid);
        drop(child.stdin.take());
        child.wait().unwrap();
        // A kernel may have been built without it.
        assert!(worked_ns.is_none_or(|ns| ns > 0), "{worked_ns:?}");
        assert_eq!(scheduled_ns(pid), None, "it has ended");
    }

    #[test]
    fn the_kernel_ticks_a_hundred_to_a_thousand_times_a_second() {
        assert!(kernel_tick_ns().is_none_or(|ns| (1_000_000..=10_000_000).contains(&ns)), "{:?}", kernel_tick_ns());
    }

    #[test]
    fn we_are_not_a_zombie() {
        let seen = look(Pid::this()).unwrap();
        assert_eq!((seen.pid, seen.zombie), (Pid::this(), false));
    }
}
