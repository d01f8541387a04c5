//! What a run cost this process.

use nix::sys::resource::{Usage as Resources, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use protocol::Usage;

use crate::storage::{Storage, storage};

/// Counts what this process uses from its making on.
pub struct Meter {
    own: Option<Resources>,
    /// Of children that were waited for.
    reaped: Option<Resources>,
    storage: Option<Storage>,
}

impl Meter {
    /// Begins to count.
    pub fn start() -> Self {
        Self {
            own: getrusage(UsageWho::RUSAGE_SELF).ok(),
            reaped: getrusage(UsageWho::RUSAGE_CHILDREN).ok(),
            storage: storage(),
        }
    }

    /// What this process has used since. Its storage is its children's too, as far as it has waited for them.
    pub fn stop(&self) -> Usage {
        let stored = self.storage.zip(storage());
        Usage {
            peak_rss_bytes: peak_resident_bytes(),
            processes: Some(1),
            disk_read_bytes: stored.map(|(before, after)| after.read_bytes - before.read_bytes),
            disk_write_bytes: stored.map(|(before, after)| after.write_bytes - before.write_bytes),
            ..since(self.own.as_ref(), UsageWho::RUSAGE_SELF)
        }
    }

    /// The same, with the CPU time of programs that it has started and waited for since. What memory they took is not
    /// known: the kernel keeps the largest of all children ever, and that begins with the size of their parent.
    pub fn stop_with_programs(&self) -> Usage {
        let (own, programs) = (self.stop(), since(self.reaped.as_ref(), UsageWho::RUSAGE_CHILDREN));
        Usage {
            peak_rss_bytes: own.peak_rss_bytes,
            processes: own.processes,
            disk_read_bytes: own.disk_read_bytes,
            disk_write_bytes: own.disk_write_bytes,
            ..own + programs
        }
    }

    /// What this process has used since, together with child processes that have counted for themselves and were waited for.
    /// `lock_wait_ns` is this process's own.
    pub fn stop_with(&self, children: Usage, lock_wait_ns: Option<u64>) -> Usage {
        let own = Usage { lock_wait_ns, ..self.stop() };
        let (disk_read_bytes, disk_write_bytes) = (own.disk_read_bytes, own.disk_write_bytes);
        Usage { disk_read_bytes, disk_write_bytes, ..own + children }
    }
}

/// What `who` has used since `before`: CPU time and switches.
fn since(before: Option<&Resources>, who: UsageWho) -> Usage {
    let used = before.zip(getrusage(who).ok());
    let since = |value: fn(&Resources) -> i64| {
        used.as_ref().and_then(|(before, after)| u64::try_from(value(after) - value(before)).ok())
    };
    Usage {
        user_ns: since(|usage| nanoseconds(usage.user_time())),
        sys_ns: since(|usage| nanoseconds(usage.system_time())),
        voluntary_switches: since(|usage| usage.voluntary_context_switches()),
        involuntary_switches: since(|usage| usage.involuntary_context_switches()),
        ..Usage::default()
    }
}

fn nanoseconds(time: TimeVal) -> i64 {
    time.num_microseconds().saturating_mul(1000)
}

/// The largest resident set of this process so far, where the system tells.
///
/// Not `ru_maxrss`: that begins with the peak of the process that started this one.
fn peak_resident_bytes() -> Option<u64> {
    peak_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status_file() {
        let status = "Name:\tcpu-worker\nVmPeak:\t   71000 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(peak_in(status), Some(2_097_152));
    }

    #[test]
    fn an_unknown_peak_is_not_zero() {
        assert_eq!(peak_in("Name:\tcpu-worker\n"), None);
        assert_eq!(peak_in("VmHWM:\tmany\n"), None);
    }

    #[test]
    fn burning_shows_as_user_time() {
        let meter = Meter::start();
        let begun = std::time::Instant::now();
        while begun.elapsed().as_millis() < 30 {
            std::hint::black_box(0);
        }
        let usage = meter.stop();
        assert!(usage.user_ns.unwrap() > 0, "{usage:?}");
        assert_eq!(usage.processes, Some(1));
    }
}
