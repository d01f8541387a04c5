//! A found result, as far as it can be read. What is wrong with it is said, and what is left is used.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};

use super::environment::{self, Environment};
use super::figures::{Figures, Values};
use super::find::Found;
use super::folder::{ENVIRONMENT, MATRIX, SAMPLES, SUMMARY};
use super::name;
use super::publication::{self, Publication};
use super::read::parse_document;
use super::record::Record;
use super::salvage::salvage;
use crate::matrix::plan::{Plan, baseline_of};
use crate::matrix::{self, LoadOptions};
use crate::number::counted;
use crate::stats::floor::KnownFloors;
use crate::stats::spread::median;
use crate::stats::summary::{self, Summary};
use crate::stats::{RunTimes, summarise};

/// A result that has been read.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// How it is called in what people read.
    pub name: String,
    /// The figures.
    pub figures: Figures,
    /// What they were taken with and on; `None` where that is not known.
    pub environment: Option<Environment>,
    /// Who published them where, if they are not of ours.
    pub publication: Option<Publication>,
    /// The matrix file; `None` where it is missing.
    pub matrix: Option<String>,
    /// Sentences for a person: what was not as it should be.
    pub notes: Vec<String>,
}

/// Reads a result. Without `summary.json` the figures are made again from the matrix and the samples.
///
/// # Errors
/// There is nothing in it that figures could be taken from, or a newer version wrote it.
pub fn load(found: &Found) -> anyhow::Result<Loaded> {
    let mut notes = Vec::new();
    let environment = optional::<Environment>(found, ENVIRONMENT, environment::SCHEMA, &mut notes)?;
    let publication = optional::<Publication>(found, publication::FILE, publication::SCHEMA, &mut notes)?;
    let matrix = found.file(MATRIX)?.and_then(|text| String::from_utf8(text).ok());
    if environment.is_none() && publication.is_none() {
        notes.push(format!("`{}` has no {ENVIRONMENT}: its machine is not known.", found.name));
    }
    let mut loaded = Loaded {
        name: found.name.clone(),
        figures: Figures { complete: false, started: String::new(), scenarios: Vec::new() },
        environment,
        publication,
        matrix,
        notes,
    };
    loaded.figures = match found.file(SUMMARY)? {
        Some(content) => match parse_document::<Figures>(&content, summary::SCHEMA, &found.shown(SUMMARY)) {
            Ok(figures) => {
                if !figures.complete {
                    loaded.notes.push(format!("`{}` was interrupted: not every run was made.", found.name));
                }
                figures
            }
            Err(error) if is_newer(&error) => return Err(error),
            Err(error) => loaded.made_again(found, &format!("{error:#}"))?,
        },
        None => loaded.made_again(found, &format!("`{}` has no {SUMMARY}", found.name))?,
    };
    sanitise(&mut loaded);
    Ok(loaded)
}

/// A newer version wrote it: there may be samples that we can read, but nobody should compare half of a result.
fn is_newer(error: &anyhow::Error) -> bool {
    error.to_string().contains("this version of Parallax reads up to")
}

/// A document that a comparison can do without.
fn optional<T: serde::de::DeserializeOwned>(
    found: &Found,
    file: &str,
    known: u32,
    notes: &mut Vec<String>,
) -> anyhow::Result<Option<T>> {
    let Some(content) = found.file(file)? else { return Ok(None) };
    match parse_document(&content, known, &found.shown(file)) {
        Ok(document) => Ok(Some(document)),
        Err(error) => {
            notes.push(format!("{error:#}. It is left aside."));
            Ok(None)
        }
    }
}

impl Loaded {
    /// Whether the small sizes of `--quick` were used.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.options().any(|word| word == "--quick" || word == "--smoke")
    }

    /// Usable CPUs of the machine, which `workers = "cores"` stood for.
    #[must_use]
    pub fn cores(&self) -> Option<u32> {
        match &self.publication {
            Some(publication) => Some(publication.cores),
            None => self.environment.as_ref()?.machine.usable_cpus,
        }
    }

    /// The plan that was run, before patterns narrowed it down, on a machine with so many CPUs; `None` where the matrix is
    /// missing or this version cannot read it.
    #[must_use]
    pub fn plan(&self, cores: Option<u32>) -> Option<Plan> {
        let cores = cores.unwrap_or_else(matrix::usable_cores);
        let options = LoadOptions { quick: self.is_quick(), cores, allow_remote: true };
        let mut plan = matrix::parse(Path::new(MATRIX), self.matrix.clone()?, &options).ok()?;
        if self.options().any(|word| word == "--smoke") {
            plan.override_schedule(Some(1), Some(0));
        }
        plan.override_schedule(self.option("--runs"), self.option("--warmups"));
        Some(plan)
    }

    fn options(&self) -> impl Iterator<Item = &str> {
        self.environment.iter().flat_map(|environment| environment.command_line.iter().map(String::as_str))
    }

    /// The value of `--runs 9` or `--runs=9`.
    fn option(&self, name: &str) -> Option<u32> {
        let words: Vec<&str> = self.options().collect();
        words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(name)? {
            "" => words.get(at + 1)?.parse().ok(),
            rest => rest.strip_prefix('=')?.parse().ok(),
        })
    }

    /// Figures from the matrix and the samples.
    fn made_again(&mut self, found: &Found, why: &str) -> anyhow::Result<Figures> {
        let Some(content) = found.file(SAMPLES)? else {
            bail!("{why}, and no {SAMPLES} to make it from: there is nothing to compare");
        };
        let salvaged = salvage(&content, &found.shown(SAMPLES))?;
        let plan = self.plan(self.cores()).with_context(|| {
            format!(
                "{why}, and no {MATRIX} that this version can read, which would be needed to make it from the samples"
            )
        })?;
        self.notes.push(format!(
            "{why}: the figures are made again from the samples; whether all runs were made is not known."
        ));
        self.notes.extend(salvaged.notes);
        self.notes.extend(strangers(&plan, &salvaged.records));
        Ok(Figures::from(&remake(plan, &salvaged.records, &found.folder)))
    }
}

/// Sums up the cells that there are records of. Whether all were there that should be cannot be known.
fn remake(mut plan: Plan, records: &[Record], folder: &str) -> Summary {
    let known: HashSet<&str> = records.iter().filter_map(cell_of).collect();
    for scenario in &mut plan.scenarios {
        let keep: Vec<bool> = scenario.cells.iter().map(|cell| known.contains(cell.id.as_str())).collect();
        scenario.keep(&keep);
    }
    plan.scenarios.retain(|scenario| !scenario.cells.is_empty());
    let last_ns = records.iter().map(|record| match record {
        Record::Sample(sample) => sample.started_ns.saturating_add(sample.sample.elapsed_ns()),
        _ => 0,
    });
    let wall_ns = last_ns.max().unwrap_or(0);
    let started = started(folder);
    let from = started.unwrap_or(SystemTime::UNIX_EPOCH);
    // A hand-edited time may lie beyond what a clock can tell.
    let ended = from.checked_add(Duration::from_nanos(wall_ns)).filter(|end| *end < last_year()).unwrap_or(from);
    let times = RunTimes { started: from, ended, wall_ns, prepared_ns: 0, complete: false };
    let mut summary = summarise(&plan, records, &times, &KnownFloors::default());
    if started.is_none() {
        summary.started = "unknown".to_owned();
        summary.ended = "unknown".to_owned();
    }
    summary
}

/// What is said of cells that there are records of and no plan: of a runtime that the command line named, or of a matrix
/// that somebody has edited since.
fn strangers(plan: &Plan, records: &[Record]) -> Option<String> {
    /// Named one by one before they are only counted.
    const NAMED: usize = 3;
    let planned: HashSet<&str> =
        plan.scenarios.iter().flat_map(|scenario| &scenario.cells).map(|cell| cell.id.as_str()).collect();
    let of_cell = |id: &str| !planned.contains(baseline_of(id).unwrap_or(id));
    let strangers: BTreeSet<&str> = records.iter().filter_map(cell_of).filter(|id| of_cell(id)).collect();
    let shown: Vec<String> = strangers.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
    let more = if strangers.len() > NAMED { ", …" } else { "" };
    (!strangers.is_empty()).then(|| {
        format!(
            "{} not in {MATRIX} and left out: {}{more}.",
            counted(strangers.len() as u64, "cell with samples is", "cells with samples are"),
            shown.join(", ")
        )
    })
}

/// The end of the year 9999, which is the last that RFC 3339 can write.
fn last_year() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799)
}

fn cell_of(record: &Record) -> Option<&str> {
    match record {
        Record::Sample(sample) => Some(&sample.cell),
        Record::Failure { cell, .. } => Some(cell),
        _ => None,
    }
}

fn started(folder: &str) -> Option<SystemTime> {
    name::is_result(folder).then(|| humantime::parse_rfc3339(&(name::date(folder).replace(' ', "T") + "Z")).ok())?
}

/// Takes figures away that no run can have. A person may have edited the file; nobody should believe what follows.
fn sanitise(loaded: &mut Loaded) {
    let notes = &mut loaded.notes;
    for cell in loaded.figures.scenarios.iter_mut().flat_map(|scenario| &mut scenario.cells) {
        for (what, figure) in [("elapsed time", &mut cell.elapsed_ns), ("throughput", &mut cell.throughput_per_s)] {
            let Some(values) = figure else { continue };
            match fault(values) {
                None => {}
                Some(Fault::Impossible(value)) => {
                    notes.push(format!("`{}`: its {what} has a value of {value}; the cell is left aside.", cell.id));
                    *figure = None;
                }
                Some(Fault::OtherMedian(median)) => {
                    notes.push(format!(
                        "`{}`: its {what} says a median of {}, and that of its runs is {median}, which counts.",
                        cell.id, values.median
                    ));
                    values.median = median;
                }
            }
        }
    }
    let scenarios = loaded.figures.scenarios.iter_mut();
    for row in scenarios.flat_map(|scenario| &mut scenario.comparisons).flat_map(|comparison| &mut comparison.rows) {
        let is_ratio = |value: f64| value.is_finite() && value > 0.0;
        if let Some(ratio) = row.ratio.filter(|ratio| !is_ratio(ratio.value)) {
            notes.push(format!("`{}`: its ratio is {}, and is left aside.", row.cell, ratio.value));
            row.ratio = None;
        }
        if let Some(ratio) = &mut row.ratio
            && let Some((low, high)) = ratio.low.zip(ratio.high)
            && !(is_ratio(low) && is_ratio(high) && low <= high)
        {
            notes.push(format!("`{}`: its ratio has an interval from {low} to {high}, which is left aside.", row.cell));
            (ratio.low, ratio.high, ratio.confidence) = (None, None, None);
        }
    }
}

enum Fault {
    Impossible(f64),
    OtherMedian(f64),
}

fn fault(values: &Values) -> Option<Fault> {
    // 0 is what a clock says of something that is too short for it.
    let all = values.values.iter().chain([&values.median]);
    if let Some(value) = all.into_iter().find(|value| !value.is_finite() || **value < 0.0) {
        return Some(Fault::Impossible(*value));
    }
    let real = median(&values.values)?;
    // The mean of two whole numbers is rounded down.
    let is_off = (real - values.median).abs() > 1.0 + real * 1e-9;
    is_off.then_some(Fault::OtherMedian(real))
}
