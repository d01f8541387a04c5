//! What only Linux tells about the machine: `/proc`, `/sys` and control groups. All file paths of this stage that
//! exist on one system only stand here. Nothing fails: what cannot be read is `None`, as on every other system.

use std::fs;
use std::path::{Path, PathBuf};

use nix::unistd::{SysconfVar, sysconf};

/// A small file without the space around its content; `None` where nothing is left.
#[must_use]
pub fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The CPU's name, as its maker writes it.
#[must_use]
pub fn cpu_model() -> Option<String> {
    cpu_model_in(&fs::read_to_string("/proc/cpuinfo").ok()?)
}

fn cpu_model_in(cpuinfo: &str) -> Option<String> {
    // x86 says `model name`; ARM boards say `Model` or `Hardware`, and ARM servers nothing.
    ["model name", "Hardware", "Model", "cpu model"].iter().find_map(|key| field(cpuinfo, key).map(str::to_owned))
}

/// Whether the CPU says that it runs under a hypervisor. Only x86 says either.
#[must_use]
pub fn virtualised() -> Option<bool> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").ok()?;
    let flags = field(&cpuinfo, "flags")?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// The value of the first `key : value` line.
#[must_use]
pub fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key && !value.trim().is_empty()).then(|| value.trim())
    })
}

/// The value of the first `key : value kB` line, in bytes.
#[must_use]
pub fn bytes(text: &str, key: &str) -> Option<u64> {
    field(text, key)?.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The columns for all CPUs together in a text of `/proc/stat`, in clock ticks: user, nice, system, idle, iowait, irq,
/// softirq, steal, guest, guest_nice; proc_stat(5). Old kernels have fewer.
#[must_use]
pub fn cpu_ticks(stat: &str) -> Option<Vec<u64>> {
    let columns = stat.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace();
    Some(columns.map_while(|column| column.parse().ok()).collect())
}

/// How many clock ticks a second has, the unit of CPU time in `/proc`.
#[must_use]
pub fn ticks_per_s() -> Option<u64> {
    u64::try_from(sysconf(SysconfVar::CLK_TCK).ok()??).ok().filter(|&ticks| ticks > 0)
}

/// How long a clock tick is.
#[must_use]
pub fn tick_ns() -> Option<u64> {
    1_000_000_000_u64.checked_div(ticks_per_s()?)
}

/// CPUs of the host that are online.
#[must_use]
pub fn host_cpus() -> Option<u32> {
    u32::try_from(cpu_list(&line("/sys/devices/system/cpu/online")?)?.len()).ok()
}

/// The CPUs that this process may run on.
#[must_use]
pub fn affinity() -> Option<Vec<u32>> {
    cpu_list(field(&fs::read_to_string("/proc/self/status").ok()?, "Cpus_allowed_list")?)
}

/// `0-2,5` → 0, 1, 2, 5.
fn cpu_list(list: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(first.trim().parse::<u32>().ok()?..=last.trim().parse().ok()?);
    }
    Some(cpus)
}

/// How many CPUs the control groups allow in the long run, the tightest of them; `None` where none limits us.
#[must_use]
pub fn quota_cpus() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let version_2 = groups.lines().find_map(|line| line.strip_prefix("0::")).map(|group| {
        let root = Path::new("/sys/fs/cgroup");
        tightest(root, group, |folder| quota_2(&line(folder.join("cpu.max"))?))
    });
    let version_1 = || {
        let group = groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let controllers = parts.next()?;
            controllers.split(',').any(|name| name == "cpu").then(|| parts.next())?
        })?;
        tightest(Path::new("/sys/fs/cgroup/cpu"), group, |folder| {
            let quota: f64 = line(folder.join("cpu.cfs_quota_us"))?.parse().ok()?;
            let period: f64 = line(folder.join("cpu.cfs_period_us"))?.parse().ok()?;
            (quota > 0.0 && period > 0.0).then(|| quota / period)
        })
    };
    version_2.flatten().or_else(version_1)
}

/// The smallest limit of a group and all groups above it. In a container the group's path may not be visible: then the
/// mounted root is our own group.
fn tightest(root: &Path, group: &str, limit: impl Fn(&Path) -> Option<f64>) -> Option<f64> {
    let own: PathBuf = root.join(group.trim_start_matches('/'));
    own.ancestors().take_while(|folder| folder.starts_with(root)).filter_map(limit).reduce(f64::min)
}

/// `200000 100000` → 2 CPUs; `max 100000` → no limit.
fn quota_2(cpu_max: &str) -> Option<f64> {
    let (quota, period) = cpu_max.split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then(|| quota / period)
}

/// The kernel's release, such as `6.18.5-cloud`.
#[must_use]
pub fn kernel() -> Option<String> {
    line("/proc/sys/kernel/osrelease")
}

/// Main memory of the host in bytes.
#[must_use]
pub fn memory_bytes() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    bytes(&meminfo, "MemTotal")
}

/// How the frequency of this CPU is chosen: `performance`, `powersave`, …
#[must_use]
pub fn governor(cpu: u32) -> Option<String> {
    line(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_named_model_is_the_cpus_name() {
        let x86 = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Xeon @ 2.00GHz\nmodel name\t: other\n";
        assert_eq!(cpu_model_in(x86).as_deref(), Some("Xeon @ 2.00GHz"));
        assert_eq!(cpu_model_in("processor : 0\nBogoMIPS : 50.00\n"), None);
    }

    #[test]
    fn an_amount_of_memory_is_in_bytes() {
        let status = "VmPeak:\t   9 kB\nVmHWM:\t    2048 kB\nThreads:\t1\n";
        assert_eq!(bytes(status, "VmHWM"), Some(2 << 20));
        assert_eq!(bytes(status, "Threads"), None, "no unit");
        assert_eq!(bytes(status, "Vm"), None);
    }

    #[test]
    fn the_line_for_all_cpus_is_the_first() {
        assert_eq!(cpu_ticks("cpu  15 0 4 161\ncpu0 7 0 2 81\n"), Some(vec![15, 0, 4, 161]));
        assert_eq!(cpu_ticks("cpu0 7 0 2 81\n"), None);
    }

    #[test]
    fn a_cpu_list_is_ranges_and_numbers() {
        assert_eq!(cpu_list("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(cpu_list("3"), Some(vec![3]));
        assert_eq!(cpu_list(""), None);
    }

    #[test]
    fn a_quota_is_cpus_and_max_is_no_limit() {
        assert_eq!(quota_2("150000 100000"), Some(1.5));
        assert_eq!(quota_2("max 100000"), None);
    }

    #[test]
    fn the_tightest_group_on_the_way_up_limits() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("cpu.max"), "400000 100000").unwrap();
        fs::write(root.path().join("a/cpu.max"), "200000 100000").unwrap();
        let limit = |group| tightest(root.path(), group, |folder| quota_2(&line(folder.join("cpu.max"))?));
        assert_eq!(limit("/a/b"), Some(2.0));
        assert_eq!(limit("/"), None);
        assert_eq!(limit("/not/visible"), None);
    }
}
