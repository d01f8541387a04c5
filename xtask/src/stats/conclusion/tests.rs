//! Conclusions from cells made by hand.

use super::*;
use crate::stats::fixtures::{axes, cell};
use crate::stats::summary::{Flag, Spread, Status};
use crate::stats::verdict::verdict;

const FLOOR: f64 = 0.02;

/// Five runs that scatter by half a per cent around this many microseconds.
fn timed(axis: &str, value: &str, us: u64, mib: u64) -> CellSummary {
    let times = [1_000, 995, 1_005, 998, 1_002].map(|permille| us * permille);
    let mut cell = cell(&format!("s/{axis}={value}"), &times);
    cell.axes = axes(&[(axis, value)]);
    cell.usage.peak_rss_bytes = Some(mib << 20);
    cell
}

fn failed(axis: &str, value: &str, status: Status) -> CellSummary {
    CellSummary { status, elapsed_ns: None, runs: 0, ..timed(axis, value, 1, 1) }
}

/// The conclusion with the first cell as the baseline.
fn concluded(axis: &str, cells: &[CellSummary]) -> Option<Conclusion> {
    let speed = Speed::Elapsed;
    let row = |cell: &CellSummary| {
        let ratio = ratio::ratio(&cells[0], cell, speed);
        let own =
            if cell.id == cells[0].id { |_: &Ratio| Verdict::Baseline } else { |ratio: &Ratio| verdict(ratio, FLOOR) };
        ComparisonRow { cell: cell.id.clone(), ratio, verdict: ratio.as_ref().map(own) }
    };
    let rows: Vec<ComparisonRow> = cells.iter().map(row).collect();
    let with_speed: Vec<_> = cells.iter().map(|cell| (cell, Some(speed))).collect();
    conclude(&Compared { axis, cells: &with_speed, rows: &rows, baseline: Some(&cells[0]), floor: FLOOR })
}

fn sentence(axis: &str, cells: &[CellSummary]) -> String {
    concluded(axis, cells).unwrap().sentence
}

#[test]
fn two_fastest_models_cannot_be_told_apart_and_one_of_them_is_simplest() {
    let cells = [
        timed("model", "sequential", 1_960, 3),
        timed("model", "work-stealing", 1_000, 4),
        timed("model", "threads", 1_300, 4),
        timed("model", "loops", 1_004, 6),
    ];
    let conclusion = concluded("model", &cells).unwrap();
    assert_eq!(
        conclusion.sentence,
        "work-stealing and loops are the fastest (work-stealing: 1.96 × sequential (1.95–1.97)) and cannot be told apart; \
         the simplest of them is loops; work-stealing needs the least memory (4.00 MiB)."
    );
    assert_eq!(conclusion.fastest, "s/model=work-stealing");
    assert_eq!(conclusion.not_told_apart, ["s/model=loops"]);
    assert_eq!(conclusion.simplest.as_deref(), Some("s/model=loops"));
    assert_eq!(conclusion.least_memory.as_deref(), Some("s/model=work-stealing"));
    assert_eq!(conclusion.not_after_holm, Vec::<String>::new());
}

#[test]
fn cells_are_held_against_the_fastest_and_not_against_the_baseline() {
    // Both are faster than sequential, and their intervals against it overlap; against each other they are apart.
    let cells =
        [timed("model", "sequential", 2_000, 3), timed("model", "loops", 1_000, 4), timed("model", "rayon", 1_030, 4)];
    let conclusion = concluded("model", &cells).unwrap();
    assert_eq!(conclusion.sentence, "loops is the fastest: 2.00 × sequential (1.99–2.01).");
    assert_eq!(conclusion.not_told_apart, Vec::<String>::new());
}

/// Five runs of these many microseconds.
fn scattered(axis: &str, value: &str, us: [u64; 5]) -> CellSummary {
    let times = us.map(|us| us * 1_000);
    CellSummary { axes: axes(&[(axis, value)]), ..cell(&format!("s/{axis}={value}"), &times) }
}

#[test]
fn what_scatter_hides_among_the_fastest_is_no_choice_if_it_is_not_told_from_the_baseline() {
    let cells = [
        scattered("workers", "1", [3_200, 3_190, 3_210, 3_500, 3_180]),
        scattered("workers", "4", [1_720, 3_330, 3_400, 3_300, 3_550]),
        scattered("workers", "16", [1_840, 1_690, 2_030, 1_800, 1_850]),
    ];
    let conclusion = concluded("workers", &cells).unwrap();
    assert_eq!(
        conclusion.sentence,
        "16 workers are the fastest: 1.74 × 1 worker (1.58–1.90). 4 workers cannot be told from 16 workers, nor shown to be \
         faster than 1 worker: make more runs."
    );
    assert_eq!(conclusion.not_told_apart, ["s/workers=4"]);
    assert_eq!(conclusion.simplest.as_deref(), Some("s/workers=16"));
}

#[test]
fn the_best_median_is_not_advised_where_only_another_is_told_to_be_faster_than_the_baseline() {
    let cells = [
        scattered("model", "async", [690, 666, 748, 700, 680]),
        scattered("model", "offload", [513, 431, 742, 720, 500]),
        scattered("model", "loops", [613, 552, 632, 610, 620]),
    ];
    let conclusion = concluded("model", &cells).unwrap();
    assert_eq!(
        conclusion.sentence,
        "loops is faster than async. offload (1.35 × async (0.93–1.60)) may be faster still, but cannot be told from async: \
         make more runs."
    );
    assert_eq!(conclusion.fastest, "s/model=offload");
    assert_eq!(conclusion.not_told_apart, ["s/model=async", "s/model=loops"]);
    assert_eq!(conclusion.simplest.as_deref(), Some("s/model=loops"));
}

#[test]
fn where_nothing_is_faster_the_baseline_is_to_be_used() {
    let cells =
        [timed("model", "sequential", 1_000, 3), timed("model", "threads", 995, 4), timed("model", "loops", 1_400, 4)];
    assert_eq!(
        sentence("model", &cells),
        "Nothing here is faster than sequential, as far as these runs can tell, and threads cannot be told from it: use \
         sequential, or make more runs."
    );
    assert_eq!(
        sentence("model", &[cells[0].clone(), cells[2].clone()]),
        "sequential, the baseline, is the fastest: the other is slower."
    );
    let simpler = [timed("model", "threads", 1_000, 3), timed("model", "async", 1_001, 3)];
    assert!(
        sentence("model", &simpler)
            .ends_with("async cannot be told from it: use async, the simplest, or make more runs.")
    );
}

#[test]
fn the_simplest_may_need_the_least_memory_too_and_like_amounts_are_not_worth_a_word() {
    let base = timed("model", "sequential", 2_000, 3);
    let cells = [base.clone(), timed("model", "loops", 1_000, 4), timed("model", "processes", 1_001, 30)];
    assert!(
        sentence("model", &cells).ends_with("; the simplest of them, loops, also needs the least memory (4.00 MiB).")
    );
    let cells = [base, timed("model", "loops", 1_000, 40), timed("model", "processes", 1_001, 41)];
    assert!(sentence("model", &cells).ends_with("cannot be told apart; the simplest of them is loops."));
}

#[test]
fn every_axis_reads_well() {
    let of = |axis: &str, values: [&str; 3]| {
        let [a, b, c] = values;
        sentence(axis, &[timed(axis, a, 2_000, 3), timed(axis, b, 1_000, 4), timed(axis, c, 1_001, 8)])
    };
    assert_eq!(
        of("workers", ["1", "2", "4"]),
        "2 and 4 workers are the fastest (2 workers: 2.00 × 1 worker (1.99–2.01)) and cannot be told apart; the simplest of \
         them, 2 workers, also need the least memory (4.00 MiB)."
    );
    assert_eq!(
        of("lock", ["gil", "none", "gvl"]),
        "lock = none and gvl are the fastest (lock = none: 2.00 × lock = gil (1.99–2.01)) and cannot be told apart; of them \
         lock = none needs the least memory (4.00 MiB)."
    );
    assert!(of("runtime", ["rust", "python3.14t", "ruby"]).starts_with("python3.14t and ruby are the fastest (python"));
    assert!(of("listen", ["shared", "per-port", "hand-off"]).starts_with("listen = per-port and hand-off are the"));
    let two = [timed("workers", "1", 2_000, 3), timed("workers", "4", 1_000, 4)];
    assert_eq!(sentence("workers", &two), "4 workers are the fastest: 2.00 × 1 worker (1.99–2.01).");
}

#[test]
fn cells_without_figures_are_named_and_a_lost_baseline_leaves_no_ratio() {
    let cells = [
        failed("model", "sequential", Status::Failed),
        timed("model", "threads", 1_500, 3),
        timed("model", "loops", 1_000, 3),
        failed("model", "rayon", Status::NotRun),
    ];
    assert_eq!(
        sentence("model", &cells),
        "loops is the fastest of those that were measured. Without figures: sequential (failed), rayon (not run)."
    );
}

#[test]
fn less_than_two_measured_cells_conclude_nothing() {
    let one = timed("model", "sequential", 1_000, 3);
    assert_eq!(concluded("model", std::slice::from_ref(&one)), None);
    assert_eq!(concluded("model", &[one, failed("model", "threads", Status::Skipped)]), None);
}

#[test]
fn too_few_runs_tell_nothing_however_far_apart_they_are() {
    let few = |value, us| {
        let mut cell = timed("model", value, us, 3);
        cell.elapsed_ns = Spread::of(cell.elapsed_ns.unwrap().values[..3].to_vec());
        cell.runs = 3;
        cell
    };
    assert_eq!(
        sentence("model", &[few("sequential", 9_000), few("threads", 1_000)]),
        "Nothing can be told from 3 runs a cell: 4 are the least, 5 are better."
    );
}

#[test]
fn what_the_load_generator_held_back_may_be_as_fast_as_the_fastest() {
    let mut held = timed("model", "threads", 1_500, 3);
    held.flags.push(Flag::ClientBound);
    let cells = [timed("model", "sequential", 2_000, 3), timed("model", "loops", 1_000, 3), held];
    let conclusion = concluded("model", &cells).unwrap();
    assert_eq!((conclusion.fastest.as_str(), conclusion.not_told_apart.len()), ("s/model=loops", 1));
}

#[test]
fn seven_comparisons_of_five_runs_do_not_stand_after_holm() {
    let names = ["1", "2", "3", "4", "5", "6", "7", "8"];
    let cells = |count: usize| -> Vec<CellSummary> {
        names[..count].iter().zip(1_u64..).map(|(name, rank)| timed("size", name, 1_000 * rank, 3)).collect()
    };
    assert_eq!(concluded("size", &cells(7)).unwrap().not_after_holm, Vec::<String>::new());
    assert_eq!(concluded("size", &cells(8)).unwrap().not_after_holm.len(), 7);
}

#[test]
fn what_a_busy_machine_showed_comes_with_a_caution() {
    let mut cells = [timed("model", "sequential", 1_960, 3), timed("model", "threads", 1_000, 4)];
    assert_eq!(sentence("model", &cells), "threads is the fastest: 1.96 × sequential (1.95–1.97).");
    cells[1].flags.push(Flag::Disturbed);
    assert_eq!(
        sentence("model", &cells),
        "threads is the fastest: 1.96 × sequential (1.95–1.97). Others used the machine meanwhile, which takes more from \
         cells that use more CPUs: measure it again when it is quiet."
    );
}
