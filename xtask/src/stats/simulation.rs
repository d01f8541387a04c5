//! What intervals, floors and verdicts are worth, tried on noise whose truth is known. Only tests live here.
//!
//! `cargo test -p xtask --lib power -- --ignored --nocapture` makes the tables of `docs/statistics.md` again.

use fastrand::Rng;

use super::fixtures::cell;
use super::floor;
use super::interval::ratio_interval;
use super::ratio::{Speed, ratio};
use super::summary::{CellSummary, Verdict};
use super::verdict::{ASSUMED_FLOOR, verdict};

/// How runs scatter around their median.
#[derive(Debug, Clone, Copy)]
enum Noise {
    Normal,
    LogNormal,
    /// Student's t with two degrees of freedom: one run in fifty lies more than seven times as far out as is usual.
    HeavyTailed,
}

impl Noise {
    /// A standard normal deviate, or its like.
    fn deviate(self, random: &mut Rng) -> f64 {
        // Box and Muller; the first number is never 0.
        let normal =
            |random: &mut Rng| (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (std::f64::consts::TAU * random.f64()).cos();
        match self {
            Self::Normal | Self::LogNormal => normal(random),
            Self::HeavyTailed => {
                let chi_square: f64 = -2.0 * (1.0 - random.f64()).ln();
                normal(random) / (chi_square / 2.0).sqrt()
            }
        }
    }

    /// A run of this median with this coefficient of variation.
    fn run(self, random: &mut Rng, median: f64, cv: f64) -> f64 {
        let deviate = self.deviate(random);
        match self {
            Self::Normal => (median * (1.0 + cv * deviate)).max(median * 1e-3),
            Self::LogNormal | Self::HeavyTailed => median * (cv * deviate).exp(),
        }
    }
}

/// A cell of so many runs around this many milliseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times above 0")]
fn measured(id: &str, random: &mut Rng, noise: Noise, runs: usize, ms: f64, cv: f64) -> CellSummary {
    let times: Vec<u64> = (0..runs).map(|_| noise.run(random, ms * 1e6, cv) as u64).collect();
    cell(id, &times)
}

#[expect(clippy::cast_precision_loss, reason = "trials are few")]
fn share(of: usize, trials: usize) -> f64 {
    of as f64 / trials as f64
}

fn coverage(noise: Noise, runs: usize) -> f64 {
    const TRIALS: usize = 10_000;
    let mut random = Rng::with_seed(7);
    let mut side = |_| -> Vec<f64> { (0..runs).map(|_| noise.run(&mut random, 100.0, 0.05)).collect() };
    let covered = (0..TRIALS)
        .filter(|_| {
            let it = ratio_interval(&side(()), &side(())).unwrap();
            it.low <= 1.0 && it.high >= 1.0
        })
        .count();
    share(covered, TRIALS)
}

#[test]
fn an_interval_covers_the_truth_as_often_as_it_says_whatever_the_noise() {
    for noise in [Noise::Normal, Noise::LogNormal, Noise::HeavyTailed] {
        let (covered, nominal) = (coverage(noise, 5), 1.0 - 8.0 / 252.0);
        assert!((covered - nominal).abs() < 0.01, "{noise:?}: {covered} of {nominal}");
    }
}

/// How often a cell that takes `slower` times as long as its baseline is called faster, slower, and neither; with a floor
/// that the baseline and its twin give, or with this one.
fn verdicts(noise: Noise, runs: usize, cv: f64, slower: f64, floor: Option<f64>, trials: usize) -> [f64; 3] {
    let mut random = Rng::with_seed(11);
    let mut counts = [0; 3];
    for _ in 0..trials {
        let baseline = measured("a", &mut random, noise, runs, 100.0, cv);
        let twin = measured("a#aa", &mut random, noise, runs, 100.0, cv);
        let other = measured("b", &mut random, noise, runs, 100.0 * slower, cv);
        let floor = floor.or_else(|| Some(floor::measure(&baseline, &twin, Speed::Elapsed, "")?.share));
        let ratio = ratio(&baseline, &other, Speed::Elapsed).unwrap();
        counts[match verdict(&ratio, floor.unwrap_or(ASSUMED_FLOOR)) {
            Verdict::Faster => 0,
            Verdict::Slower => 1,
            Verdict::Unresolved | Verdict::Baseline => 2,
        }] += 1;
    }
    counts.map(|count| share(count, trials))
}

#[test]
fn two_equal_cells_are_told_apart_in_three_of_a_hundred_at_most() {
    for noise in [Noise::Normal, Noise::LogNormal, Noise::HeavyTailed] {
        for cv in [0.01, 0.05] {
            let [faster, slower, _] = verdicts(noise, 5, cv, 1.0, None, 2_000);
            assert!(faster + slower <= 0.03, "{noise:?} {cv}: {faster} {slower}");
        }
    }
}

#[test]
fn five_percent_slower_is_called_slower_in_nine_of_ten_on_a_quiet_machine() {
    for noise in [Noise::Normal, Noise::LogNormal] {
        let [faster, slower, _] = verdicts(noise, 5, 0.01, 1.05, None, 2_000);
        assert!(slower >= 0.9 && faster == 0.0, "{noise:?}: {slower}");
    }
}

#[test]
#[ignore = "prints the tables of docs/statistics.md: run it with --ignored --nocapture"]
fn power_of_five_runs_by_noise() {
    const TRIALS: usize = 10_000;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    for (runs, name, floor) in
        [(5, "measured", None), (10, "measured", None), (5, "assumed to be 5 %", Some(ASSUMED_FLOOR))]
    {
        eprintln!("\n{runs} runs a side, floor {name}:\n");
        eprintln!("| noise (CV) | equal, told apart | 2 % slower | 5 % slower | 10 % slower | 20 % slower |");
        eprintln!("| ---: | ---: | ---: | ---: | ---: | ---: |");
        for cv in [0.005, 0.01, 0.02, 0.05, 0.10] {
            let found = |slower| verdicts(Noise::LogNormal, runs, cv, slower, floor, TRIALS);
            let [up, down, _] = found(1.0);
            let called: Vec<String> = [1.02, 1.05, 1.10, 1.20].map(|slower| percent(found(slower)[1])).into();
            eprintln!("| {} | {} | {} |", percent(cv), percent(up + down), called.join(" | "));
        }
    }
}
