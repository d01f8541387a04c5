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
mod tests;
