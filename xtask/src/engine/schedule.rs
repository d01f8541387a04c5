//! The order of all repetitions: plan and seed in, visits out. Pure.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::matrix::plan::{Order, Plan, Scenario};

/// One process's worth of repetitions of one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Index into [`Plan::scenarios`].
    pub scenario: usize,
    /// Index into [`Scenario::cells`].
    pub cell: usize,
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
}

/// The visits of a plan in the order in which they are made, cells in `skip` (by id) left out.
///
/// Interleaved scenarios go round by round through the cells that are compared with one another, directly or by way
/// of others, so that drift of the machine falls on all of them alike. Within a round the order is random, so that
/// nobody always runs after the same neighbour. The same plan and seed give the same order.
#[must_use]
pub fn schedule(plan: &Plan, seed: u64, skip: &HashSet<String>) -> Vec<Visit> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut visits = Vec::new();
    for (index, scenario) in plan.scenarios.iter().enumerate() {
        let runs = scenario.schedule.runs;
        let mut visit =
            |cell, rounds| visits.push(Visit { scenario: index, cell, warmups: scenario.schedule.warmups, rounds });
        for mut cells in connected(scenario) {
            cells.retain(|&cell| !skip.contains(&scenario.cells[cell].id));
            match scenario.schedule.order {
                Order::Sequential => cells.iter().for_each(|&cell| visit(cell, 1..=runs)),
                Order::Interleaved => {
                    for round in 1..=runs {
                        random.shuffle(&mut cells);
                        cells.iter().for_each(|&cell| visit(cell, round..=round));
                    }
                }
            }
        }
    }
    visits
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
    use super::super::scripted::plan_of;
    use super::*;
    use crate::matrix::plan::Comparison;

    fn compared(plan: &mut Plan, cells: &[usize]) {
        let comparison = Comparison { fixed: <_>::default(), cells: cells.to_vec(), baseline: None };
        plan.scenarios[0].comparisons.push(comparison);
    }

    fn order(plan: &Plan, seed: u64) -> Vec<(usize, u32)> {
        schedule(plan, seed, &HashSet::new()).iter().map(|visit| (visit.cell, *visit.rounds.start())).collect()
    }

    #[test]
    fn sequential_cells_have_one_visit_each_in_the_order_of_the_matrix() {
        let plan = plan_of(Order::Sequential, 1, 3, &["a", "b"]);
        let visit = |cell| Visit { scenario: 0, cell, warmups: 1, rounds: 1..=3 };
        assert_eq!(schedule(&plan, 7, &HashSet::new()), [visit(0), visit(1)]);
        assert_eq!(visit(0).repetitions(), 4);
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

    #[test]
    fn cells_of_an_earlier_result_are_left_out() {
        let plan = plan_of(Order::Sequential, 0, 1, &["a", "b"]);
        let visits = schedule(&plan, 1, &HashSet::from(["s/cell=a".to_owned()]));
        assert_eq!(visits.iter().map(|visit| visit.cell).collect::<Vec<_>>(), [1]);
    }
}
