//! What a run cost, apart from its time.

use serde::{Deserialize, Serialize};

/// What one run cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageSummary {
    /// CPU time in user mode, child processes included.
    pub user_ns: Option<u64>,
    /// CPU time in the kernel, child processes included.
    pub sys_ns: Option<u64>,
    /// Largest resident set, child processes' added.
    pub peak_rss_bytes: Option<u64>,
    /// How many processes that adds up.
    pub processes: Option<u32>,
    /// Context switches because a thread waited.
    pub voluntary_switches: Option<u64>,
    /// Context switches because a thread was preempted.
    pub involuntary_switches: Option<u64>,
    /// Time that threads waited for an emulated interpreter lock, all threads added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_wait_ns: Option<u64>,
    /// Bytes really fetched from storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_read_bytes: Option<u64>,
    /// Bytes handed to storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_write_bytes: Option<u64>,
}
