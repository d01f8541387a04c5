//! Which cells of a scenario are compared with which: those that differ only in the compared axis.

use std::collections::{HashMap, HashSet};

use super::axis::Axes;
use super::plan::{Cell, Comparison};
use super::written::Question;

/// Collects the cells of each comparison while the combinations go by.
pub struct Comparisons {
    /// The group of axes that is compared; an axis that is zipped with the compared one moves with it.
    compared: Option<usize>,
    /// Number of steps of each group.
    steps: Vec<usize>,
    /// By the rank of the other groups' steps: step of the compared group, cell.
    members: Vec<Vec<(usize, usize)>>,
    any_collapsed: bool,
}

impl Comparisons {
    /// None yet.
    #[must_use]
    pub fn new(question: &Question) -> Self {
        let compared = question
            .compare
            .as_ref()
            .and_then(|compare| question.groups.iter().position(|group| group.contains(&compare.dimension)));
        let steps: Vec<usize> =
            question.groups.iter().map(|group| question.dimensions[group[0]].values.len()).collect();
        let count = match compared {
            Some(compared) => {
                steps.iter().enumerate().filter(|(group, _)| *group != compared).map(|(_, s)| s).product()
            }
            // Nothing is compared: all cells run together.
            None => 1,
        };
        Self { compared, steps, members: vec![Vec::new(); count], any_collapsed: false }
    }

    /// Takes note of the cell of a combination.
    pub fn add(&mut self, step: &[usize], cell: usize, collapsed: bool) {
        self.any_collapsed |= collapsed;
        let (rank, at) = match self.compared {
            Some(compared) => (self.rank(step, compared), step[compared]),
            None => (0, cell),
        };
        self.members[rank].push((at, cell));
    }

    fn rank(&self, step: &[usize], compared: usize) -> usize {
        let others = step.iter().zip(&self.steps).enumerate().filter(|(group, _)| *group != compared);
        others.fold(0, |rank, (_, (at, steps))| rank * steps + at)
    }

    /// The steps of the other groups at this rank; the compared group's is 0.
    fn unrank(&self, mut rank: usize, compared: usize) -> Vec<usize> {
        let mut step = vec![0; self.steps.len()];
        for group in (0..self.steps.len()).rev().filter(|group| *group != compared) {
            step[group] = rank % self.steps[group];
            rank /= self.steps[group];
        }
        step
    }

    /// The comparisons, in the order of the cells.
    #[must_use]
    pub fn finish(mut self, question: &Question, cells: &[Cell]) -> Vec<Comparison> {
        let mut merged: Vec<(Axes, Vec<(usize, usize)>)> = Vec::new();
        let mut by_fixed: HashMap<Vec<(usize, usize)>, usize> = HashMap::new();
        for (rank, members) in std::mem::take(&mut self.members).into_iter().enumerate() {
            if members.is_empty() {
                continue;
            }
            let (key, fixed) = self.fixed(rank, &members, question, cells);
            // An axis that collapsed on all cells of a comparison is not part of it; what is left may be one that
            // we have met before.
            if self.any_collapsed
                && let Some(index) = by_fixed.get(&key)
            {
                merged[*index].1.extend(members);
                continue;
            }
            if self.any_collapsed {
                by_fixed.insert(key, merged.len());
            }
            merged.push((fixed, members));
        }
        merged.into_iter().map(|(fixed, members)| self.comparison(fixed, members, question)).collect()
    }

    /// The values of the axes that are not compared, as indices and for display.
    fn fixed(
        &self,
        rank: usize,
        members: &[(usize, usize)],
        question: &Question,
        cells: &[Cell],
    ) -> (Vec<(usize, usize)>, Axes) {
        let (mut key, mut fixed) = (Vec::new(), Axes::new());
        let Some(compared) = self.compared else { return (key, fixed) };
        let step = self.unrank(rank, compared);
        let mut others: Vec<(usize, usize)> = Vec::new();
        for (group, at) in step.iter().enumerate().filter(|(group, _)| *group != compared) {
            others.extend(question.groups[group].iter().map(|dimension| (*dimension, *at)));
        }
        others.sort_unstable();
        for (dimension, value) in others {
            let dimension_of = &question.dimensions[dimension];
            let applies = |(_, cell): &(usize, usize)| cells[*cell].axes.contains_key(&dimension_of.name);
            if !self.any_collapsed || members.iter().any(applies) {
                key.push((dimension, value));
                fixed.insert(dimension_of.name.clone(), dimension_of.values[value].shown.clone());
            }
        }
        (key, fixed)
    }

    fn comparison(&self, fixed: Axes, mut members: Vec<(usize, usize)>, question: &Question) -> Comparison {
        members.sort_by_key(|(at, _)| *at);
        let is_baseline = |at: usize| match &question.compare {
            None => false,
            Some(compare) => compare.baseline.as_ref().map_or(at == 0, |(values, _)| values.contains(&at)),
        };
        let baseline = members.iter().find(|(at, _)| is_baseline(*at)).map(|(_, cell)| *cell);
        let mut cells: Vec<usize> = members.iter().map(|(_, cell)| *cell).collect();
        if self.any_collapsed {
            let mut seen = HashSet::new();
            cells.retain(|cell| seen.insert(*cell));
        }
        Comparison { fixed, cells, baseline }
    }
}
