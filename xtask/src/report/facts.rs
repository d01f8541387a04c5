//! What a result was taken with and on, in words: the head of its tables and of its page.

use std::time::Duration;

use super::format::{UNKNOWN, or_unknown, significant};
use super::standing;
use super::units::{bytes, time};
use crate::number::{grouped, roughly};
use crate::results::Environment;
use crate::results::machine::Machine;
use crate::stats::summary::{Flag, MachineSummary, Summary};

/// One fact.
pub(super) struct Fact {
    /// What it is about.
    pub what: &'static str,
    /// What is known.
    pub said: Said,
}

/// How a fact is written.
pub(super) enum Said {
    /// Words, as they are.
    Words(String),
    /// What somebody typed.
    Typed(String),
}

/// All facts. Texts are as they are: who writes them down escapes them.
pub(super) fn facts(summary: &Summary, environment: &Environment) -> Vec<Fact> {
    let wall = roughly(Duration::from_nanos(summary.wall_ns));
    let words = |what, words| Fact { what, said: Said::Words(words) };
    vec![
        words("machine", machine(&environment.machine)),
        words(
            "when",
            format!("{}, took {wall}{}{}", summary.started, prepared(summary), resumed(&environment.resumed)),
        ),
        words("commit", or_unknown(environment.commit())),
        words("built with", format!("{}, profile {}", or_unknown(environment.rustc.clone()), environment.profile)),
        Fact { what: "command", said: Said::Typed(environment.command_line.join(" ")) },
        words("seed", environment.seed.to_string()),
        words("calibration", calibration(environment)),
        words("how quiet", quiet(summary, &environment.machine)),
        words("noise floors", standing::all_floors(summary).unwrap_or_else(|| "none: nothing was judged".to_owned())),
        words("own time", own_time(summary)),
    ]
}

/// Building and counting between scenarios, where it took a while.
fn prepared(summary: &Summary) -> String {
    match Duration::from_nanos(summary.prepared_ns) {
        brief if brief < Duration::from_secs(1) => String::new(),
        long => format!(", of it {} between scenarios for building and counting", roughly(long)),
    }
}

/// The time between the parts of a run that was interrupted is in no figure.
fn resumed(times: &[String]) -> String {
    if times.is_empty() { String::new() } else { format!(", resumed at {} (the gaps are left out)", times.join(", ")) }
}

/// The machine in a line.
pub(super) fn machine(machine: &Machine) -> String {
    let mut parts = vec![machine.cpu_model.clone().unwrap_or_else(|| machine.arch.clone())];
    if let Some(usable) = machine.usable_cpus {
        let of_host = machine.host_cpus.filter(|&host| host != usable).map(|host| format!(" of {host}"));
        parts.push(format!("{usable} usable CPUs{}", of_host.unwrap_or_default()));
    }
    parts.extend(machine.quota_cpus.map(|quota| format!("quota of {} CPUs", significant(quota, 3))));
    parts.extend(machine.memory_bytes.map(bytes));
    parts.push(format!("{} {}", machine.os, machine.kernel.as_deref().unwrap_or("")).trim().to_owned());
    parts.extend(machine.governor.as_deref().map(|governor| format!("governor {governor}")));
    parts.extend(machine.virtualised.filter(|&is| is).map(|_| "virtual machine".to_owned()));
    parts.join(", ")
}

fn calibration(environment: &Environment) -> String {
    let rate = |(runtime, figure): (&String, &crate::engine::calibrate::Calibration)| {
        format!("{runtime} {} million iterations a second", significant(figure.iterations_per_s / 1e6, 4))
    };
    let rates: Vec<String> = environment.calibration.iter().map(rate).collect();
    if rates.is_empty() { "not needed: no cell states CPU work as time".to_owned() } else { rates.join(", ") }
}

/// What the orchestrator and the starts and ends of workers took, beside what is measured.
fn own_time(summary: &Summary) -> String {
    let runs: u64 = summary.cells().map(|cell| u64::from(cell.runs)).sum();
    // Twins, and runs that were made again, belong to no cell.
    let runs = runs.max(summary.machine.counted_runs.into());
    let own_ns = [summary.prepared_ns, summary.measured_ns, summary.warmup_ns]
        .iter()
        .fold(summary.wall_ns, |rest, it| rest.saturating_sub(*it));
    match own_ns.checked_div(runs) {
        Some(ns) => format!("{} a counted run, with the start and the end of its processes", time(ns, None)),
        None => UNKNOWN.to_owned(),
    }
}

/// How much of the machine others took meanwhile.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn quiet(summary: &Summary, machine: &Machine) -> String {
    let ran_ns = (summary.measured_ns + summary.warmup_ns) as f64;
    let per_cent = |ns: Option<u64>, cpus: Option<u32>| {
        let whole_ns = ran_ns * f64::from(cpus.unwrap_or(1));
        ns.filter(|_| whole_ns > 0.0).map(|ns| format!("{:.1} %", ns as f64 * 100.0 / whole_ns))
    };
    // Stolen time is added up over the host's CPUs, so it is held against the time of all of them.
    let stolen = match per_cent(summary.machine.stolen_ns, machine.host_cpus) {
        Some(share) => format!("{share} of CPU time was stolen"),
        None => "stolen CPU time is not known".to_owned(),
    };
    let throttled = match summary.machine.throttled_ns {
        Some(0) => "nothing was throttled".to_owned(),
        Some(ns) => format!("throttled for {} ms", significant(ns as f64 / 1e6, 3)),
        None => "throttling is not known".to_owned(),
    };
    let others = match per_cent(summary.machine.others_ns, machine.affinity_cpus.or(machine.usable_cpus)) {
        Some(share) => format!("other programs used {share} of the CPUs"),
        None => "what other programs used is not known".to_owned(),
    };
    format!("{stolen}, {throttled}, {others}; {}", disturbed(summary))
}

/// How many runs that disturbed.
fn disturbed(summary: &Summary) -> String {
    let MachineSummary { disturbed_runs, repeated_runs, counted_runs, .. } = summary.machine;
    if counted_runs == 0 {
        // A result from before runs were looked at one by one.
        let flagged = summary.cells().filter(|cell| cell.flags.contains(&Flag::Disturbed)).count();
        let cells = grouped(u64::try_from(summary.cells().count()).unwrap_or(u64::MAX));
        return format!("{flagged} of {cells} cells are flagged as disturbed");
    }
    let again = match repeated_runs {
        0 => String::new(),
        some => format!(", and {} made again", grouped(some.into())),
    };
    format!("{} of {} runs were disturbed{again}", grouped(disturbed_runs.into()), grouped(counted_runs.into()))
}
