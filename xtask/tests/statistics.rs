//! The statistics against an independent implementation: SciPy's Mann–Whitney test. Skipped where it is not installed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use xtask::stats::interval::{p_value, ratio_interval};

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

#[test]
fn scipy_finds_the_same_intervals_and_p_values() {
    if !has_scipy() {
        eprintln!(
            "skipped: python3 with SciPy is not here. Install it with `apt install python3-scipy` or `pip install scipy`."
        );
        return;
    }
    let mut random = fastrand::Rng::with_seed(3);
    let mut cases = Vec::new();
    for (m, n) in [(1, 1), (2, 2), (3, 3), (3, 5), (4, 4), (5, 5), (5, 6), (7, 4), (8, 8), (10, 10), (12, 7)] {
        cases.extend((0..4).map(|_| case(&mut random, m, n, true)));
    }
    // Where orders are counted no more, but summed.
    for (m, n) in [(50, 60), (62, 62), (64, 64), (70, 90)] {
        cases.push(case(&mut random, m, n, false));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statistics/compare_with_scipy.py");
    let mut python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    python.stdin.take().unwrap().write_all(Value::from(cases).to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}
