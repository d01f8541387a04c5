//! How long the CPUs that we may use were busy, with whatever ran on them.
//!
//! The kernel tells it twice. `/proc/stat` has it for every CPU, in ticks of 10 ms: whoever runs when the clock ticks is
//! taken to have run since the last tick. The first version of control groups has it from the scheduler, in nanoseconds
//! (`cpuacct.usage_percpu`), but in a container perhaps for that container only. So the second is taken where it has
//! counted about as much since the start of the machine as the first.

use std::fs::File;

use super::machine::Scale;
use super::machine::counters::read;

/// What the scheduler counted must be at least this share of what the ticks counted, or it sees only part of the
/// machine.
const WHOLE_MACHINE: f64 = 0.9;

/// A tick, where the system does not tell how long one is.
const TICK_NS: u64 = 10_000_000;

/// Where to look; found once.
#[derive(Debug)]
pub(super) struct Busy {
    /// The CPUs that we may use; empty where that is not known, for all of them.
    cpus: Vec<u32>,
    fine: Option<File>,
    tick_ns: Option<u64>,
}

impl Busy {
    /// Finds the better source, for these CPUs. `stat` is the text of `/proc/stat`.
    pub fn find(cpus: Vec<u32>, stat: Option<&str>, tick_ns: Option<u64>) -> Self {
        let mut this = Self { cpus, fine: None, tick_ns };
        let coarse_ns = stat.and_then(|stat| this.coarse_ns(stat));
        let files = ["/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct"];
        this.fine = files.iter().find_map(|folder| {
            let file = File::open(format!("{folder}/cpuacct.usage_percpu")).ok()?;
            let fine_ns = this.fine_ns(&read(&file)?)?;
            sees_all(fine_ns, coarse_ns?).then_some(file)
        });
        this
    }

    /// The busy time since the machine started. `stat` is the text of `/proc/stat`.
    pub fn read(&self, stat: Option<&str>) -> Option<u64> {
        match &self.fine {
            Some(file) => self.fine_ns(&read(file)?),
            None => self.coarse_ns(stat?),
        }
    }

    /// How many CPUs that is, and how far off a difference of two readings may be.
    ///
    /// The scheduler charges a thread when it leaves its CPU, and at each tick of the kernel, of which there may be more than
    /// `/proc/stat` tells: on every CPU but the one that reads, up to one is missing. By the ticks of `/proc/stat` it may be
    /// one too many or too few at both ends, on each CPU.
    pub fn scale(&self, kernel_tick_ns: Option<u64>) -> Scale {
        let cpus = u32::try_from(self.cpus.len()).unwrap_or(u32::MAX).max(1);
        let (ticks, tick_ns) = match self.fine {
            Some(_) => ((cpus - 1).max(1), kernel_tick_ns),
            None => (2 * cpus, self.tick_ns),
        };
        Scale { cpus, others_step_ns: u64::from(ticks) * tick_ns.unwrap_or(TICK_NS) }
    }

    fn counts(&self, cpu: u32) -> bool {
        self.cpus.is_empty() || self.cpus.contains(&cpu)
    }

    /// `12 34 …`, nanoseconds of CPU 0, 1, …
    fn fine_ns(&self, usage: &str) -> Option<u64> {
        let mut sum = 0_u64;
        for (cpu, ns) in (0..).zip(usage.split_ascii_whitespace()) {
            let ns: u64 = ns.parse().ok()?;
            sum += if self.counts(cpu) { ns } else { 0 };
        }
        Some(sum)
    }

    /// `cpu0 user nice system idle iowait irq softirq steal …`, in ticks: proc_stat(5).
    fn coarse_ns(&self, stat: &str) -> Option<u64> {
        let mut ticks = 0_u64;
        for line in stat.lines().filter_map(|line| line.strip_prefix("cpu")) {
            let (cpu, times) = line.split_once(' ')?;
            // The line without a number is the sum of the others.
            let Ok(cpu) = cpu.parse() else { continue };
            if self.counts(cpu) {
                let times: Vec<u64> = times.split_ascii_whitespace().map_while(|time| time.parse().ok()).collect();
                ticks += [0, 1, 2, 5, 6].iter().filter_map(|&column| times.get(column)).sum::<u64>();
            }
        }
        ticks.checked_mul(self.tick_ns?)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rough comparison")]
fn sees_all(fine_ns: u64, coarse_ns: u64) -> bool {
    fine_ns as f64 >= coarse_ns as f64 * WHOLE_MACHINE
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str =
        "cpu  300 0 30 9 0 3 3 50 0 0\ncpu0 100 0 10 4 0 1 1 25 0 0\ncpu1 200 0 20 5 0 2 2 25 0 0\nctxt 5\n";

    fn busy(cpus: &[u32]) -> Busy {
        Busy { cpus: cpus.to_vec(), fine: None, tick_ns: Some(TICK_NS) }
    }

    #[test]
    fn busy_is_everything_but_idle_waiting_and_stolen_time() {
        assert_eq!(busy(&[0, 1]).coarse_ns(STAT), Some(336 * TICK_NS));
        assert_eq!(busy(&[]).coarse_ns(STAT), Some(336 * TICK_NS));
    }

    #[test]
    fn only_the_cpus_that_we_may_use_are_looked_at() {
        assert_eq!(busy(&[1]).coarse_ns(STAT), Some(224 * TICK_NS));
        assert_eq!(busy(&[1]).fine_ns("5 7 9 \n"), Some(7));
    }

    #[test]
    fn a_control_group_that_sees_part_of_the_machine_is_not_believed() {
        assert!(!sees_all(800, 1_000));
        assert!(sees_all(1_009, 1_000));
    }

    #[test]
    fn ticks_may_be_off_by_two_on_each_cpu() {
        assert_eq!(busy(&[0, 1]).scale(Some(1)), Scale { cpus: 2, others_step_ns: 4 * TICK_NS });
    }

    #[test]
    fn the_scheduler_may_be_off_by_a_tick_of_the_kernel_on_each_other_cpu() {
        let busy = |cpus| Busy { fine: Some(File::open("/dev/null").unwrap()), ..busy(cpus) };
        assert_eq!(busy(&[0, 1, 2]).scale(Some(4)), Scale { cpus: 3, others_step_ns: 8 });
        assert_eq!(busy(&[0]).scale(None), Scale { cpus: 1, others_step_ns: TICK_NS });
    }

    #[test]
    fn nonsense_is_unknown() {
        assert_eq!(busy(&[]).fine_ns("5 x"), None);
        assert_eq!(Busy { tick_ns: None, ..busy(&[]) }.coarse_ns(STAT), None);
    }
}
