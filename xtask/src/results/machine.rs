//! The machine that figures were taken on, and a fingerprint that tells two machines apart.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::linux;
use crate::number::hex;

/// A machine, as far as it says. What it does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// First seven digits of this name the result's folder; see [`Machine::fingerprint`].
    pub fingerprint: String,
    /// `linux`, `macos`, …
    pub os: String,
    /// `x86_64`, `aarch64`, …
    pub arch: String,
    /// The CPU's name.
    pub cpu_model: Option<String>,
    /// How many CPUs this process can use at once: affinity and quota together, never the host's count.
    pub usable_cpus: Option<u32>,
    /// CPUs that the affinity mask allows.
    pub affinity_cpus: Option<u32>,
    /// CPUs that the control groups allow in the long run; `None` also where they set no limit.
    pub quota_cpus: Option<f64>,
    /// CPUs of the host that are online.
    pub host_cpus: Option<u32>,
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Main memory.
    pub memory_bytes: Option<u64>,
    /// Frequency governor of the first usable CPU.
    pub governor: Option<String>,
    /// Smallest step that the clock of this program was seen to make.
    pub clock_step_ns: Option<u64>,
    /// Whether the CPU says that it runs under a hypervisor.
    pub virtualised: Option<bool>,
}

/// What a machine is called of which nothing is known.
pub const UNKNOWN_MACHINE: &str = "unknown machine";

impl Machine {
    /// The machine in a few words: `AMD EPYC, 2 cores`.
    #[must_use]
    pub fn in_short(&self) -> String {
        let name = self.cpu_model.as_ref().unwrap_or(&self.arch);
        match self.usable_cpus {
            Some(cpus) => format!("{name}, {}", crate::number::counted(u64::from(cpus), "core", "cores")),
            None => name.clone(),
        }
    }

    /// Looks at this machine.
    #[must_use]
    pub fn capture() -> Self {
        let affinity = linux::affinity();
        let count = |cpus: usize| u32::try_from(cpus).ok();
        let mut machine = Self {
            fingerprint: String::new(),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            cpu_model: linux::cpu_model(),
            usable_cpus: std::thread::available_parallelism().ok().and_then(|cpus| count(cpus.get())),
            affinity_cpus: affinity.as_ref().and_then(|cpus| count(cpus.len())),
            quota_cpus: linux::quota_cpus(),
            host_cpus: linux::host_cpus(),
            kernel: linux::kernel(),
            memory_bytes: linux::memory_bytes(),
            governor: linux::governor(affinity.as_ref().and_then(|cpus| cpus.first().copied()).unwrap_or(0)),
            clock_step_ns: clock_step().and_then(|step| u64::try_from(step.as_nanos()).ok()),
            virtualised: linux::virtualised(),
        };
        machine.fingerprint = machine.fingerprint();
        machine
    }

    /// What two results must share to be comparable, as a hash: system, architecture, CPU model, usable CPUs, memory in
    /// whole GiB and the kernel's first two numbers.
    ///
    /// The host's name is not in it: it says nothing about speed, containers make up a new one each time, and results
    /// are published. Memory is rounded because kernels keep a little more or less for themselves.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let gibibytes = self.memory_bytes.map(|bytes| bytes.saturating_add(1 << 29) >> 30);
        let kernel = self.kernel.as_deref().map(|release| release.split('.').take(2).collect::<Vec<_>>().join("."));
        let facts = (&self.os, &self.arch, &self.cpu_model, self.usable_cpus, gibibytes, kernel);
        let text = serde_json::to_string(&facts).expect("strings and numbers only");
        hex(&Sha256::digest(text))
    }
}

/// The smallest step in a few thousand readings of the clock.
fn clock_step() -> Option<Duration> {
    let mut last = Instant::now();
    let mut steps = Vec::new();
    for _ in 0..4_096 {
        let now = Instant::now();
        steps.push(now.duration_since(last));
        last = now;
    }
    steps.into_iter().filter(|step| !step.is_zero()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine {
            cpu_model: Some("Xeon".to_owned()),
            usable_cpus: Some(2),
            kernel: Some("6.18.5-cloud".to_owned()),
            memory_bytes: Some(8 << 30),
            ..Machine::default()
        }
    }

    #[test]
    fn what_does_not_change_speed_does_not_change_the_fingerprint() {
        let same = Machine {
            kernel: Some("6.18.11".to_owned()),
            memory_bytes: Some((8 << 30) - (100 << 20)),
            governor: Some("performance".to_owned()),
            clock_step_ns: Some(41),
            ..machine()
        };
        assert_eq!(same.fingerprint(), machine().fingerprint());
        assert_eq!(machine().fingerprint().len(), 64);
    }

    #[test]
    fn another_cpu_count_or_kernel_is_another_machine() {
        let quota = Machine { usable_cpus: Some(1), ..machine() };
        let kernel = Machine { kernel: Some("6.19.0".to_owned()), ..machine() };
        assert_ne!(quota.fingerprint(), machine().fingerprint());
        assert_ne!(kernel.fingerprint(), machine().fingerprint());
    }

    #[test]
    fn looking_at_this_machine_never_fails() {
        let machine = Machine::capture();
        assert_eq!(machine.fingerprint, machine.fingerprint());
        assert!(machine.usable_cpus.is_some());
    }
}
