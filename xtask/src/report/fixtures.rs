//! Summaries made by hand.

use crate::matrix::axis::Axis;
use crate::matrix::axis::AxisValue;
use crate::stats::fixtures::{axes, cell};
use crate::stats::summary::{
    CellSummary, ComparisonRow, ComparisonSummary, Flag, MachineSummary, Ratio, SCHEMA, ScenarioSummary, Spread,
    Status, Summary,
};

pub fn measured(id: &str, coordinates: &[(&str, &str)], elapsed_us: &[u64]) -> CellSummary {
    let elapsed: Vec<u64> = elapsed_us.iter().map(|us| us * 1_000).collect();
    let mut cell = cell(id, &elapsed);
    cell.axes = axes(coordinates);
    cell.throughput_per_s = Spread::of(vec![8.0; elapsed.len()]);
    cell.cores_used = Some(1.0);
    cell.usage.peak_rss_bytes = Some(12_897_485);
    cell.checksum = Some("00000000000000ff".to_owned());
    cell
}

pub fn failed(id: &str, coordinates: &[(&str, &str)], status: Status, reason: &str) -> CellSummary {
    let mut failed = cell(id, &[]);
    failed.axes = axes(coordinates);
    failed.status = status;
    failed.reason = Some(reason.to_owned());
    failed
}

pub fn axis(name: &str, values: &[&str]) -> Axis {
    let values = values.iter().map(|value| axes(&[(name, value)])[name].clone()).collect();
    Axis { name: name.to_owned(), values }
}

/// The baseline is the first id; a ratio that is 0 is unknown.
pub fn comparison(fixed: &[(&str, &str)], rows: &[(&str, f64)]) -> ComparisonSummary {
    let ratio = |value| Ratio { value, low: None, high: None, confidence: None, bound: None };
    ComparisonSummary {
        fixed: axes(fixed),
        baseline: rows.first().map(|(id, _)| (*id).to_owned()),
        rows: rows
            .iter()
            .map(|(id, value)| ComparisonRow {
                cell: (*id).to_owned(),
                ratio: (*value > 0.0).then(|| ratio(*value)),
                verdict: None,
            })
            .collect(),
        floor: None,
        conclusion: None,
    }
}

pub fn scenario(name: &str, compare: &str, axes: Vec<Axis>, cells: Vec<CellSummary>) -> ScenarioSummary {
    let settings = [("op", "burn".into()), ("tasks", AxisValue::Number(8))];
    ScenarioSummary {
        name: name.to_owned(),
        kind: "batch".to_owned(),
        question: Some("Which is fastest?".to_owned()),
        compare: Some(compare.to_owned()),
        include_setup: false,
        warmups: 1,
        runs: 3,
        order: "interleaved".to_owned(),
        axes,
        settings: settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        cells,
        comparisons: Vec::new(),
        scaling: Vec::new(),
    }
}

pub fn summary(scenarios: Vec<ScenarioSummary>) -> Summary {
    Summary {
        schema: SCHEMA,
        complete: true,
        started: "2026-11-30T17:15:22Z".to_owned(),
        ended: "2026-11-30T17:16:36Z".to_owned(),
        wall_ns: 74_000_000_000,
        measured_ns: 50_000_000_000,
        warmup_ns: 10_000_000_000,
        machine: MachineSummary {
            stolen_ns: Some(600_000_000),
            throttled_ns: Some(0),
            others_ns: Some(1_500_000_000),
            disturbed_runs: 2,
            repeated_runs: 1,
            counted_runs: 14,
        },
        scenarios,
    }
}

/// Models under two locks, one of them failed, one flagged.
pub fn long() -> ScenarioSummary {
    let id = |model: &str, lock: &str| format!("cpu-bound/model={model},lock={lock}");
    let at = |model: &'static str, lock: &'static str| [("model", model), ("lock", lock)];
    let cell = |model, lock, us: &[u64]| measured(&id(model, lock), &at(model, lock), us);
    let mut processes = cell("processes", "gil", &[397_000, 395_000, 640_000]);
    processes.flags = vec![Flag::Outlier];
    processes.notes = vec!["round 3 took 1.61 times the median".to_owned()];
    processes.cores_used = Some(2.0);
    let mut broken = failed(
        &id("threads", "none"),
        &at("threads", "none"),
        Status::Failed,
        "in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.",
    );
    broken.stderr_tail = vec!["thread 'main' panicked".to_owned()];
    let cells = vec![
        cell("sequential", "gil", &[1_151_000, 1_150_000, 1_160_000]),
        cell("threads", "gil", &[1_095_000, 1_090_000, 1_101_000]),
        processes,
        cell("sequential", "none", &[834_000, 830_000, 840_000]),
        broken,
    ];
    let mut scenario = scenario(
        "cpu-bound",
        "model",
        vec![axis("model", &["sequential", "threads", "processes"]), axis("lock", &["gil", "none"])],
        cells,
    );
    scenario.comparisons = vec![
        comparison(
            &[("lock", "gil")],
            &[(&id("sequential", "gil"), 1.0), (&id("threads", "gil"), 1.0511), (&id("processes", "gil"), 2.8992)],
        ),
        comparison(&[("lock", "none")], &[(&id("sequential", "none"), 1.0), (&id("threads", "none"), 0.0)]),
    ];
    scenario
}

/// The second article's micro-benchmark: tasks and locks, 1 and 4 loops.
pub fn pivot() -> ScenarioSummary {
    let id = |task: &str, workers: &str, lock: &str| format!("multi-loop/task={task},workers={workers},lock={lock}");
    let mut cells = Vec::new();
    let mut comparisons = Vec::new();
    let figures: [(&'static str, &'static str, u64, u64, f64); 4] = [
        ("gil", "io", 55_800, 58_600, 0.95),
        ("gil", "cpu", 1_628_900, 1_651_100, 0.99),
        ("none", "io", 55_600, 57_900, 0.96),
        ("none", "cpu", 1_513_900, 488_100, 3.10),
    ];
    for (lock, task, one, four, ratio) in figures {
        let mut pair = [("1", one, 1.0), ("4", four, ratio)].map(|(workers, us, cores)| {
            let coordinates = [("task", task), ("workers", workers), ("lock", lock)];
            let mut cell = measured(&id(task, workers, lock), &coordinates, &[us, us * 99 / 100, us * 102 / 100]);
            cell.cores_used = Some(cores);
            cell
        });
        if (lock, task) == ("none", "io") {
            pair[1] = failed(
                &pair[1].id,
                &[("task", task), ("workers", "4"), ("lock", lock)],
                Status::Skipped,
                "timerfd is not there.",
            );
        }
        let known = if pair[1].status == Status::Ok { ratio } else { 0.0 };
        comparisons.push(comparison(
            &[("lock", lock), ("task", task)],
            &[(pair[0].id.as_str(), 1.0), (pair[1].id.as_str(), known)],
        ));
        cells.extend(pair);
    }
    let axes = vec![axis("lock", &["gil", "none"]), axis("task", &["io", "cpu"]), axis("workers", &["1", "4"])];
    let mut scenario = scenario("multi-loop", "workers", axes, cells);
    scenario.comparisons = comparisons;
    scenario
}
