//! What the machine did around one repetition: CPU time taken by the hypervisor and by neighbours, throttling, run
//! queue, pressure, context switches, frequency.
//!
//! The texts of the kernel are read in `counters`. A probe is a few short reads of open files, some tens of microseconds. What the system does not tell is `None`.
//! Whether it was too much is decided in [`disturbance`](super::disturbance).

pub(super) mod counters;
mod throttling;

use std::fs::File;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::unistd::Pid;

use self::counters::{number, pressure_ns, read, stolen_ticks, throttled_ns};
use super::busy::Busy;
use super::http::tree::{Costs, costs, ticks_with_reaped};
use crate::results::linux::{self, tick_ns};
use crate::results::record::MachineDelta;

/// Whoever tells what the machine does around a repetition.
pub trait Readings {
    /// A cell begins, and none of its processes is started yet. Children of ours that live now serve all cells: they
    /// are no neighbours.
    fn cell_begins(&mut self);

    /// The processes of the cell stand ready: our children that came since it began.
    fn cell_ready(&mut self);

    /// Reads the counters before a repetition.
    fn before(&mut self) -> Snapshot;

    /// What changed since then. `own_ns` is the CPU time of the cell's processes meanwhile.
    fn since(&mut self, before: &Snapshot, own_ns: Option<u64>) -> MachineDelta;

    /// What the readings are to be held against.
    fn scale(&self) -> Scale;
}

/// What readings are to be held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// The CPUs that are looked at: those that we may use.
    pub cpus: u32,
    /// How far off the CPU time of others may be.
    pub others_step_ns: u64,
}

/// Where to look; found once.
#[derive(Debug)]
pub struct Machine {
    stat: Option<File>,
    throttling: Option<File>,
    io_pressure: Option<File>,
    frequency: Option<File>,
    cpu_pressure: Option<File>,
    busy: Busy,
    tick_ns: Option<u64>,
    /// Leaders of the process groups that serve all cells.
    helpers: Vec<Pid>,
    /// Processes of the cell: its worker, or its server and client, and what serves only this cell.
    workers: Vec<Pid>,
}

/// Counters before a repetition.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    stolen_ticks: Option<u64>,
    throttled_ns: Option<u64>,
    io_pressure_ns: Option<u64>,
    run_queue: Option<u32>,
    pressure_ns: Option<u64>,
    context_switches: Option<u64>,
    busy_ns: Option<u64>,
    own_ns: Option<u64>,
    helpers: Vec<Option<Costs>>,
    worker_ticks: Vec<Option<u64>>,
}

impl Machine {
    /// Opens what this system has.
    #[must_use]
    pub fn open() -> Self {
        let stat = File::open("/proc/stat").ok();
        let cpus = linux::affinity().unwrap_or_default();
        let frequency = |cpu| File::open(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq")).ok();
        Self {
            frequency: cpus.first().and_then(frequency),
            busy: Busy::find(cpus, stat.as_ref().and_then(read).as_deref(), tick_ns()),
            stat,
            throttling: throttling::find(),
            io_pressure: File::open("/proc/pressure/io").ok(),
            cpu_pressure: File::open("/proc/pressure/cpu").ok(),
            tick_ns: tick_ns(),
            helpers: Vec::new(),
            workers: Vec::new(),
        }
    }

    fn look(&self) -> Snapshot {
        let stat = self.stat.as_ref().and_then(read);
        let stat = stat.as_deref();
        Snapshot {
            stolen_ticks: stat.and_then(stolen_ticks),
            throttled_ns: self.throttling.as_ref().and_then(read).as_deref().and_then(throttled_ns),
            io_pressure_ns: self.io_pressure.as_ref().and_then(read).as_deref().and_then(pressure_ns),
            // We are running while we read.
            run_queue: stat
                .and_then(|stat| number(stat, "procs_running"))
                .map(|running: u32| running.saturating_sub(1)),
            pressure_ns: self.cpu_pressure.as_ref().and_then(read).as_deref().and_then(pressure_ns),
            context_switches: stat.and_then(|stat| number(stat, "ctxt")),
            busy_ns: self.busy.read(stat),
            own_ns: own_ns(),
            helpers: self.helpers.iter().map(|&leader| costs(leader)).collect(),
            worker_ticks: self.workers.iter().map(|&worker| ticks_with_reaped(worker)).collect(),
        }
    }
}

impl Readings for Machine {
    fn cell_begins(&mut self) {
        self.helpers = super::linux::children().unwrap_or_default();
        self.workers.clear();
    }

    fn cell_ready(&mut self) {
        let children = super::linux::children().unwrap_or_default();
        self.workers = children.into_iter().filter(|child| !self.helpers.contains(child)).collect();
    }

    fn before(&mut self) -> Snapshot {
        self.look()
    }

    fn since(&mut self, before: &Snapshot, own_ns: Option<u64>) -> MachineDelta {
        let after = self.look();
        let helpers = before.helpers.iter().zip(&after.helpers);
        let helpers_ns = helpers.map(|(before, after)| after.as_ref()?.cpu_ns_since(before.as_ref()?));
        // A worker tells what its run took. What the system tells of its process has also what came around the run, such
        // as the end of a pool of processes, and the servers of the cell; in ticks.
        let ticks = before.worker_ticks.iter().zip(&after.worker_ticks).filter_map(|(&b, &a)| delta(b, a)).sum::<u64>();
        let cell_ns = own_ns.map(|own_ns| own_ns.max(ticks * self.tick_ns.unwrap_or_default()));
        let ours_ns =
            [cell_ns, delta(before.own_ns, after.own_ns), Some(helpers_ns.map(Option::unwrap_or_default).sum())];
        MachineDelta {
            stolen_ns: delta(before.stolen_ticks, after.stolen_ticks)
                .zip(self.tick_ns)
                .map(|(ticks, tick_ns)| ticks * tick_ns),
            throttled_ns: delta(before.throttled_ns, after.throttled_ns),
            io_pressure_ns: delta(before.io_pressure_ns, after.io_pressure_ns),
            run_queue: before.run_queue,
            cpu_khz: self.frequency.as_ref().and_then(read).and_then(|text| text.trim().parse().ok()),
            others_ns: others_ns(delta(before.busy_ns, after.busy_ns), &ours_ns),
            pressure_ns: delta(before.pressure_ns, after.pressure_ns),
            context_switches: delta(before.context_switches, after.context_switches),
        }
    }

    fn scale(&self) -> Scale {
        self.busy.scale(super::linux::kernel_tick_ns())
    }
}

/// What was added; a counter that went back tells nothing.
fn delta(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    after?.checked_sub(before?)
}

/// What is left of the busy time without our own. Unknown where any of it is.
fn others_ns(busy_ns: Option<u64>, ours_ns: &[Option<u64>]) -> Option<u64> {
    ours_ns.iter().try_fold(busy_ns?, |rest, ours| Some(rest.saturating_sub((*ours)?)))
}

/// CPU time of this process so far.
fn own_ns() -> Option<u64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let ns = |time: TimeVal| u64::try_from(time.num_nanoseconds()).ok();
    ns(usage.user_time())?.checked_add(ns(usage.system_time())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_not_that_of_others() {
        assert_eq!(others_ns(Some(100), &[Some(50), Some(5), Some(0)]), Some(45));
        assert_eq!(others_ns(Some(10), &[Some(50)]), Some(0), "ticks are coarse");
        assert_eq!(others_ns(Some(100), &[None, Some(5)]), None);
        assert_eq!(others_ns(None, &[Some(5)]), None);
    }

    #[test]
    fn time_does_not_run_backwards() {
        let mut machine = Machine::open();
        let most = Some(u64::MAX);
        let later = Snapshot {
            stolen_ticks: most,
            throttled_ns: most,
            pressure_ns: most,
            context_switches: most,
            busy_ns: most,
            ..Snapshot::default()
        };
        let delta = machine.since(&later, Some(0));
        assert_eq!(delta, MachineDelta { cpu_khz: delta.cpu_khz, ..MachineDelta::default() });
    }
}
