//! The statistics against independent implementations: SciPy's Mann–Whitney test and its search for least squares, and
//! Holm's correction the other way round. Skipped where SciPy is not installed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use xtask::matrix::{LoadOptions, parse};
use xtask::results::record::Record;
use xtask::stats::holm::standing;
use xtask::stats::interval::{p_value, ratio_interval};
use xtask::stats::{KnownFloors, RunTimes, summarise};

/// Whether there is a Python with SciPy.
fn has_scipy() -> bool {
    let mut probe = Command::new("python3");
    probe.args(["-c", "import scipy.stats"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Runs that all differ, and whose quotients do.
fn side(random: &mut fastrand::Rng, runs: usize, around: f64) -> Vec<f64> {
    (0..runs).map(|_| around * (1.0 + 0.2 * random.f64())).collect()
}

fn case(random: &mut fastrand::Rng, m: usize, n: usize, with_interval: bool) -> Value {
    let shift = 1.0 + 0.2 * random.f64();
    let (numerator, denominator) = (side(random, m, 100.0 * shift), side(random, n, 100.0));
    let p = p_value(&numerator, &denominator).unwrap();
    let mut case = json!({ "p": p });
    if with_interval {
        let it = ratio_interval(&numerator, &denominator).unwrap();
        case["low"] = it.low.into();
        case["high"] = it.high.into();
        case["confidence"] = it.confidence.into();
    }
    case["numerator"] = numerator.into();
    case["denominator"] = denominator.into();
    case
}

/// Hands cases to a script that says what it finds to be otherwise, which should be nothing.
fn agree(script: &str, cases: Vec<Value>) {
    if !has_scipy() {
        eprintln!(
            "skipped: python3 with SciPy is not here. Install it with `apt install python3-scipy` or `pip install scipy`."
        );
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statistics").join(script);
    let mut python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    python.stdin.take().unwrap().write_all(Value::from(cases).to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}

#[test]
fn scipy_finds_the_same_intervals_and_p_values() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut cases = Vec::new();
    for (m, n) in [(1, 1), (2, 2), (3, 3), (3, 5), (4, 4), (5, 5), (5, 6), (7, 4), (8, 8), (10, 10), (12, 7)] {
        cases.extend((0..4).map(|_| case(&mut random, m, n, true)));
    }
    // Where orders are counted no more, but summed.
    for (m, n) in [(50, 60), (62, 62), (64, 64), (70, 90)] {
        cases.push(case(&mut random, m, n, false));
    }
    agree("compare_with_scipy.py", cases);
}

#[test]
fn corrected_p_values_let_the_same_stand_as_holms_rule() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut cases = vec![json!({ "p": [], "standing": [] })];
    for _ in 0..200 {
        // Multiples of 1 / 1008, so that some are equal and some lie near the border.
        let p: Vec<f64> = (0..random.usize(1..9)).map(|_| f64::from(random.u32(1..80)) / 1_008.0).collect();
        cases.push(json!({ "standing": standing(&p), "p": p }));
    }
    agree("correct_by_holm.py", cases);
}

/// What the fit makes of these throughputs of `loops`, each run given.
fn fitted(workers: &[u32], runs: &[Vec<f64>]) -> Value {
    let text = format!(
        "schema = 1\n[[batch]]\nname = \"s\"\ntask = {{ op = \"burn\", iterations = 10 }}\ntasks = 1000\nmodel = \"loops\"\n\
         workers = {workers:?}\ncompare = \"workers\"\nruns = {}\n",
        runs[0].len()
    );
    let options = LoadOptions { quick: false, cores: 2, allow_remote: false };
    let plan = parse(Path::new("m.toml"), text, &options).unwrap();
    let mut records = Vec::new();
    for (cell, runs) in plan.scenarios[0].cells.iter().zip(runs) {
        for (round, x) in (1..).zip(runs) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time above 0")]
            let elapsed_ns = (1e12 / x).round() as u64;
            let sample = json!({ "kind": "batch", "elapsed_ns": elapsed_ns, "setup_ns": 0, "tasks": 1000, "checksum": "00",
                                 "workers": [1000] });
            let record = json!({ "record": "sample", "cell": cell.id, "round": round, "warmup": false, "position": 0,
                                 "started_ns": 0, "sample": sample, "machine": {} });
            records.push(serde_json::from_value::<Record>(record).unwrap());
        }
    }
    let epoch = std::time::SystemTime::UNIX_EPOCH;
    let times = RunTimes { started: epoch, ended: epoch, wall_ns: 0, prepared_ns: 0, complete: true };
    let summary = summarise(&plan, &records, &times, &KnownFloors::default());
    let sweep = &summary.scenarios[0].scaling[0];
    json!({
        "workers": sweep.points.iter().map(|point| point.workers).collect::<Vec<_>>(),
        "runs": sweep.points.iter().map(|point| point.values.clone()).collect::<Vec<_>>(),
        "fit": sweep.fit.as_ref().unwrap(),
    })
}

#[test]
fn no_search_finds_a_better_fit_of_the_scalability_law() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut cases = Vec::new();
    for workers in [&[1, 2, 4][..], &[1, 2, 3], &[1, 2, 4, 8, 16], &[2, 4, 8, 64], &[1, 3, 5, 7, 9, 11, 13]] {
        for (contention, crosstalk) in
            [(0.0, 0.0), (0.1, 0.0), (0.0, 0.01), (0.05, 0.002), (1.0, 0.0), (0.9, 0.2), (-0.1, 0.01), (0.3, -0.001)]
        {
            for noise in [0.0, 0.02, 0.3] {
                let x = |n: f64| 500.0 * n / (1.0 + contention * (n - 1.0) + crosstalk * n * (n - 1.0)).max(0.1);
                let mut run = |n: u32| x(n.into()) * (1.0 + noise * (random.f64() - 0.5));
                let runs: Vec<Vec<f64>> = workers.iter().map(|&n| (0..5).map(|_| run(n)).collect()).collect();
                cases.push(fitted(workers, &runs));
            }
        }
    }
    agree("fit_with_scipy.py", cases);
}
