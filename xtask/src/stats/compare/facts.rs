//! What differs between the machines, matrices and programs of two results.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Side;
use crate::report::format::significant;
use crate::report::units::bytes;
use crate::results::Environment;
use crate::results::load::Loaded;
use crate::results::machine::Machine;

/// One fact that is not the same in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is about.
    pub about: About,
    /// Which fact.
    pub what: String,
    /// In the base; `None` where it is not known.
    pub base: Option<String>,
    /// In the new result.
    pub new: Option<String>,
}

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The machine.
    Machine,
    /// The matrix.
    Matrix,
    /// What was run.
    Program,
}

/// A result in a few words.
#[must_use]
pub fn side(result: &Loaded) -> Side {
    let machine = result.environment.as_ref().map(|environment| &environment.machine);
    let words = match (&result.publication, machine) {
        (Some(publication), _) => publication.machine.clone(),
        (None, Some(machine)) => machine.cpu_model.clone().unwrap_or_else(|| machine.arch.clone()),
        (None, None) => "unknown machine".to_owned(),
    };
    Side {
        name: result.name.clone(),
        started: result.publication.is_none().then(|| result.figures.started.clone()),
        machine: words,
        cpus: result.cores(),
        is_published: result.publication.is_some(),
    }
}

/// Whether times of the two can be held against each other, and what forbids it: a machine that is another one or not
/// known, or figures that somebody else published.
///
/// # Errors
/// The reason, as a sentence.
pub fn same_machine(base: &Loaded, new: &Loaded) -> Result<(), String> {
    for side in [base, new] {
        if let Some(publication) = &side.publication {
            return Err(format!("`{}` was published by {}, measured elsewhere", side.name, publication.author));
        }
    }
    let fingerprint = |side: &Loaded| {
        let environment = side.environment.as_ref()?;
        Some(environment.machine.fingerprint.clone()).filter(|text| !text.is_empty())
    };
    match (fingerprint(base), fingerprint(new)) {
        (Some(base), Some(new)) if base == new => Ok(()),
        (Some(_), Some(_)) => Err("they were measured on different machines".to_owned()),
        _ => Err("it is not known whether both were measured on the same machine".to_owned()),
    }
}

/// Everything that is not the same.
#[must_use]
pub fn differences(base: &Loaded, new: &Loaded) -> Vec<Difference> {
    let mut all = Differences(Vec::new());
    if let (Some(base), Some(new)) = (&base.environment, &new.environment) {
        all.0 = environments(base, new);
    }
    if base.publication.is_none() && new.publication.is_none() {
        let text = |side: &Loaded| side.matrix.as_ref().map(|text| format!("{} bytes", text.len()));
        if base.matrix != new.matrix {
            // Two texts of one length are not the same text.
            all.push(About::Matrix, "matrix.toml", text(base), text(new).map(|text| text + ", another text"));
        }
        all.note(About::Matrix, "sizes", Some(sizes(base)), Some(sizes(new)));
    }
    all.0
}

/// Everything about machine and programs that is not the same.
#[must_use]
pub fn environments(base: &Environment, new: &Environment) -> Vec<Difference> {
    let mut all = Differences(Vec::new());
    machine(&mut all, &base.machine, &new.machine);
    program(&mut all, base, new);
    all.0
}

fn sizes(side: &Loaded) -> String {
    if side.is_quick() { "--quick" } else { "full" }.to_owned()
}

struct Differences(Vec<Difference>);

impl Differences {
    /// Takes note of a fact if it differs.
    fn note(&mut self, about: About, what: &str, base: Option<String>, new: Option<String>) {
        if base != new {
            self.push(about, what, base, new);
        }
    }

    fn push(&mut self, about: About, what: &str, base: Option<String>, new: Option<String>) {
        self.0.push(Difference { about, what: what.to_owned(), base, new });
    }
}

fn machine(all: &mut Differences, base: &Machine, new: &Machine) {
    let facts: [(&str, fn(&Machine) -> Option<String>); 11] = [
        ("system", |it| Some(format!("{} {}", it.os, it.arch))),
        ("CPU", |it| it.cpu_model.clone()),
        ("usable CPUs", |it| it.usable_cpus.map(|cpus| cpus.to_string())),
        ("affinity", |it| it.affinity_cpus.map(|cpus| format!("{cpus} CPUs"))),
        // No quota and an unknown one look alike in a result; that both have none is the usual case.
        ("quota", |it| Some(it.quota_cpus.map_or_else(|| "none".to_owned(), |cpus| format!("{cpus} CPUs")))),
        ("CPUs of the host", |it| it.host_cpus.map(|cpus| cpus.to_string())),
        ("kernel", |it| it.kernel.clone()),
        // Kernels keep a little more or less for themselves.
        ("memory", |it| it.memory_bytes.map(|size| bytes(size.saturating_add(1 << 29) >> 30 << 30))),
        ("governor", |it| it.governor.clone()),
        ("virtual machine", |it| it.virtualised.map(|is| if is { "yes" } else { "no" }.to_owned())),
        ("fingerprint", |it| Some(it.fingerprint.chars().take(7).collect())),
    ];
    for (what, fact) in facts {
        all.note(About::Machine, what, fact(base), fact(new));
    }
}

fn program(all: &mut Differences, base: &Environment, new: &Environment) {
    let facts: [(&str, fn(&Environment) -> Option<String>); 4] = [
        ("Parallax", |it| Some(it.parallax.clone())),
        ("rustc", |it| it.rustc.clone()),
        ("profile", |it| Some(it.profile.clone())),
        ("commit", Environment::commit),
    ];
    for (what, fact) in facts {
        all.note(About::Program, what, fact(base), fact(new));
    }
    let hash = |of: &Environment, name: &str| {
        let worker = of.workers.iter().find(|worker| worker.name == name)?;
        Some(worker.sha256.as_ref()?.chars().take(10).collect::<String>())
    };
    // A worker that one of the two did not need says nothing.
    let names: BTreeSet<&str> = base.workers.iter().map(|worker| worker.name.as_str()).collect();
    for name in names.into_iter().filter(|name| new.workers.iter().any(|worker| worker.name == **name)) {
        all.note(About::Program, &format!("program {name}"), hash(base, name), hash(new, name));
    }
    for (runtime, ours) in &base.runtimes {
        if let Some(theirs) = new.runtimes.get(runtime) {
            all.note(About::Program, &format!("runtime {runtime}"), ours.version.clone(), theirs.version.clone());
        }
    }
    for (runtime, ours) in &base.calibration {
        if let Some(theirs) = new.calibration.get(runtime) {
            let rate = |per_s: f64| Some(format!("{} million steps a second", significant(per_s / 1e6, 4)));
            let what = format!("calibration of {runtime}");
            all.note(About::Program, &what, rate(ours.iterations_per_s), rate(theirs.iterations_per_s));
        }
    }
}

/// By how much the steps differ that one second of CPU work stands for, as a share, where that is worth a sentence.
#[must_use]
pub fn calibration_note(base: &Loaded, new: &Loaded) -> Vec<String> {
    /// As much as two calibrations of a quiet machine differ.
    const WORTH_SAYING: f64 = 0.005;
    let (Some(base), Some(new)) = (&base.environment, &new.environment) else { return Vec::new() };
    let drift = |(runtime, ours): (&String, &crate::engine::calibrate::Calibration)| {
        let share = new.calibration.get(runtime)?.iterations_per_s / ours.iterations_per_s - 1.0;
        (share.is_finite() && share.abs() > WORTH_SAYING).then(|| {
            format!(
                "CPU work of {runtime} that the matrix gives as a time (`cpu = …`) was {} % {} steps in the new result: so \
                 much of a change in such cells is work, not speed.",
                significant(share.abs() * 100.0, 2),
                if share > 0.0 { "more" } else { "fewer" },
            )
        })
    };
    base.calibration.iter().filter_map(drift).collect()
}
