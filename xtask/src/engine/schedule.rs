//! The order of all repetitions: plan and seed in, visits out. Pure.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::before::Before;
use super::twins::Twins;
use crate::matrix::plan::{Order, Plan, Scenario, twin_id};

/// One process's worth of repetitions of one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Index into [`Plan::scenarios`].
    pub scenario: usize,
    /// Index into [`Scenario::cells`].
    pub cell: usize,
    /// Whether it is the cell's twin that is visited.
    pub twin: bool,
    /// Visits of one block belong together, such as a round of the cells that are compared: what has to be made again
    /// is made at its end.
    pub block: u32,
    /// Runs that warm the process up.
    pub warmups: u32,
    /// The counted runs, by round, from 1 on.
    pub rounds: RangeInclusive<u32>,
}

impl Visit {
    /// How many repetitions it has, warm-ups included.
    #[must_use]
    pub fn repetitions(&self) -> u64 {
        u64::from(self.warmups) + u64::from(self.rounds.end() + 1 - self.rounds.start())
    }

    /// The id that its records have.
    #[must_use]
    pub fn id(&self, plan: &Plan) -> String {
        let id = &plan.scenarios[self.scenario].cells[self.cell].id;
        if self.twin { twin_id(id) } else { id.clone() }
    }
}

/// The visits of a plan in the order in which they are made, without the rounds that are there already.
///
/// Interleaved scenarios go round by round through the cells that are compared with one another, directly or by way
/// of others, so that drift of the machine falls on all of them alike. Within a round the order is random, so that
/// nobody always runs after the same neighbour. Twins are cells like all others in this.
///
/// In sequential scenarios a twin comes after all cells that its baseline is compared with. So it is as far from the
/// baseline as any of them, and what it differs by has all the drift in it that their ratios have.
///
/// The same plan, seed and twins give the same order, whatever is there already.
#[must_use]
pub fn schedule(plan: &Plan, seed: u64, twins: &Twins, before: &Before) -> Vec<Visit> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut visits = Vec::new();
    let mut block = 0;
    for (scenario, asked) in plan.scenarios.iter().enumerate() {
        let (runs, warmups) = (asked.schedule.runs, asked.schedule.warmups);
        for group in connected(asked) {
            let twins = group.iter().filter(|&&cell| twins.has(&asked.cells[cell].id)).map(|&cell| (cell, true));
            let mut members: Vec<(usize, bool)> = group.iter().map(|&cell| (cell, false)).chain(twins).collect();
            let mut visit = |(cell, twin): (usize, bool), block, rounds: RangeInclusive<u32>| {
                let visit = Visit { scenario, cell, twin, block, warmups, rounds: rounds.clone() };
                let id = visit.id(plan);
                visits.extend(
                    missing(rounds, |round| before.has(&id, round)).map(|rounds| Visit { rounds, ..visit.clone() }),
                );
            };
            match asked.schedule.order {
                Order::Sequential => {
                    for &member in &members {
                        visit(member, block, 1..=runs);
                        block += 1;
                    }
                }
                Order::Interleaved => {
                    for round in 1..=runs {
                        random.shuffle(&mut members);
                        members.iter().for_each(|&member| visit(member, block, round..=round));
                        block += 1;
                    }
                }
            }
        }
    }
    visits
}

/// How long visits of a plan will take.
#[must_use]
pub fn estimate(plan: &Plan, visits: &[Visit]) -> Duration {
    let share = |visit: &Visit| {
        let scenario = &plan.scenarios[visit.scenario];
        let (some, all) = (visit.repetitions() as f64, scenario.schedule.repetitions() as f64);
        plan.estimate_cell(scenario, &scenario.cells[visit.cell]).mul_f64((some / all).min(1.0))
    };
    visits.iter().map(share).fold(Duration::ZERO, Duration::saturating_add)
}

/// The parts of a range that are not there, each without a gap.
fn missing(rounds: RangeInclusive<u32>, there: impl Fn(u32) -> bool) -> impl Iterator<Item = RangeInclusive<u32>> {
    let mut parts: Vec<RangeInclusive<u32>> = Vec::new();
    for round in rounds.filter(|&round| !there(round)) {
        match parts.last_mut() {
            Some(part) if part.end() + 1 == round => *part = *part.start()..=round,
            _ => parts.push(round..=round),
        }
    }
    parts.into_iter()
}

/// The cells of a scenario in groups: cells of one comparison are together, and so are comparisons that share a cell.
/// Groups and their members are in the order of the matrix.
fn connected(scenario: &Scenario) -> Vec<Vec<usize>> {
    // Union-find over the cells, with path halving; the smaller index becomes the root.
    let mut root: Vec<usize> = (0..scenario.cells.len()).collect();
    fn find(root: &mut [usize], mut cell: usize) -> usize {
        while root[cell] != cell {
            root[cell] = root[root[cell]];
            cell = root[cell];
        }
        cell
    }
    for comparison in &scenario.comparisons {
        for pair in comparison.cells.windows(2) {
            let (a, b) = (find(&mut root, pair[0]), find(&mut root, pair[1]));
            root[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); root.len()];
    for cell in 0..root.len() {
        let group = find(&mut root, cell);
        groups[group].push(cell);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

#[cfg(test)]
mod tests {
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
        let there =
            [sample("s/cell=a", 1, 5), sample("s/cell=c", 1, 5), failure("s/cell=b", 2, FailureKind::Died, "died")];
        let rest = made(&plan, &Twins::default(), &Before::of(&there, Duration::ZERO));
        let expected: Vec<_> =
            whole.into_iter().filter(|(id, rounds)| id != "s/cell=b" && *rounds.start() > 1).collect();
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
}
