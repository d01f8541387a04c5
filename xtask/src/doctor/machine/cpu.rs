//! What the processor does by itself: cores, siblings, frequency, clock.

use super::facts::Facts;
use super::{Finding, State, finding};
use crate::number::counted;

/// With fewer, the client and the server of a cell, or two workers and the system, get in each other's way.
const ENOUGH: usize = 4;

pub fn findings(facts: &Facts) -> Vec<Finding> {
    [cores(facts), siblings(facts), governor(facts), turbo(facts), clock(facts)].into_iter().flatten().collect()
}

fn cores(facts: &Facts) -> Option<Finding> {
    let usable = facts.usable_cpus?;
    let of_host = facts.host_cpus.filter(|host| *host as usize > usable).map(|host| format!(" of {host}"));
    let found = format!("{} usable{}", counted(usable as u64, "CPU", "CPUs"), of_host.unwrap_or_default());
    Some(match usable {
        1 => finding(
            "CPUs",
            State::Hurts,
            found,
            "Nothing runs at the same time here: models differ by their overhead alone. Give the container or the virtual \
             machine more CPUs, or measure elsewhere.",
        ),
        2..ENOUGH => finding(
            "CPUs",
            State::Note,
            found,
            "A server and its load generator share them, and so does everything else that runs: close what you can. Speed-ups \
             above this number are waiting that overlaps, not computing.",
        ),
        _ => finding("CPUs", State::Good, found, ""),
    })
}

fn siblings(facts: &Facts) -> Option<Finding> {
    let (cores, cpus) = (facts.cores?, facts.host_cpus? as usize);
    if cpus <= cores {
        // A hypervisor may put two of its guest's CPUs on one core and not tell.
        let found = match facts.virtualised {
            Some(true) => "every CPU is a core of its own, as far as this virtual machine is told",
            _ => "every CPU is a core of its own",
        };
        return Some(finding("SMT siblings", State::Good, found, ""));
    }
    Some(finding(
        "SMT siblings",
        State::Note,
        format!("{cpus} CPUs are {}", counted(cores as u64, "core", "cores")),
        "Two workers on one core share it: a speed-up ends near the number of cores. `taskset -c` with one CPU a core (see \
         /sys/devices/system/cpu/cpu*/topology/thread_siblings_list) keeps them apart.",
    ))
}

fn governor(facts: &Facts) -> Option<Finding> {
    Some(match facts.governor.as_deref() {
        Some("performance") => finding("CPU governor", State::Good, "performance", ""),
        Some(other) => finding(
            "CPU governor",
            State::Hurts,
            format!("{other}: the frequency follows the load, so that short runs are slower"),
            "`sudo cpupower frequency-set -g performance` until the next start.",
        ),
        // Most virtual machines; the host decides.
        None if facts.virtualised == Some(true) => {
            finding("CPU governor", State::Note, "not visible: the host of this virtual machine decides", "")
        }
        None => return None,
    })
}

fn turbo(facts: &Facts) -> Option<Finding> {
    Some(if facts.turbo? {
        finding(
            "turbo",
            State::Note,
            "on: one busy core runs faster than all, and a hot one slower than a cool one",
            "For steady figures turn it off until the next start: `echo 1 | sudo tee \
             /sys/devices/system/cpu/intel_pstate/no_turbo`, or `echo 0 | sudo tee \
             /sys/devices/system/cpu/cpufreq/boost`.",
        )
    } else {
        finding("turbo", State::Good, "off", "")
    })
}

/// Sources that a program reads without asking the kernel.
const FAST: &[&str] = &["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource"];

fn clock(facts: &Facts) -> Option<Finding> {
    let source = facts.clock_source.as_deref()?;
    Some(if FAST.contains(&source) {
        finding("clock", State::Good, source, "")
    } else {
        finding(
            "clock",
            State::Hurts,
            format!("{source}: every look at the clock is a system call, or a read from a slow device"),
            "`cat /sys/devices/system/clocksource/clocksource0/available_clocksource` names others. If `tsc` is among them, \
             `echo tsc | sudo tee …/current_clocksource`; if not, the kernel found it unsteady, and `dmesg` says why.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cpu_hurts_two_are_worth_knowing_four_are_good() {
        let state = |usable| cores(&Facts { usable_cpus: Some(usable), ..Facts::default() }).unwrap().state;
        assert_eq!([1, 2, 3, 4, 64].map(state), [State::Hurts, State::Note, State::Note, State::Good, State::Good]);
    }

    #[test]
    fn siblings_are_seen_by_fewer_cores_than_cpus() {
        let found = |cores, cpus| {
            let facts = Facts { cores: Some(cores), host_cpus: Some(cpus), ..Facts::default() };
            siblings(&facts).unwrap().found
        };
        assert_eq!(found(4, 8), "8 CPUs are 4 cores");
        assert_eq!(found(2, 2), "every CPU is a core of its own");
        let guest = Facts { cores: Some(2), host_cpus: Some(2), virtualised: Some(true), ..Facts::default() };
        assert!(siblings(&guest).unwrap().found.ends_with("as far as this virtual machine is told"));
    }

    #[test]
    fn any_governor_but_performance_hurts() {
        let state =
            |word: &str| governor(&Facts { governor: Some(word.to_owned()), ..Facts::default() }).unwrap().state;
        assert_eq!(["performance", "powersave", "schedutil"].map(state), [State::Good, State::Hurts, State::Hurts]);
        assert_eq!(governor(&Facts::default()), None);
    }

    #[test]
    fn a_clock_that_asks_the_kernel_hurts() {
        let state =
            |word: &str| clock(&Facts { clock_source: Some(word.to_owned()), ..Facts::default() }).unwrap().state;
        assert_eq!(
            ["tsc", "kvm-clock", "hpet", "xen"].map(state),
            [State::Good, State::Good, State::Hurts, State::Hurts]
        );
    }
}
