//! What the system tells. Nothing fails: what cannot be read is `None`.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit};

use super::neighbours::{Busy, Processes, busiest};
use crate::engine::build::workspace;
use crate::results::linux::{self, line};

/// How long neighbours are watched.
const WATCH: Duration = Duration::from_secs(2);

/// What is known of this machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// CPUs that a program can use at once.
    pub usable_cpus: Option<usize>,
    /// CPUs of the host that are online.
    pub host_cpus: Option<u32>,
    /// Physical cores among the CPUs.
    pub cores: Option<usize>,
    /// Frequency governor of the first CPU.
    pub governor: Option<String>,
    /// Whether the processor may run faster than its nominal frequency for a while.
    pub turbo: Option<bool>,
    /// What the kernel reads the time from.
    pub clock_source: Option<String>,
    /// Whether a hypervisor is there.
    pub virtualised: Option<bool>,
    /// CPUs that the control groups allow.
    pub quota_cpus: Option<f64>,
    /// Share of all CPUs' time that was stolen while we watched.
    pub stolen_share: Option<f64>,
    /// Other programs, and how many CPUs they kept busy while we watched.
    pub neighbours: Option<Busy>,
    /// Soft and hard limit of open files.
    pub open_files: Option<(u64, u64)>,
    /// Swap in bytes: all, and used.
    pub swap: Option<(u64, u64)>,
    /// Whether the folder of results is in memory.
    pub results_in_memory: Option<bool>,
    /// Whether the machine runs from a battery at this moment.
    pub on_battery: Option<bool>,
    /// `always`, `madvise` or `never`.
    pub huge_pages: Option<String>,
    /// Whether the kernel moves memory between nodes, and how many nodes there are.
    pub numa: Option<(bool, usize)>,
    /// Whether the scheduler groups processes by session.
    pub autogroup: Option<bool>,
    /// Connections that may wait to be accepted.
    pub backlog: Option<u32>,
}

impl Facts {
    /// Reads everything, and watches the neighbours for two seconds.
    #[must_use]
    pub fn read() -> Self {
        let before = (Processes::read(), Instant::now());
        let stat_before = stat();
        std::thread::sleep(WATCH);
        // What a look at all processes costs is not a neighbour's.
        let stats = stat_before.zip(stat());
        // On a busy machine a look takes long, and the time is that between the ends of two.
        let after = (Processes::read(), Instant::now());
        let elapsed = after.1 - before.1;
        let share = |of: fn(&[u64]) -> Option<u64>| stats.as_ref().and_then(|(before, after)| share(of, before, after));
        let mut facts = Self { stolen_share: share(stolen), ..Self::read_without_waiting() };
        facts.neighbours = before.0.zip(after.0).map(|(before, after)| {
            let busy = busiest(&before, &after, elapsed);
            // The CPUs that we may not use are nobody's neighbours.
            let all_cpus = facts.host_cpus.filter(|host| facts.usable_cpus == Some(*host as usize));
            match all_cpus.zip(share(self::busy)) {
                // Programs that ended meanwhile, such as a compiler's, are seen by this alone.
                Some((cpus, share)) => Busy { all: busy.all.max(share * f64::from(cpus)), ..busy },
                None => busy,
            }
        });
        facts
    }

    /// Reads all that one look tells.
    #[must_use]
    pub fn read_without_waiting() -> Self {
        let meminfo = line("/proc/meminfo");
        Self {
            usable_cpus: std::thread::available_parallelism().ok().map(usize::from),
            host_cpus: linux::host_cpus(),
            cores: cores(),
            governor: linux::governor(0),
            turbo: turbo(),
            clock_source: line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            virtualised: linux::virtualised(),
            quota_cpus: linux::quota_cpus(),
            stolen_share: None,
            neighbours: None,
            open_files: getrlimit(Resource::RLIMIT_NOFILE).ok(),
            swap: meminfo.as_deref().and_then(swap),
            results_in_memory: in_memory(&workspace().join("results")),
            on_battery: on_battery(Path::new("/sys/class/power_supply")),
            huge_pages: line("/sys/kernel/mm/transparent_hugepage/enabled").as_deref().and_then(chosen),
            numa: line("/proc/sys/kernel/numa_balancing").map(|on| (on != "0", nodes())),
            autogroup: line("/proc/sys/kernel/sched_autogroup_enabled").map(|on| on == "1"),
            backlog: line("/proc/sys/net/core/somaxconn").and_then(|text| text.parse().ok()),
        }
    }
}

fn stat() -> Option<String> {
    line("/proc/stat")
}

/// Physical cores: every set of siblings is one.
fn cores() -> Option<usize> {
    let siblings = |entry: fs::DirEntry| line(entry.path().join("topology/thread_siblings_list"));
    let mut sets: Vec<String> = fs::read_dir("/sys/devices/system/cpu").ok()?.flatten().filter_map(siblings).collect();
    sets.sort();
    sets.dedup();
    (!sets.is_empty()).then_some(sets.len())
}

/// Intel's driver says when turbo is off, all others when boost is on.
fn turbo() -> Option<bool> {
    let intel = line("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|off| off == "0");
    intel.or_else(|| line("/sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1"))
}

/// `always [madvise] never` → `madvise`.
fn chosen(choices: &str) -> Option<String> {
    Some(choices.split_once('[')?.1.split_once(']')?.0.to_owned())
}

fn nodes() -> usize {
    let is_node = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.to_str().and_then(|name| name.strip_prefix("node")).is_some_and(|number| number.parse::<u32>().is_ok())
    };
    fs::read_dir("/sys/devices/system/node").map_or(1, |entries| entries.flatten().filter(is_node).count().max(1))
}

/// Swap of `/proc/meminfo` in bytes: all, and used.
fn swap(meminfo: &str) -> Option<(u64, u64)> {
    let total = linux::bytes(meminfo, "SwapTotal")?;
    Some((total, total.saturating_sub(linux::bytes(meminfo, "SwapFree")?)))
}

/// Share of all time of all CPUs between two texts of `/proc/stat` that this picks from its columns.
#[expect(clippy::cast_precision_loss, reason = "ticks are far below 2^53")]
fn share(of: fn(&[u64]) -> Option<u64>, before: &str, after: &str) -> Option<f64> {
    let (before, after) = (linux::cpu_ticks(before)?, linux::cpu_ticks(after)?);
    let part = of(&after)?.checked_sub(of(&before)?)?;
    // Guest time, the last two columns, is in user time already.
    let all = |columns: &[u64]| columns.iter().take(8).sum::<u64>();
    let all = all(&after).checked_sub(all(&before))?;
    (all > 0).then(|| part as f64 / all as f64)
}

/// What the hypervisor gave to others.
fn stolen(columns: &[u64]) -> Option<u64> {
    columns.get(7).copied()
}

/// What programs used: all but idle, waiting for disks, and stolen.
fn busy(columns: &[u64]) -> Option<u64> {
    Some(columns.get(..3)?.iter().chain(columns.get(5..7)?).sum())
}

/// Whether any supply is a battery that is being emptied; `None` where there is no battery.
fn on_battery(supplies: &Path) -> Option<bool> {
    let supplies = fs::read_dir(supplies).ok()?.flatten();
    let is_battery = |folder: &fs::DirEntry| line(folder.path().join("type")).as_deref() == Some("Battery");
    let discharging = |folder: fs::DirEntry| line(folder.path().join("status")).as_deref() == Some("Discharging");
    supplies.filter(is_battery).map(discharging).reduce(|one, other| one || other)
}

#[cfg(target_os = "linux")]
fn in_memory(folder: &Path) -> Option<bool> {
    use nix::sys::statfs::{TMPFS_MAGIC, statfs};
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    Some(statfs(there).ok()?.filesystem_type() == TMPFS_MAGIC)
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_folder: &Path) -> Option<bool> {
    None
}

#[cfg(test)]
pub(super) mod fixtures {
    use super::*;

    /// A machine on which nothing should be measured.
    pub fn worst() -> Facts {
        Facts {
            usable_cpus: Some(1),
            host_cpus: Some(8),
            cores: Some(4),
            governor: Some("powersave".to_owned()),
            turbo: Some(true),
            clock_source: Some("hpet".to_owned()),
            virtualised: Some(true),
            quota_cpus: Some(0.5),
            stolen_share: Some(0.2),
            neighbours: Some(Busy { all: 0.9, top: vec![("postgres".to_owned(), 7, 0.9)] }),
            open_files: Some((256, 4096)),
            swap: Some((1 << 30, 1 << 28)),
            results_in_memory: Some(true),
            on_battery: Some(true),
            huge_pages: Some("always".to_owned()),
            numa: Some((true, 2)),
            autogroup: Some(true),
            backlog: Some(128),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_swap_is_all_of_it_less_what_is_free() {
        let laptop = "MemTotal:       16223340 kB\nSwapCached: 12 kB\nSwapTotal:       2097148 kB\nSwapFree:        1048572 kB\n";
        assert_eq!(swap(laptop), Some((2_147_479_552, 1_073_741_824)));
        assert_eq!(swap("MemTotal: 1 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"), Some((0, 0)));
        assert_eq!(swap("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn stolen_time_is_a_share_of_all_cpus_time_between_two_looks() {
        let before = "cpu  100 0 50 800 10 0 0 40 7 0\ncpu0 …";
        let after = "cpu  150 0 60 900 10 0 0 80 9 0\ncpu0 …";
        assert_eq!(share(stolen, before, after), Some(0.2), "40 of 200 ticks");
        assert_eq!(share(stolen, before, before), None);
        assert_eq!(share(stolen, "cpu  1 2 3 4", "cpu  2 3 4 5"), None, "kernels before 2.6.11 have no such column");
    }

    #[test]
    fn busy_time_is_neither_idle_nor_waiting_nor_stolen() {
        let before = "cpu  100 1 50 800 10 2 3 40 7 0";
        let after = "cpu  150 3 60 850 40 5 8 90 9 0";
        assert_eq!(share(busy, before, after), Some(0.35), "50 + 2 + 10 + 3 + 5 of 200 ticks");
    }

    #[test]
    fn the_chosen_word_stands_in_brackets() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("always"), None);
    }

    #[test]
    fn a_battery_counts_only_while_it_is_emptied() {
        let folder = tempfile::tempdir().unwrap();
        let supply = |name: &str, kind: &str, status: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("type"), kind).unwrap();
            fs::write(path.join("status"), status).unwrap();
        };
        assert_eq!(on_battery(folder.path()), None);
        supply("AC", "Mains\n", "");
        assert_eq!(on_battery(folder.path()), None);
        supply("BAT0", "Battery\n", "Charging\n");
        assert_eq!(on_battery(folder.path()), Some(false));
        supply("BAT1", "Battery\n", "Discharging\n");
        assert_eq!(on_battery(folder.path()), Some(true));
    }
}
