//! What a worker answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A worker is prepared and can be measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    /// The protocol version that the worker speaks.
    pub protocol: u32,
    /// Name and version of the worker, such as `cpu-worker 0.1.0`.
    pub worker: String,
    /// Name and version of what executes the tasks, such as `rust 1.95`.
    pub runtime: String,
    /// What else is worth recording, by name: build flags, the state of a real interpreter lock, …
    #[serde(default)]
    pub facts: BTreeMap<String, serde_json::Value>,
    /// Ports that the worker listens on, for jobs that listen.
    #[serde(default)]
    pub ports: Vec<u16>,
}

/// What one run measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// From the barrier that all workers of the model reached to the end of the last task.
    pub elapsed_ns: u64,
    /// Making threads, processes and loops, up to that barrier.
    pub setup_ns: u64,
    /// How many tasks were done.
    pub tasks: u64,
    /// What the tasks computed, as 16 hexadecimal digits; see [`Checksum`](crate::Checksum).
    pub checksum: String,
    /// Tasks done by each thread, process or loop, where the worker knows.
    #[serde(default)]
    pub workers: Vec<u64>,
    /// What the run cost, where the worker knows.
    #[serde(default)]
    pub usage: Option<Usage>,
}

/// What one run cost. What cannot be known is `None`, never 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// CPU time in user mode, child processes included.
    pub user_ns: Option<u64>,
    /// CPU time in the kernel, child processes included.
    pub sys_ns: Option<u64>,
    /// Largest resident set so far (`VmHWM`), child processes' added.
    pub peak_rss_bytes: Option<u64>,
    /// How many processes `peak_rss_bytes` adds up.
    pub processes: Option<u32>,
    /// Context switches because a thread waited.
    pub voluntary_switches: Option<u64>,
    /// Context switches because a thread was preempted.
    pub involuntary_switches: Option<u64>,
    /// Time that threads spent waiting for an emulated interpreter lock, all threads added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_wait_ns: Option<u64>,
    /// Bytes that were really fetched from storage (`read_bytes` of `/proc/self/io`), child processes included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_read_bytes: Option<u64>,
    /// Bytes that were handed to storage (`write_bytes` of `/proc/self/io`), child processes included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_write_bytes: Option<u64>,
}

impl std::ops::Add for Usage {
    type Output = Self;

    /// The usage of two processes together. Unknown plus anything is unknown.
    fn add(self, other: Self) -> Self {
        fn sum<T: std::ops::Add<Output = T>>(a: Option<T>, b: Option<T>) -> Option<T> {
            Some(a? + b?)
        }
        Self {
            user_ns: sum(self.user_ns, other.user_ns),
            sys_ns: sum(self.sys_ns, other.sys_ns),
            peak_rss_bytes: sum(self.peak_rss_bytes, other.peak_rss_bytes),
            processes: sum(self.processes, other.processes),
            voluntary_switches: sum(self.voluntary_switches, other.voluntary_switches),
            involuntary_switches: sum(self.involuntary_switches, other.involuntary_switches),
            lock_wait_ns: sum(self.lock_wait_ns, other.lock_wait_ns),
            disk_read_bytes: sum(self.disk_read_bytes, other.disk_read_bytes),
            disk_write_bytes: sum(self.disk_write_bytes, other.disk_write_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_usage_stays_unknown_when_added() {
        let known = Usage { user_ns: Some(2), processes: Some(1), ..Usage::default() };
        let sum = known.clone() + Usage { user_ns: Some(3), ..Usage::default() };
        assert_eq!((sum.user_ns, sum.processes), (Some(5), None));
    }
}
