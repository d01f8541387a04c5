//! Which other programs use the CPUs, from two looks at all processes.

use std::collections::HashMap;
use std::time::Duration;

use crate::engine::linux::{self, Seen};
use crate::results::linux::ticks_per_s;

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
        let ticks_per_s = ticks_per_s()? as f64;
        let of = |seen: Seen| {
            let process = Process { name: seen.name, started: seen.started_ticks, used: seen.ticks.iter().sum() };
            Some((u32::try_from(seen.pid.as_raw()).ok()?, process))
        };
        let by_id: HashMap<_, _> =
            linux::processes()?.filter_map(of).filter(|(id, _)| *id != std::process::id()).collect();
        (!by_id.is_empty()).then_some(Self { ticks_per_s, by_id })
    }
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
}
