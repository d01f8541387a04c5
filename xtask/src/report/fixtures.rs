//! Summaries made by hand.

use crate::matrix::axis::Axis;
use crate::matrix::axis::AxisValue;
use crate::stats::fixtures::{axes, cell};
use crate::stats::summary::{
    CellSummary, ComparisonRow, ComparisonSummary, Conclusion, Flag, FloorSource, MachineSummary, NoiseFloor, Ratio,
    SCHEMA, ScalingFit, ScalingPoint, ScalingSummary, ScenarioSummary, Spread, Status, Summary, Verdict,
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
        prepared_ns: 0,
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

/// [`long`] as five runs a side make it: intervals, verdicts, a floor that one comparison measured, conclusions.
pub fn judged() -> ScenarioSummary {
    let mut scenario = long();
    let judge = |row: &mut ComparisonRow, low: f64, high: f64, verdict| {
        let ratio = row.ratio.as_mut().unwrap();
        (ratio.low, ratio.high, ratio.confidence) = (Some(low), Some(high), Some(1.0 - 8.0 / 252.0));
        row.verdict = Some(verdict);
    };
    let [gil, none] = scenario.comparisons.as_mut_slice() else { unreachable!() };
    gil.rows[0].verdict = Some(Verdict::Baseline);
    judge(&mut gil.rows[1], 0.99, 1.08, Verdict::Unresolved);
    judge(&mut gil.rows[2], 1.82, 2.93, Verdict::Faster);
    gil.floor = Some(NoiseFloor {
        share: 0.0123,
        source: FloorSource::Measured,
        measured: "2026-11-30T17:16:36Z".to_owned(),
        ratio: Some(1.002),
        low: Some(0.99),
        high: Some(1.014),
        pairs: 1,
    });
    gil.conclusion = Some(Conclusion {
        sentence: "processes is the fastest: 2.90 × sequential (1.82–2.93).".to_owned(),
        fastest: gil.rows[2].cell.clone(),
        not_told_apart: Vec::new(),
        simplest: Some(gil.rows[2].cell.clone()),
        least_memory: Some(gil.rows[2].cell.clone()),
        not_after_holm: vec![gil.rows[2].cell.clone()],
    });
    none.rows[0].verdict = Some(Verdict::Baseline);
    scenario
}

/// Loops on 1 to 8 workers with the law fitted to them.
pub fn swept() -> ScenarioSummary {
    let values = ["1", "2", "4", "8"];
    let id = |workers: &str| format!("sweep/workers={workers}");
    let cells: Vec<CellSummary> =
        values.iter().map(|workers| measured(&id(workers), &[("workers", workers)], &[1_500, 1_510, 1_520])).collect();
    let points = cells
        .iter()
        .zip([1, 2, 4, 8])
        .map(|(cell, workers)| ScalingPoint {
            cell: cell.id.clone(),
            workers,
            throughput_per_s: 8.0,
            values: vec![8.0; 3],
        })
        .collect();
    let mut scenario = scenario("sweep", "workers", vec![axis("workers", &values)], cells);
    let rows: Vec<(String, f64)> = values.iter().map(|workers| (id(workers), 1.0)).collect();
    let rows: Vec<(&str, f64)> = rows.iter().map(|(id, ratio)| (id.as_str(), *ratio)).collect();
    scenario.comparisons = vec![comparison(&[], &rows)];
    scenario.scaling = vec![ScalingSummary {
        fixed: axes(&[("model", "loops")]),
        points,
        fit: Some(ScalingFit {
            single_per_s: 100.0,
            contention: 0.05,
            crosstalk: 0.002,
            peak_workers: Some(21.79),
            peak_per_s: Some(743.4),
            knee_workers: Some(6.0),
            r_squared: 0.9981,
            poor: false,
        }),
        note: Some("1 degree of freedom is left.".to_owned()),
    }];
    scenario
}
