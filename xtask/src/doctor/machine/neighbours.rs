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
    /// By process id: name, and ticks in user mode and in the kernel.
    by_id: HashMap<u32, (String, u64)>,
}

impl Processes {
    /// Looks at all processes; `None` where the system does not show them.
    #[must_use]
    pub fn read() -> Option<Self> {
        let ticks_per_s = ticks_per_s()? as f64;
        let of = |process: Seen| Some((u32::try_from(process.pid.as_raw()).ok()?, process));
        let others = linux::processes()?.filter_map(of).filter(|(id, _)| *id != std::process::id());
        let by_id: HashMap<_, _> =
            others.map(|(id, process)| (id, (process.name, process.ticks.iter().sum()))).collect();
        (!by_id.is_empty()).then_some(Self { ticks_per_s, by_id })
    }
}

/// Who used the CPUs between two looks. A process that began meanwhile counts from its begin; of one that ended nothing is
/// known.
#[must_use]
pub fn busiest(before: &Processes, after: &Processes, elapsed: Duration) -> Busy {
    let ticks = after.ticks_per_s * elapsed.as_secs_f64();
    let cpus = |(id, (name, used)): (&u32, &(String, u64))| {
        // An id that now belongs to another program has less time than before.
        let earlier = before.by_id.get(id).filter(|(earlier, _)| earlier == name).map_or(0, |(_, used)| *used);
        let used = used.saturating_sub(earlier);
        (used > 0 && ticks > 0.0).then(|| (name.clone(), *id, used as f64 / ticks))
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

    fn processes(of: &[(u32, &str, u64)]) -> Processes {
        let by_id = of.iter().map(|(id, name, ticks)| (*id, ((*name).to_owned(), *ticks))).collect();
        Processes { ticks_per_s: 100.0, by_id }
    }

    #[test]
    fn the_three_busiest_are_named_and_all_are_counted() {
        let before = processes(&[(1, "init", 500), (20, "postgres", 1_000), (30, "cc1", 0), (40, "bash", 9)]);
        let after = processes(&[(1, "init", 502), (20, "postgres", 1_100), (31, "rustc", 50), (40, "bash", 10)]);
        let busy = busiest(&before, &after, Duration::from_secs(2));
        let top: Vec<(&str, f64)> = busy.top.iter().map(|(name, _, cpus)| (name.as_str(), *cpus)).collect();
        assert_eq!(top, [("postgres", 0.5), ("rustc", 0.25), ("init", 0.01)]);
        assert!((busy.all - 0.765).abs() < 1e-9, "{busy:?}");
    }

    #[test]
    fn an_id_that_was_given_to_another_program_starts_anew() {
        let busy = busiest(&processes(&[(7, "old", 5_000)]), &processes(&[(7, "new", 20)]), Duration::from_secs(1));
        assert_eq!(busy.top, [("new".to_owned(), 7, 0.2)]);
    }
}
