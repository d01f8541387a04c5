//! Orders of small plans.

use std::collections::HashSet;

use super::super::scripted::plan_of;
use super::*;
use crate::engine::failure::FailureKind;
use crate::matrix::plan::Comparison;
use crate::stats::fixtures::{failure, sample};

fn compared(plan: &mut Plan, cells: &[usize]) {
    let comparison = Comparison { fixed: <_>::default(), cells: cells.to_vec(), baseline: None };
    plan.scenarios[0].comparisons.push(comparison);
}

fn order(plan: &Plan, seed: u64) -> Vec<(usize, u32)> {
    schedule(plan, seed, &Twins::default(), &Before::default())
        .iter()
        .map(|visit| (visit.cell, *visit.rounds.start()))
        .collect()
}

#[test]
fn sequential_cells_have_one_visit_each_in_the_order_of_the_matrix() {
    let plan = plan_of(Order::Sequential, 1, 3, &["a", "b"]);
    let visit = |cell, block| Visit { scenario: 0, cell, twin: false, block, warmups: 1, rounds: 1..=3 };
    assert_eq!(schedule(&plan, 7, &Twins::default(), &Before::default()), [visit(0, 0), visit(1, 1)]);
    assert_eq!(visit(0, 0).repetitions(), 4);
}

#[test]
fn an_interleaved_round_is_over_before_the_next_begins() {
    let mut plan = plan_of(Order::Interleaved, 1, 3, &["a", "b", "c"]);
    compared(&mut plan, &[0, 1, 2]);
    for seed in 0..20 {
        let order = order(&plan, seed);
        let rounds: Vec<u32> = order.iter().map(|&(_, round)| round).collect();
        assert_eq!(rounds, [1, 1, 1, 2, 2, 2, 3, 3, 3]);
        for round in order.chunks(3) {
            let mut cells: Vec<usize> = round.iter().map(|&(cell, _)| cell).collect();
            cells.sort_unstable();
            assert_eq!(cells, [0, 1, 2]);
        }
    }
}

#[test]
fn the_seed_decides_the_order() {
    let mut plan = plan_of(Order::Interleaved, 0, 5, &["a", "b", "c", "d"]);
    compared(&mut plan, &[0, 1, 2, 3]);
    assert_eq!(order(&plan, 1), order(&plan, 1));
    assert_ne!(order(&plan, 1), order(&plan, 2));
}

#[test]
fn every_cell_comes_first_in_some_round() {
    let mut plan = plan_of(Order::Interleaved, 0, 50, &["a", "b"]);
    compared(&mut plan, &[0, 1]);
    let first: HashSet<usize> = order(&plan, 3).chunks(2).map(|round| round[0].0).collect();
    assert_eq!(first, HashSet::from([0, 1]));
}

#[test]
fn comparisons_that_share_a_cell_are_interleaved_together() {
    let mut plan = plan_of(Order::Interleaved, 0, 2, &["a", "b", "c", "d", "shared"]);
    compared(&mut plan, &[0, 4]);
    compared(&mut plan, &[1, 4]);
    compared(&mut plan, &[2, 3]);
    assert_eq!(connected(&plan.scenarios[0]), [vec![0, 1, 4], vec![2, 3]]);
    let rounds: Vec<u32> = order(&plan, 1).iter().map(|&(_, round)| round).collect();
    assert_eq!(rounds, [1, 1, 1, 2, 2, 2, 1, 1, 2, 2]);
}

/// The records' ids and rounds, in order.
fn made(plan: &Plan, twins: &Twins, before: &Before) -> Vec<(String, RangeInclusive<u32>)> {
    schedule(plan, 1, twins, before).iter().map(|visit| (visit.id(plan), visit.rounds.clone())).collect()
}

fn twins_of(plan: &mut Plan) -> Twins {
    plan.scenarios[0].comparisons[0].baseline = Some(0);
    Twins::of(plan, |_, _| true)
}

#[test]
fn a_twin_is_interleaved_like_every_cell() {
    let mut plan = plan_of(Order::Interleaved, 0, 20, &["a", "b"]);
    compared(&mut plan, &[0, 1]);
    let twins = twins_of(&mut plan);
    let made = made(&plan, &twins, &Before::default());
    let mut firsts = HashSet::new();
    for round in made.chunks(3) {
        let ids: HashSet<&str> = round.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, HashSet::from(["s/cell=a", "s/cell=a#aa", "s/cell=b"]));
        firsts.insert(round[0].0.as_str());
    }
    assert_eq!(firsts.len(), 3, "each comes first in some round");
}

#[test]
fn in_a_sequential_scenario_a_twin_is_the_last_of_those_that_are_compared() {
    let mut plan = plan_of(Order::Sequential, 0, 2, &["a", "b", "c"]);
    compared(&mut plan, &[0, 1]);
    let twins = twins_of(&mut plan);
    let ids: Vec<String> = made(&plan, &twins, &Before::default()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["s/cell=a", "s/cell=b", "s/cell=a#aa", "s/cell=c"]);
}

#[test]
fn what_an_earlier_part_has_is_left_out_round_by_round_and_the_order_stays() {
    let mut plan = plan_of(Order::Interleaved, 0, 3, &["a", "b", "c"]);
    compared(&mut plan, &[0, 1, 2]);
    let whole = made(&plan, &Twins::default(), &Before::default());
    let there = [sample("s/cell=a", 1, 5), sample("s/cell=c", 1, 5), failure("s/cell=b", 2, FailureKind::Died, "died")];
    let rest = made(&plan, &Twins::default(), &Before::of(&there, Duration::ZERO));
    let expected: Vec<_> = whole.into_iter().filter(|(id, rounds)| id != "s/cell=b" && *rounds.start() > 1).collect();
    assert_eq!((rest.len(), rest), (4, expected));
}

#[test]
fn a_sequential_cell_goes_on_with_its_first_missing_round() {
    let plan = plan_of(Order::Sequential, 1, 5, &["a"]);
    let there = [sample("s/cell=a", 1, 5), sample("s/cell=a", 2, 5), sample("s/cell=a", 4, 5)];
    let rest = made(&plan, &Twins::default(), &Before::of(&there, Duration::ZERO));
    assert_eq!(rest, [("s/cell=a".to_owned(), 3..=3), ("s/cell=a".to_owned(), 5..=5)]);
}

#[test]
fn the_estimate_is_that_of_what_is_left_and_of_the_twins() {
    let mut plan = plan_of(Order::Interleaved, 1, 4, &["a", "b"]);
    compared(&mut plan, &[0, 1]);
    let twins = twins_of(&mut plan);
    let whole = plan.estimate();
    let about = |twins: &Twins, before: &Before| {
        (estimate(&plan, &schedule(&plan, 1, twins, before)).as_secs_f64() / whole.as_secs_f64() * 100.0).round()
    };
    assert_eq!(about(&Twins::default(), &Before::default()), 100.0);
    assert_eq!(about(&twins, &Before::default()), 150.0);
    assert_eq!(about(&Twins::default(), &Before::of(&[sample("s/cell=a", 1, 5)], Duration::ZERO)), 88.0);
}
