//! What a run cost a process and its descendants, read from `/proc`: for servers that do not tell.
//!
//! CPU time comes in clock ticks, 10 ms on most systems, for each process, and rounded down for each. What the scheduler has
//! counted of its threads is exact, and lacks those that have ended. The time of a child that has ended is its parent's from
//! then on, if the parent waited for it.

use std::collections::BTreeMap;
use std::fs;

use nix::unistd::Pid;
use protocol::Usage;

use crate::engine::linux::{self, Seen};
use crate::results::linux::{bytes, tick_ns};

/// What a tree has cost so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    user_ticks: u64,
    sys_ticks: u64,
    /// Of both together, the best that is known.
    cpu_ns: Option<u64>,
    /// Added up; `None` where a process does not tell.
    peak_rss_bytes: Option<u64>,
    /// Processes that live.
    processes: u32,
}

/// What the tree under a process group's leader has cost so far: the members of its group, and their descendants.
/// `None` where the system does not tell.
#[must_use]
pub fn costs(leader: Pid) -> Option<Costs> {
    let all: Vec<Seen> = linux::processes()?.collect();
    let members = members(&all, leader);
    if members.is_empty() {
        return None;
    }
    let tick_ns = tick_ns();
    let mut costs = Costs { peak_rss_bytes: Some(0), cpu_ns: Some(0), ..Costs::default() };
    for process in members.into_values() {
        let cpu_ns = tick_ns.map(|tick_ns| cpu_ns(process, linux::scheduled_ns(process.pid), tick_ns));
        costs.cpu_ns = costs.cpu_ns.zip(cpu_ns).map(|(sum, ns)| sum + ns);
        let [user, sys] = ticks_with_reaped_of(process);
        costs.user_ticks += user;
        costs.sys_ticks += sys;
        if !process.zombie {
            costs.processes += 1;
            costs.peak_rss_bytes = costs.peak_rss_bytes.zip(peak(process.pid)).map(|(sum, peak)| sum + peak);
        }
    }
    Some(costs)
}

impl Costs {
    /// The CPU time that came to it since then.
    #[must_use]
    pub fn cpu_ns_since(&self, before: &Self) -> Option<u64> {
        self.cpu_ns?.checked_sub(before.cpu_ns?)
    }

    /// What came to it since then. The peak is that of the whole life so far.
    #[must_use]
    pub fn since(&self, before: &Self) -> Usage {
        let tick_ns = tick_ns();
        let ns = |after: u64, before: u64| Some(after.checked_sub(before)? * tick_ns?);
        Usage {
            user_ns: ns(self.user_ticks, before.user_ticks),
            sys_ns: ns(self.sys_ticks, before.sys_ticks),
            peak_rss_bytes: self.peak_rss_bytes,
            processes: Some(self.processes),
            // What `/proc` tells of these is a process's first thread's alone.
            voluntary_switches: None,
            involuntary_switches: None,
            ..Usage::default()
        }
    }
}

/// CPU time of a process and of its children that have ended, in clock ticks; `None` where there is no such process.
#[must_use]
pub fn ticks_with_reaped(pid: Pid) -> Option<u64> {
    Some(ticks_with_reaped_of(&linux::look(pid)?).iter().sum())
}

/// In user mode and in the kernel.
fn ticks_with_reaped_of(process: &Seen) -> [u64; 2] {
    [0, 1].map(|mode| process.ticks[mode] + process.reaped_ticks[mode])
}

/// CPU time of a process, of which its threads that live have been given `scheduled_ns`, and of its ended children.
fn cpu_ns(process: &Seen, scheduled_ns: Option<u64>, tick_ns: u64) -> u64 {
    let ns = |ticks: [u64; 2]| ticks.iter().sum::<u64>() * tick_ns;
    ns(process.ticks).max(scheduled_ns.unwrap_or(0)) + ns(process.reaped_ticks)
}

/// By process id.
fn members(all: &[Seen], leader: Pid) -> BTreeMap<Pid, &Seen> {
    let mut members: BTreeMap<Pid, &Seen> =
        all.iter().filter(|process| process.group == leader).map(|process| (process.pid, process)).collect();
    loop {
        let known = members.len();
        let children: Vec<&Seen> = all.iter().filter(|process| members.contains_key(&process.parent)).collect();
        members.extend(children.into_iter().map(|process| (process.pid, process)));
        if members.len() == known {
            return members;
        }
    }
}

/// The most memory that a process has had.
fn peak(pid: Pid) -> Option<u64> {
    bytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, group: i32) -> Seen {
        let [pid, parent, group] = [pid, parent, group].map(Pid::from_raw);
        Seen {
            pid,
            name: String::new(),
            parent,
            group,
            zombie: false,
            ticks: [100, 20],
            reaped_ticks: [7, 3],
            started_ticks: 0,
        }
    }

    #[test]
    fn the_times_of_a_process_include_its_ended_children() {
        assert_eq!(ticks_with_reaped_of(&process(42, 1, 40)), [107, 23]);
        assert_eq!(cpu_ns(&process(42, 1, 40), None, 10), 1_300);
    }

    #[test]
    fn the_scheduler_knows_more_than_ticks_unless_threads_have_ended() {
        assert_eq!(cpu_ns(&process(42, 1, 40), Some(1_209), 10), 1_309);
        assert_eq!(cpu_ns(&process(42, 1, 40), Some(300), 10), 1_300);
    }

    #[test]
    fn a_tree_is_the_group_and_whoever_descends_from_it() {
        let all =
            [process(13, 12, 12), process(12, 11, 12), process(10, 1, 10), process(11, 10, 10), process(20, 1, 20)];
        let members = members(&all, Pid::from_raw(10));
        assert_eq!(members.into_keys().map(Pid::as_raw).collect::<Vec<_>>(), [10, 11, 12, 13]);
    }

    #[test]
    fn time_that_was_lost_is_unknown() {
        let before = Costs { user_ticks: 10, sys_ticks: 1, ..Costs::default() };
        let after = Costs { user_ticks: 5, sys_ticks: 3, peak_rss_bytes: Some(7), processes: 2, cpu_ns: None };
        let usage = after.since(&before);
        assert_eq!((usage.user_ns, usage.peak_rss_bytes, usage.processes), (None, Some(7), Some(2)));
        assert!(usage.sys_ns.is_some_and(|ns| ns > 0));
    }
}
