//! Which other programs use the CPUs, from two looks at all processes.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

/// How many programs are named.
const NAMED: usize = 3;

/// Other programs, and how many CPUs they keep busy.
#[derive(Debug, Clone, PartialEq)]
pub struct Busy {
    /// All of them together.
    pub all: f64,
    /// The busiest, by name, process id, and CPUs.
    pub top: Vec<(String, u32, f64)>,
}

/// CPU time of every process but ourselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Processes {
    ticks_per_s: f64,
    by_id: HashMap<u32, Process>,
}

/// One process.
#[derive(Debug, Clone, PartialEq)]
struct Process {
    /// Kernel threads change theirs as they take up other work.
    name: String,
    /// When it began, in ticks after the start of the machine: tells it from a later one with the same id.
    started: u64,
    /// CPU time in user mode and in the kernel, in ticks.
    used: u64,
}

impl Processes {
    /// Looks at all processes; `None` where the system does not show them.
    #[must_use]
    pub fn read() -> Option<Self> {
        let ticks_per_s = sysconf(SysconfVar::CLK_TCK).ok()?? as f64;
        let own = std::process::id();
        let mut by_id = HashMap::new();
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            // A process may have ended since the folder was listed.
            let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
            if let Some(process) = process(&stat).filter(|_| id != own) {
                by_id.insert(id, process);
            }
        }
        (!by_id.is_empty()).then_some(Self { ticks_per_s, by_id })
    }
}

/// The numbers of a line of `/proc`.
pub fn ticks(line: &str) -> impl Iterator<Item = u64> + '_ {
    line.split_ascii_whitespace().map_while(|word| word.parse().ok())
}

/// A process from its `stat`: proc_pid_stat(5). A name may contain spaces and parentheses, so that
/// the last one ends it.
fn process(stat: &str) -> Option<Process> {
    let (head, rest) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1;
    // Behind the name come state, and ten numbers of which some may be negative, before user and system time.
    let mut times = rest.split_ascii_whitespace().skip(11);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    let started = times.nth(6)?.parse().ok()?;
    Some(Process { name: name.to_owned(), started, used: user.checked_add(system)? })
}

/// Who used the CPUs between two looks. A process that began meanwhile counts from its begin; of one that ended nothing is
/// known.
#[must_use]
pub fn busiest(before: &Processes, after: &Processes, elapsed: Duration) -> Busy {
    let ticks = after.ticks_per_s * elapsed.as_secs_f64();
    let cpus = |(id, process): (&u32, &Process)| {
        let same = before.by_id.get(id).filter(|earlier| earlier.started == process.started);
        let used = process.used.saturating_sub(same.map_or(0, |earlier| earlier.used));
        (used > 0 && ticks > 0.0).then(|| (process.name.clone(), *id, used as f64 / ticks))
    };
    let mut top: Vec<(String, u32, f64)> = after.by_id.iter().filter_map(cpus).collect();
    top.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.1.cmp(&b.1)));
    let all = top.iter().map(|(_, _, cpus)| cpus).sum();
    top.truncate(NAMED);
    Busy { all, top }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By id: name, begin and used ticks.
    fn processes(of: &[(u32, &str, u64, u64)]) -> Processes {
        let process = |name: &str, started: u64, used: u64| Process { name: name.to_owned(), started, used };
        let by_id = of.iter().map(|(id, name, started, used)| (*id, process(name, *started, *used))).collect();
        Processes { ticks_per_s: 100.0, by_id }
    }

    #[test]
    fn the_three_busiest_are_named_and_all_are_counted() {
        let before =
            processes(&[(1, "init", 0, 500), (20, "postgres", 5, 1_000), (30, "cc1", 6, 0), (40, "bash", 7, 9)]);
        let after =
            processes(&[(1, "init", 0, 502), (20, "postgres", 5, 1_100), (31, "rustc", 8, 50), (40, "bash", 7, 10)]);
        let busy = busiest(&before, &after, Duration::from_secs(2));
        let top: Vec<(&str, f64)> = busy.top.iter().map(|(name, _, cpus)| (name.as_str(), *cpus)).collect();
        assert_eq!(top, [("postgres", 0.5), ("rustc", 0.25), ("init", 0.01)]);
        assert!((busy.all - 0.765).abs() < 1e-9, "{busy:?}");
    }

    #[test]
    fn an_id_that_was_given_to_another_program_starts_anew() {
        let (before, after) = (processes(&[(7, "a", 1, 5_000)]), processes(&[(7, "a", 9, 20)]));
        assert_eq!(busiest(&before, &after, Duration::from_secs(1)).top, [("a".to_owned(), 7, 0.2)]);
    }

    #[test]
    fn a_kernel_thread_that_took_up_other_work_is_the_same() {
        let before = processes(&[(7, "kworker/u8:0-ext4", 1, 5_000)]);
        let after = processes(&[(7, "kworker/u8:0-flush", 1, 5_010)]);
        assert_eq!(busiest(&before, &after, Duration::from_secs(1)).all, 0.1);
    }

    #[test]
    fn a_name_may_have_spaces_and_parentheses() {
        let stat = "4242 (a) (b c) S 1 4242 4242 0 -1 4194560 1164 0 0 0 30 12 0 0 20 0 1 0 100 1 1";
        assert_eq!(process(stat), Some(Process { name: "a) (b c".to_owned(), started: 100, used: 42 }));
        for garbage in ["", "1 (x", "1 (x) S 1 2", "1 (x) S 1 4242 4242 0 -1 4194560 1164 0 0 0 -30 12"] {
            assert_eq!(process(garbage), None, "{garbage}");
        }
    }
}
