//! What a run cost a process and its descendants, read from `/proc`: for servers that do not tell.
//!
//! CPU time comes in clock ticks, 10 ms on most systems, for each process. The time of a child that has ended is its
//! parent's from then on, if the parent waited for it.

use std::collections::BTreeMap;
use std::fs;

use nix::unistd::{Pid, SysconfVar, sysconf};
use protocol::Usage;

/// What a tree has cost so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    user_ticks: u64,
    sys_ticks: u64,
    /// Added up; `None` where a process does not tell.
    peak_rss_bytes: Option<u64>,
    /// Processes that live.
    processes: u32,
}

/// A line of `/proc/PID/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    parent: i32,
    group: i32,
    zombie: bool,
    user_ticks: u64,
    sys_ticks: u64,
}

/// What the tree under a process group's leader has cost so far: the members of its group, and their descendants.
/// `None` where the system does not tell.
#[must_use]
pub fn costs(leader: Pid) -> Option<Costs> {
    let pids = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let stat = |pid| Some((pid, parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?));
    let all: BTreeMap<i32, Stat> = pids.filter_map(stat).collect();
    let members = members(&all, leader.as_raw());
    if members.is_empty() {
        return None;
    }
    let mut costs = Costs { peak_rss_bytes: Some(0), ..Costs::default() };
    for (pid, stat) in members {
        costs.user_ticks += stat.user_ticks;
        costs.sys_ticks += stat.sys_ticks;
        if !stat.zombie {
            costs.processes += 1;
            costs.peak_rss_bytes = costs.peak_rss_bytes.zip(peak(pid)).map(|(sum, peak)| sum + peak);
        }
    }
    Some(costs)
}

impl Costs {
    /// What came to it since then. The peak is that of the whole life so far.
    #[must_use]
    pub fn since(&self, before: &Self) -> Usage {
        let tick_ns = sysconf(SysconfVar::CLK_TCK).ok().flatten().and_then(|hertz| u64::try_from(hertz).ok());
        let tick_ns = tick_ns.and_then(|hertz| 1_000_000_000_u64.checked_div(hertz));
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
    let stat = parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    stat.user_ticks.checked_add(stat.sys_ticks)
}

fn members(all: &BTreeMap<i32, Stat>, leader: i32) -> BTreeMap<i32, Stat> {
    let mut members: BTreeMap<i32, Stat> =
        all.iter().filter(|(_, stat)| stat.group == leader).map(|(pid, stat)| (*pid, *stat)).collect();
    loop {
        let known = members.len();
        members.extend(
            all.iter()
                .filter(|(_, stat)| members.contains_key(&stat.parent))
                .map(|(p, s)| (*p, *s))
                .collect::<Vec<_>>(),
        );
        if members.len() == known {
            return members;
        }
    }
}

/// `pid (name) state ppid pgrp …`, the times being fields 14 to 17, those of ended children among them: proc_pid_stat(5).
fn parse(stat: &str) -> Option<Stat> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        zombie: matches!(fields.first(), Some(&("Z" | "X"))),
        user_ticks: ticks(11)? + ticks(13)?,
        sys_ticks: ticks(12)? + ticks(14)?,
    })
}

/// `VmHWM` of a process.
fn peak(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(parent: i32, group: i32) -> Stat {
        Stat { parent, group, zombie: false, user_ticks: 0, sys_ticks: 0 }
    }

    #[test]
    fn the_times_of_a_process_include_its_ended_children() {
        let line = "42 (a) b) S 1 40 40 0 -1 4194304 1 2 3 4 100 20 7 3 20 0 1 0 12345 0 0";
        let expected = Stat { parent: 1, group: 40, zombie: false, user_ticks: 107, sys_ticks: 23 };
        assert_eq!(parse(line), Some(expected));
    }

    #[test]
    fn a_tree_is_the_group_and_whoever_descends_from_it() {
        let all = BTreeMap::from([
            (10, stat(1, 10)),
            (11, stat(10, 10)),
            (12, stat(11, 12)),
            (13, stat(12, 12)),
            (20, stat(1, 20)),
        ]);
        assert_eq!(members(&all, 10).into_keys().collect::<Vec<_>>(), [10, 11, 12, 13]);
    }

    #[test]
    fn time_that_was_lost_is_unknown() {
        let before = Costs { user_ticks: 10, sys_ticks: 1, ..Costs::default() };
        let after = Costs { user_ticks: 5, sys_ticks: 3, peak_rss_bytes: Some(7), processes: 2 };
        let usage = after.since(&before);
        assert_eq!((usage.user_ns, usage.peak_rss_bytes, usage.processes), (None, Some(7), Some(2)));
        assert!(usage.sys_ns.is_some_and(|ns| ns > 0));
    }
}
