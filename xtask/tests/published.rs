//! Published results are made from `results/published/published.toml`. This test checks that they agree with it; with
//! `UPDATE_EXPECT=1` it writes them anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;
use xtask::matrix::axis::{Axes, Axis, AxisValue};
use xtask::results::publication::{self, Publication};
use xtask::stats::summary::{
    self, CellSummary, ComparisonRow, ComparisonSummary, MachineSummary, Ratio, ScenarioSummary, Spread, Status,
    Summary,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    result: Vec<Article>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Article {
    name: String,
    title: String,
    author: String,
    appeared: String,
    machine: String,
    cores: u32,
    system: String,
    runtime: String,
    method: String,
    runs: u32,
    warmups: u32,
    scenario: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    kind: String,
    compare: String,
    baseline: AxisValue,
    #[serde(default)]
    include_setup: bool,
    axes: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Its values on the scenario's axes.
    at: Vec<AxisValue>,
    seconds: Option<f64>,
    rps: Option<f64>,
    ratio: Option<f64>,
    by_worker: Option<Vec<u64>>,
    // Kept in the source alone: see there.
    #[serde(rename = "p50_ms")]
    _p50_ms: Option<f64>,
    #[serde(rename = "p95_ms")]
    _p95_ms: Option<f64>,
    #[serde(rename = "p99_ms")]
    _p99_ms: Option<f64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/published")
}

fn source() -> Source {
    toml::from_str(&fs::read_to_string(folder().join("published.toml")).unwrap()).unwrap()
}

impl Article {
    fn publication(&self) -> Publication {
        Publication {
            schema: publication::SCHEMA,
            title: self.title.clone(),
            author: self.author.clone(),
            appeared: Some(self.appeared.clone()),
            machine: self.machine.clone(),
            cores: self.cores,
            system: self.system.clone(),
            runtime: self.runtime.clone(),
            method: self.method.clone(),
        }
    }

    fn summary(&self) -> Summary {
        Summary {
            schema: summary::SCHEMA,
            complete: true,
            started: "unknown".to_owned(),
            ended: "unknown".to_owned(),
            wall_ns: 0,
            prepared_ns: 0,
            measured_ns: 0,
            warmup_ns: 0,
            machine: MachineSummary::default(),
            scenarios: self.scenario.iter().map(|scenario| scenario.summary(self)).collect(),
        }
    }
}

impl Scenario {
    fn summary(&self, article: &Article) -> ScenarioSummary {
        let mut cells: Vec<CellSummary> = self.rows.iter().map(|row| self.cell(row, article.runs)).collect();
        let mut groups: IndexMap<Vec<String>, Vec<usize>> = IndexMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            let fixed = self.fixed(row).iter().map(|(axis, value)| format!("{axis}={value}")).collect();
            groups.entry(fixed).or_default().push(index);
        }
        let comparisons: Vec<_> = groups.values().map(|rows| self.comparison(rows, &cells)).collect();
        for row in comparisons.iter().flat_map(|comparison| &comparison.rows) {
            let cell = cells.iter_mut().find(|cell| cell.id == row.cell).unwrap();
            cell.ratio = row.ratio;
        }
        ScenarioSummary {
            name: self.name.clone(),
            kind: self.kind.clone(),
            question: None,
            compare: Some(self.compare.clone()),
            include_setup: self.include_setup,
            warmups: article.warmups,
            runs: article.runs,
            order: "sequential".to_owned(),
            axes: self.axes(),
            settings: BTreeMap::new(),
            cells,
            comparisons,
            scaling: Vec::new(),
        }
    }

    fn coordinates(&self, row: &Row) -> Axes {
        assert_eq!(self.axes.len(), row.at.len(), "{}: {:?}", self.name, row.at);
        self.axes.iter().cloned().zip(row.at.iter().cloned()).collect()
    }

    /// The coordinates of a row but for the compared one.
    fn fixed(&self, row: &Row) -> Axes {
        self.coordinates(row)
            .iter()
            .filter(|(axis, _)| **axis != self.compare)
            .map(|(a, v)| (a.clone(), v.clone()))
            .collect()
    }

    fn axes(&self) -> Vec<Axis> {
        let mut axes: IndexMap<String, Vec<AxisValue>> = IndexMap::new();
        for (name, value) in self.rows.iter().flat_map(|row| self.coordinates(row)) {
            let values = axes.entry(name).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
        axes.into_iter().map(|(name, values)| Axis { name, values }).collect()
    }

    fn cell(&self, row: &Row, runs: u32) -> CellSummary {
        let axes = self.coordinates(row);
        let coordinates: Vec<String> = axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
        let id = format!("{}/{}", self.name, coordinates.join(","));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some seconds, in nanoseconds")]
        let ns = |seconds: f64| (seconds * 1e9).round() as u64;
        CellSummary {
            status: Status::Ok,
            runs,
            elapsed_ns: row.seconds.and_then(|seconds| Spread::of(vec![ns(seconds)])),
            throughput_per_s: row.rps.and_then(|rps| Spread::of(vec![rps])),
            by_worker: row.by_worker.clone(),
            ..CellSummary::without_figures(id, axes)
        }
    }

    fn comparison(&self, rows: &[usize], cells: &[CellSummary]) -> ComparisonSummary {
        let is_baseline = |index: &&usize| self.coordinates(&self.rows[**index])[&self.compare] == self.baseline;
        let baseline = *rows.iter().find(is_baseline).expect("a baseline in each group");
        let ratio = |index: usize| {
            let (base, row) = (&self.rows[baseline], &self.rows[index]);
            let value = match (base.seconds.zip(row.seconds), base.rps.zip(row.rps), row.ratio) {
                (Some((base, row)), _, _) => base / row,
                (_, Some((base, row)), _) => row / base,
                (_, _, Some(ratio)) => ratio,
                _ if index == baseline => 1.0,
                _ => panic!("`{}` has no figure", cells[index].id),
            };
            Ratio { value, low: None, high: None, confidence: None, bound: None }
        };
        let row =
            |&index: &usize| ComparisonRow { cell: cells[index].id.clone(), ratio: Some(ratio(index)), verdict: None };
        ComparisonSummary {
            fixed: self.fixed(&self.rows[baseline]),
            baseline: Some(cells[baseline].id.clone()),
            rows: rows.iter().map(row).collect(),
            floor: None,
            conclusion: None,
        }
    }
}

#[test]
fn published_results_agree_with_their_source() {
    for article in source().result {
        let folder = folder().join(&article.name);
        let json = serde_json::to_string_pretty(&article.publication()).unwrap() + "\n";
        for (file, text) in [(publication::FILE, json), ("summary.json", article.summary().to_json())] {
            let path = folder.join(file);
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&path, text).unwrap();
            } else {
                let is = fs::read_to_string(&path).unwrap_or_default();
                assert!(is == text, "{} is not what published.toml says; see its first lines", path.display());
            }
        }
    }
}

#[test]
fn ratios_are_those_that_the_articles_print() {
    let ratios: BTreeMap<String, String> = source()
        .result
        .iter()
        .flat_map(|article| article.summary().scenarios)
        .flat_map(|scenario| scenario.comparisons)
        .flat_map(|comparison| comparison.rows)
        .map(|row| (row.cell, format!("{:.2}", row.ratio.unwrap().value)))
        .collect();
    for (cell, printed) in [
        ("multi-loop/task=io,workers=4,lock=gil", "0.95"),
        ("multi-loop/task=cpu,workers=4,lock=gil", "0.99"),
        ("multi-loop/task=io+cpu,workers=4,lock=gil", "0.99"),
        ("multi-loop/task=io,workers=4,lock=none", "0.96"),
        ("multi-loop/task=cpu,workers=4,lock=none", "3.10"),
        ("multi-loop/task=io+cpu,workers=4,lock=none", "3.29"),
        ("http-reuse-port/workers=4", "1.02"),
        ("http-loops/workers=4,lock=gil", "1.04"),
        ("http-loops/workers=4,lock=none", "3.25"),
        ("http-cpu-sweep/workers=4,cpu=0us", "1.22"),
        ("http-cpu-sweep/workers=4,cpu=160us", "2.37"),
        ("http-cpu-sweep/workers=4,cpu=585us", "2.81"),
        ("http-cpu-sweep/workers=4,cpu=2400us", "3.25"),
        ("http-loop-scaling/workers=8", "4.28"),
        // Not printed: 1.151 s over 0.397 s, 14.56 s over 8.11 s.
        ("cpu-bound/model=processes,lock=gil", "2.90"),
        ("twelve-operations/task=primes,model=processes,lock=gvl", "1.80"),
    ] {
        assert_eq!(ratios[cell], printed, "{cell}");
    }
}
