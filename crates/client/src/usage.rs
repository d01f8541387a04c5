//! What a run cost the process. Local: the crate `worker` will measure it for all workers, and this file goes then.

use anyhow::{Context as _, Result};
use nix::sys::resource::{self, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use protocol::Usage;

/// The usage at a run's beginning.
pub struct Meter(resource::Usage);

impl Meter {
    /// Begins to measure.
    pub fn start() -> Result<Self> {
        read().map(Self)
    }

    /// What was used since then.
    pub fn stop(&self) -> Result<Usage> {
        let now = read()?;
        let since = |of: fn(&resource::Usage) -> i64| u64::try_from(of(&now) - of(&self.0)).ok();
        Ok(Usage {
            user_ns: since(|usage| usage.user_time().num_nanoseconds()),
            sys_ns: since(|usage| usage.system_time().num_nanoseconds()),
            peak_rss_bytes: peak_rss_bytes(),
            processes: Some(1),
            voluntary_switches: since(|usage| usage.voluntary_context_switches()),
            involuntary_switches: since(|usage| usage.involuntary_context_switches()),
        })
    }
}

fn read() -> Result<resource::Usage> {
    getrusage(UsageWho::RUSAGE_SELF).context("cannot read the usage of this process")
}

/// `VmHWM`, where the system has it.
fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
