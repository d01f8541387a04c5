//! What the machine did around one repetition: CPU time taken by the hypervisor and by neighbours, throttling, run
//! queue, pressure, context switches, frequency.
//!
//! A probe is a few short reads of open files, some tens of microseconds. What the system does not tell is `None`.
//! Whether it was too much is decided in [`disturbance`](super::disturbance).

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::unistd::Pid;

use super::busy::Busy;
use super::http::tree::{Costs, costs, ticks_with_reaped};
use crate::results::linux;
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
        Self {
            busy: Busy::find(cpus, stat.as_ref().and_then(read).as_deref(), tick_ns()),
            stat,
            throttling: throttling_file(),
            io_pressure: File::open("/proc/pressure/io").ok(),
            frequency: first_cpu()
                .and_then(|cpu| File::open(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq")).ok()),
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
        let helpers_ns = before.helpers.iter().zip(&after.helpers).map(|(before, after)| {
            let usage = after.as_ref()?.since(before.as_ref()?);
            usage.user_ns?.checked_add(usage.sys_ns?)
        });
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
        self.busy.scale(self.tick_ns)
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

/// The whole of a small file, from its start.
pub(super) fn read(file: &File) -> Option<String> {
    let mut bytes = vec![0; 16 * 1024];
    let mut length = 0;
    loop {
        match file.read_at(&mut bytes[length..], length as u64).ok()? {
            0 => break,
            n => length += n,
        }
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
    }
    bytes.truncate(length);
    String::from_utf8(bytes).ok()
}

/// The `steal` column of all CPUs together, in clock ticks: proc_stat(5).
fn stolen_ticks(stat: &str) -> Option<u64> {
    stat.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace().nth(7)?.parse().ok()
}

/// The number on the line of `/proc/stat` that begins with this word.
fn number<T: std::str::FromStr>(stat: &str, word: &str) -> Option<T> {
    stat.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))?.trim().parse().ok()
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=42`, the total in microseconds: Documentation/accounting/psi.rst.
fn pressure_ns(pressure: &str) -> Option<u64> {
    let some = pressure.lines().find_map(|line| line.strip_prefix("some "))?;
    let total: u64 = some.split_ascii_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()?;
    total.checked_mul(1_000)
}

/// `throttled_usec` of control groups version 2, or `throttled_time` (nanoseconds) of version 1.
fn throttled_ns(stat: &str) -> Option<u64> {
    let value = |key: &str| -> Option<u64> {
        stat.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
    };
    value("throttled_usec").map(|usec| usec * 1000).or_else(|| value("throttled_time"))
}

/// The `cpu.stat` of our control group, in either version, if it tells about throttling.
fn throttling_file() -> Option<File> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    candidates(&groups).into_iter().find_map(|path| {
        let file = File::open(path).ok()?;
        read(&file).as_deref().and_then(throttled_ns).is_some().then_some(file)
    })
}

/// Where `cpu.stat` may be, for this text of `/proc/self/cgroup`, the best first. In a container the path may be the
/// host's, of which only the mount's root is visible: hence the second try of each.
fn candidates(groups: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let mounts: &[&str] = if controllers.is_empty() {
            &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        } else if controllers.split(',').any(|name| name == "cpu") {
            &["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"]
        } else {
            continue;
        };
        for mount in mounts {
            let mount = Path::new(mount);
            paths.push(mount.join(path.trim_start_matches('/')).join("cpu.stat"));
            if path != "/" {
                paths.push(mount.join("cpu.stat"));
            }
        }
    }
    paths
}

fn tick_ns() -> Option<u64> {
    let hertz = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??;
    1_000_000_000_u64.checked_div(u64::try_from(hertz).ok()?)
}

#[cfg(target_os = "linux")]
fn first_cpu() -> Option<usize> {
    use nix::sched::{CpuSet, sched_getaffinity};

    let usable = sched_getaffinity(nix::unistd::Pid::from_raw(0)).ok()?;
    (0..CpuSet::count()).find(|&cpu| usable.is_set(cpu) == Ok(true))
}

#[cfg(not(target_os = "linux"))]
fn first_cpu() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  15124 0 4413 161311 289 0 68 18 0 0\ncpu0 7442 0 2006 81074 39 0 4 9 0 0\n\
                        intr 1 2 3\nctxt 5\nprocs_running 3\nprocs_blocked 0\n";

    #[test]
    fn steal_is_the_eighth_number_of_the_line_for_all_cpus() {
        assert_eq!(stolen_ticks(STAT), Some(18));
        assert_eq!(stolen_ticks("cpu  1 2 3\n"), None);
    }

    #[test]
    fn the_run_queue_is_what_runs_or_could() {
        assert_eq!(number::<u32>(STAT, "procs_running"), Some(3));
        assert_eq!(number::<u64>(STAT, "ctxt"), Some(5));
        assert_eq!(number::<u64>(STAT, "proc"), None);
    }

    #[test]
    fn both_versions_of_control_groups_tell_throttled_time() {
        assert_eq!(throttled_ns("usage_usec 5\nnr_throttled 1\nthrottled_usec 7\n"), Some(7000));
        assert_eq!(throttled_ns("nr_periods 0\nnr_throttled 0\nthrottled_time 9\n"), Some(9));
        assert_eq!(throttled_ns("usage_usec 5\n"), None);
    }

    #[test]
    fn the_control_group_is_looked_for_where_either_version_mounts_it() {
        let paths = candidates("4:memory:/a\n1:cpu,cpuacct:/\n0::/user.slice\n");
        let paths: Vec<_> = paths.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(
            paths,
            [
                "/sys/fs/cgroup/cpu/cpu.stat",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
                "/sys/fs/cgroup/user.slice/cpu.stat",
                "/sys/fs/cgroup/cpu.stat",
                "/sys/fs/cgroup/unified/user.slice/cpu.stat",
                "/sys/fs/cgroup/unified/cpu.stat",
            ]
        );
    }

    #[test]
    fn pressure_is_told_in_microseconds() {
        let text = "some avg10=3.28 avg60=2.56 avg300=1.74 total=33\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(pressure_ns(text), Some(33_000));
        assert_eq!(pressure_ns("full total=7\n"), None);
    }

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
