//! What the machine did around one repetition: CPU time taken by the hypervisor, throttling, run queue, frequency.
//!
//! A probe is two short reads of open files, some tens of microseconds. What the system does not tell is `None`.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::results::record::MachineDelta;

/// Where to look; found once.
#[derive(Debug)]
pub struct Machine {
    stat: Option<File>,
    throttling: Option<File>,
    pressure: Option<File>,
    frequency: Option<File>,
    tick_ns: Option<u64>,
}

/// Counters before a repetition.
#[derive(Debug, Clone, Copy, Default)]
pub struct Snapshot {
    stolen_ticks: Option<u64>,
    throttled_ns: Option<u64>,
    io_pressure_ns: Option<u64>,
    run_queue: Option<u32>,
}

impl Machine {
    /// Opens what this system has.
    #[must_use]
    pub fn open() -> Self {
        Self {
            stat: File::open("/proc/stat").ok(),
            throttling: throttling_file(),
            pressure: File::open("/proc/pressure/io").ok(),
            frequency: first_cpu()
                .and_then(|cpu| File::open(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq")).ok()),
            tick_ns: tick_ns(),
        }
    }

    /// Reads the counters before a repetition.
    #[must_use]
    pub fn before(&self) -> Snapshot {
        let stat = self.stat.as_ref().and_then(read);
        Snapshot {
            stolen_ticks: stat.as_deref().and_then(stolen_ticks),
            throttled_ns: self.throttling.as_ref().and_then(read).as_deref().and_then(throttled_ns),
            io_pressure_ns: self.pressure.as_ref().and_then(read).as_deref().and_then(io_pressure_ns),
            // We are running while we read.
            run_queue: stat.as_deref().and_then(running).map(|running| running.saturating_sub(1)),
        }
    }

    /// What changed since `before`.
    #[must_use]
    pub fn since(&self, before: &Snapshot) -> MachineDelta {
        let after = self.before();
        let delta = |before: Option<u64>, after: Option<u64>| after?.checked_sub(before?);
        MachineDelta {
            stolen_ns: delta(before.stolen_ticks, after.stolen_ticks)
                .zip(self.tick_ns)
                .map(|(ticks, tick_ns)| ticks * tick_ns),
            throttled_ns: delta(before.throttled_ns, after.throttled_ns),
            io_pressure_ns: delta(before.io_pressure_ns, after.io_pressure_ns),
            run_queue: before.run_queue,
            cpu_khz: self.frequency.as_ref().and_then(read).and_then(|text| text.trim().parse().ok()),
        }
    }
}

/// The whole of a small file, from its start.
fn read(file: &File) -> Option<String> {
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

fn running(stat: &str) -> Option<u32> {
    stat.lines().find_map(|line| line.strip_prefix("procs_running "))?.trim().parse().ok()
}

/// `throttled_usec` of control groups version 2, or `throttled_time` (nanoseconds) of version 1.
fn throttled_ns(stat: &str) -> Option<u64> {
    let value = |key: &str| -> Option<u64> {
        stat.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
    };
    value("throttled_usec").map(|usec| usec * 1000).or_else(|| value("throttled_time"))
}

/// For how long some thread has waited for I/O since the start of the machine: the kernel's `Documentation/accounting/psi.rst`.
fn io_pressure_ns(pressure: &str) -> Option<u64> {
    let some = pressure.lines().find_map(|line| line.strip_prefix("some "))?;
    let total_us: u64 = some.split(' ').find_map(|field| field.strip_prefix("total="))?.trim().parse().ok()?;
    total_us.checked_mul(1000)
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
        assert_eq!(running(STAT), Some(3));
    }

    #[test]
    fn pressure_is_the_total_of_whoever_waits() {
        let text = "some avg10=0.00 avg60=0.13 avg300=0.05 total=7\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
        assert_eq!((io_pressure_ns(text), io_pressure_ns("")), (Some(7000), None));
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
    fn time_does_not_run_backwards() {
        let machine = Machine::open();
        let later = Snapshot { stolen_ticks: Some(u64::MAX), throttled_ns: Some(u64::MAX), ..Snapshot::default() };
        let delta = machine.since(&later);
        assert_eq!((delta.stolen_ns, delta.throttled_ns), (None, None));
    }
}
