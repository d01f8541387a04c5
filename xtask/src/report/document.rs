//! `tables.md`: all tables of a result, what they were taken with and on, and how to read them.

use std::time::Duration;

use super::footnotes::status_word;
use super::format::{UNKNOWN, significant};
use super::http::is_http;
use super::markdown::{code, code_block, escape, table};
use super::plot::{Plot, Plots};
use super::scenario_table::scenario_table;
use super::standing;
use super::units::{bytes, time};
use crate::number::{grouped, roughly};
use crate::results::Environment;
use crate::results::machine::Machine;
use crate::stats::summary::{CellSummary, Flag, MachineSummary, Status, Summary};

const HOW_TO_READ: &str = "## How to read this

- **median** is the middle one of the counted runs; **min–max** are the fastest and the slowest of them. Warm-ups do not \
count.
- **ratio** is a speed ratio, the baseline's median over the row's: above 1.00 is faster than the baseline. It is \
taken from the medians. In brackets stands its interval: intervals that are made like this cover the true ratio as often \
as is said below the table. **▲** is faster and **▼** slower than the baseline: the interval excludes 1, and the change \
exceeds the noise floor, which is how far two equal cells seem to differ on this machine. **?** cannot be told; it never means equal.
- **cores** is CPU time over the time it covers, set-up included: how many cores were really used. **peak mem** adds up \
all processes of the worker.
- `–` is not known, or does not apply. It is never 0.
- A failed cell has no figures, and takes part in no ratio. The words in **notes** are explained in `docs/flags.md`.
- All of the statistics is explained in `docs/statistics.md`.
- Locks are emulations, and are called by what they emulate: `gil` is CPython's, `gvl` is Ruby's.
";

/// Goes on where the other ends.
const HOW_TO_READ_HTTP: &str = "- **req/s** is right answers a second, the middle one of the counted runs. Its \
**ratio** is the row's over the baseline's; **≥** and **≤** mark one that the load generator held back.
- **p50**, **p95**, **p99**: half, 95 % and 99 % of the right answers took no longer, all counted runs together. In a \
closed loop latency follows from throughput: it is about connections over requests a second. In an open loop it begins \
when the request should have been sent, **service** when it was sent, and **lag** is how late the client was.
- **by worker** is the requests that each worker answered, all counted runs together: `4/4`, or `8×4`, or `8×3–5`.
- **server** and **client** are the cores that they used. `docs/latency.md` says how all this is measured.
";

/// The text of `tables.md`, without pictures.
#[must_use]
pub fn document(summary: &Summary, environment: &Environment) -> String {
    document_with(summary, environment, &Plots::default())
}

/// The text of `tables.md`, with links to the pictures, which lie beside it: each below its table.
#[must_use]
pub fn document_with(summary: &Summary, environment: &Environment, plots: &Plots) -> String {
    let mut text = "# Results\n\n".to_owned();
    for (what, said) in head(summary, environment) {
        text += &format!("- {what}: {said}\n");
    }
    text.extend(plots.overview.iter().map(image));
    for (index, scenario) in summary.scenarios.iter().enumerate() {
        text.push('\n');
        text += &table(&scenario_table(scenario));
        text.extend(plots.scenarios.get(index).into_iter().flatten().map(image));
    }
    text += &failures(summary);
    text.push('\n');
    text += HOW_TO_READ;
    if summary.scenarios.iter().any(is_http) {
        text += HOW_TO_READ_HTTP;
    }
    text
}

/// A picture as a paragraph of its own. Names of files need no escape.
fn image(plot: &Plot) -> String {
    format!("\n![{}]({})\n", escape(&plot.alt), plot.name)
}

fn head(summary: &Summary, environment: &Environment) -> Vec<(&'static str, String)> {
    let wall = roughly(Duration::from_nanos(summary.wall_ns));
    let complete = if summary.complete { "" } else { ", **interrupted**: not every run was made" };
    let known = |value: Option<&str>| value.map_or_else(|| UNKNOWN.to_owned(), escape);
    vec![
        ("machine", machine(&environment.machine)),
        (
            "when",
            format!("{}, took {wall}{}{complete}{}", summary.started, prepared(summary), resumed(&environment.resumed)),
        ),
        ("commit", known(environment.commit().as_deref())),
        ("built with", format!("{}, profile {}", known(environment.rustc.as_deref()), escape(&environment.profile))),
        ("command", code(&environment.command_line.join(" "))),
        ("seed", environment.seed.to_string()),
        ("calibration", calibration(environment)),
        ("how quiet", quiet(summary, &environment.machine)),
        ("noise floors", standing::all_floors(summary).unwrap_or_else(|| "none: nothing was judged".to_owned())),
        ("own time", own_time(summary)),
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

fn machine(machine: &Machine) -> String {
    let mut parts = vec![machine.cpu_model.as_deref().map_or_else(|| machine.arch.clone(), escape)];
    if let Some(usable) = machine.usable_cpus {
        let of_host = machine.host_cpus.filter(|&host| host != usable).map(|host| format!(" of {host}"));
        parts.push(format!("{usable} usable CPUs{}", of_host.unwrap_or_default()));
    }
    parts.extend(machine.quota_cpus.map(|quota| format!("quota of {} CPUs", significant(quota, 3))));
    parts.extend(machine.memory_bytes.map(bytes));
    parts.push(format!("{} {}", machine.os, machine.kernel.as_deref().unwrap_or("")).trim().to_owned());
    parts.extend(machine.governor.as_deref().map(|governor| format!("governor {}", escape(governor))));
    parts.extend(machine.virtualised.filter(|&is| is).map(|_| "virtual machine".to_owned()));
    parts.join(", ")
}

fn calibration(environment: &Environment) -> String {
    let rate = |(runtime, figure): (&String, &crate::engine::calibrate::Calibration)| {
        format!("{} {} million iterations a second", escape(runtime), significant(figure.iterations_per_s / 1e6, 4))
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

/// The cells without figures, with all that is known of why.
fn failures(summary: &Summary) -> String {
    let mut text = String::new();
    for cell in summary.cells().filter(|cell| cell.status != Status::Ok) {
        let CellSummary { id, status, reason, stderr_tail, .. } = cell;
        let reason = reason.as_deref().map(escape).unwrap_or_default();
        text += &format!("\n### {}\n\n{}: {reason}\n", escape(id), status_word(*status));
        if !stderr_tail.is_empty() {
            text += &format!("\nThe last lines of its stderr:\n\n{}", code_block(stderr_tail));
        }
    }
    if text.is_empty() { text } else { format!("\n## Cells without figures\n{text}") }
}
