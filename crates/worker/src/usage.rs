//! What a run cost this process.

use nix::sys::resource::{Usage as Resources, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use protocol::Usage;

/// Counts what this process uses from its making on.
pub struct Meter(Option<Resources>);

impl Meter {
    /// Begins to count.
    pub fn start() -> Self {
        Self(getrusage(UsageWho::RUSAGE_SELF).ok())
    }

    /// What was used since.
    pub fn stop(&self) -> Usage {
        let used = self.0.as_ref().zip(getrusage(UsageWho::RUSAGE_SELF).ok());
        let since = |value: fn(&Resources) -> i64| {
            used.as_ref().and_then(|(before, after)| u64::try_from(value(after) - value(before)).ok())
        };
        Usage {
            user_ns: since(|usage| nanoseconds(usage.user_time())),
            sys_ns: since(|usage| nanoseconds(usage.system_time())),
            peak_rss_bytes: peak_resident_bytes(),
            processes: Some(1),
            voluntary_switches: since(|usage| usage.voluntary_context_switches()),
            involuntary_switches: since(|usage| usage.involuntary_context_switches()),
            ..Usage::default()
        }
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
