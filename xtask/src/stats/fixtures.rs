//! Hand-made plans, records and cells for the tests of this crate.

use std::path::PathBuf;
use std::time::Duration;

use protocol::{Lock, Model, Sample, Usage};

use super::summary::{CellSummary, Spread, Status, UsageSummary};
use crate::engine::failure::{Failure, FailureKind};
use crate::matrix::axis::Axes;
use crate::matrix::plan::{BatchWork, Cell, Comparison, Order, Plan, Scenario, Schedule, TaskSpec, Work};
use crate::results::record::{MachineDelta, Record, SampleRecord};

/// The checksum of every sample that states none.
pub const CHECKSUM: &str = "00000000000000ff";

/// A batch cell on the `model` axis: 8 tasks, 2 workers, no lock. [`plan`] gives it its id.
pub fn batch(model: Model) -> Cell {
    Cell {
        id: String::new(),
        axes: axes(&[("model", model.name())]),
        runtime: "rust".to_owned(),
        work: Work::Batch(BatchWork {
            model,
            workers: 2,
            lock: Lock::None,
            switch_interval: None,
            tasks: 8,
            steps: 1,
            task: TaskSpec::SumOfSquares { n: 3_000_000 },
        }),
    }
}

pub fn axes(pairs: &[(&str, &str)]) -> Axes {
    let value = |text: &str| text.parse::<u64>().map_or_else(|_| text.into(), Into::into);
    pairs.iter().map(|(name, text)| ((*name).to_owned(), value(text))).collect()
}

/// A plan of one scenario with one comparison of all cells, the first of which is the baseline; one warm-up, two runs.
pub fn plan(name: &str, compare: Option<&str>, cells: &[Cell]) -> Plan {
    let mut cells = cells.to_vec();
    for cell in &mut cells {
        let axes: Vec<String> = cell.axes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        cell.id = format!("{name}/{}", axes.join(","));
    }
    let all: Vec<usize> = (0..cells.len()).collect();
    Plan {
        file: PathBuf::from("bench-matrix.toml"),
        scenarios: vec![Scenario {
            name: name.to_owned(),
            question: Some("Which model is fastest?".to_owned()),
            compare: compare.map(str::to_owned),
            include_setup: false,
            axes: Vec::new(),
            schedule: Schedule { order: Order::Interleaved, warmups: 1, runs: 2, timeout: Duration::from_secs(60) },
            comparisons: vec![Comparison {
                fixed: Axes::new(),
                baseline: compare.and(all.first().copied()),
                cells: all,
            }],
            cells,
        }],
        runtimes: Vec::new(),
        cores: 2,
    }
}

/// A run without set-up that used two cores all the time.
pub fn sample_record(cell: &str, round: u32, warmup: bool, elapsed_ns: u64) -> SampleRecord {
    SampleRecord {
        cell: cell.to_owned(),
        round,
        warmup,
        position: u64::from(round),
        started_ns: 0,
        sample: Sample {
            elapsed_ns,
            setup_ns: 0,
            tasks: 8,
            checksum: CHECKSUM.to_owned(),
            workers: vec![4, 4],
            usage: Some(Usage {
                user_ns: Some(elapsed_ns),
                sys_ns: Some(elapsed_ns),
                peak_rss_bytes: Some(10 << 20),
                processes: Some(1),
                voluntary_switches: Some(3),
                involuntary_switches: None,
            }),
        },
        machine: MachineDelta::default(),
    }
}

pub fn sample(cell: &str, round: u32, elapsed_ns: u64) -> Record {
    Record::Sample(sample_record(cell, round, false, elapsed_ns))
}

pub fn warmup(cell: &str, round: u32, elapsed_ns: u64) -> Record {
    Record::Sample(sample_record(cell, round, true, elapsed_ns))
}

pub fn sample_with_checksum(cell: &str, round: u32, checksum: &str) -> Record {
    let mut record = sample_record(cell, round, false, 1_000_000);
    checksum.clone_into(&mut record.sample.checksum);
    Record::Sample(record)
}

pub fn failure(cell: &str, round: u32, kind: FailureKind, reason: &str) -> Record {
    let failure = Failure { kind, reason: reason.to_owned(), stderr_tail: vec!["thread panicked".to_owned()] };
    Record::Failure { cell: cell.to_owned(), round, warmup: false, failure }
}

/// A measured cell with these elapsed times.
pub fn cell(id: &str, elapsed_ns: &[u64]) -> CellSummary {
    CellSummary {
        id: id.to_owned(),
        axes: Axes::new(),
        status: Status::Ok,
        reason: None,
        failure: None,
        stderr_tail: Vec::new(),
        runs: u32::try_from(elapsed_ns.len()).unwrap(),
        elapsed_ns: Spread::of(elapsed_ns.to_vec()),
        setup_ns: Spread::of(vec![0; elapsed_ns.len()]),
        throughput_per_s: None,
        ratio: None,
        verdict: None,
        by_worker: None,
        imbalance: None,
        cores_used: None,
        usage: UsageSummary::default(),
        checksum: None,
        flags: Vec::new(),
        notes: Vec::new(),
    }
}
