//! Twins: baselines that are measured twice, as two cells, to see how far apart two equal cells may seem to be here
//! (an A/A pass). What is made of them is decided in [`stats`](crate::stats); here is which there are.
//!
//! A twin is no cell of the plan: it is in no table and in no count of cells. Its runs are made among those of the other
//! cells, and are recorded under an id of its own.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::matrix::plan::{Comparison, Plan, Scenario, TWIN_SUFFIX};

/// The baseline of a twin; `None` for the id of a cell.
#[must_use]
pub fn baseline_of(id: &str) -> Option<&str> {
    id.strip_suffix(TWIN_SUFFIX)
}

/// The cells that have a twin, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Twins(BTreeSet<String>);

impl Twins {
    /// The baselines of the comparisons that `wanted` names. A baseline of several comparisons has one twin; a
    /// comparison of which less than two cells are left needs none.
    #[must_use]
    pub fn of(plan: &Plan, wanted: impl Fn(&Scenario, &Comparison) -> bool) -> Self {
        let comparisons =
            plan.scenarios.iter().flat_map(|scenario| scenario.comparisons.iter().map(move |c| (scenario, c)));
        let of = |(scenario, comparison): (&Scenario, &Comparison)| {
            let baseline =
                comparison.baseline.filter(|_| comparison.cells.len() > 1 && wanted(scenario, comparison))?;
            Some(scenario.cells[baseline].id.clone())
        };
        Self(comparisons.filter_map(of).collect())
    }

    /// Whether a cell has one.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use protocol::Model;

    use super::*;
    use crate::stats::fixtures::{batch, plan};

    fn three() -> Plan {
        plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Threads), batch(Model::Rayon)])
    }

    fn ids(twins: &Twins) -> Vec<&str> {
        twins.0.iter().map(String::as_str).collect()
    }

    #[test]
    fn a_baseline_of_several_comparisons_has_one_twin() {
        let mut plan = three();
        let comparison = Comparison { cells: vec![0, 2], ..plan.scenarios[0].comparisons[0].clone() };
        plan.scenarios[0].comparisons.push(comparison);
        assert_eq!(ids(&Twins::of(&plan, |_, _| true)), ["s/model=sequential"]);
        assert_eq!(Twins::of(&plan, |_, _| false).count(), 0);
    }

    #[test]
    fn who_is_compared_with_nobody_has_none() {
        let mut alone = three();
        alone.scenarios[0].comparisons[0].cells = vec![0];
        let mut measured_only = three();
        measured_only.scenarios[0].comparisons[0].baseline = None;
        for plan in [alone, measured_only] {
            assert_eq!(Twins::of(&plan, |_, _| true).count(), 0);
        }
    }

    #[test]
    fn the_id_of_a_twin_is_told_from_all_others() {
        assert_eq!(baseline_of("s/model=sequential#aa"), Some("s/model=sequential"));
        assert_eq!(baseline_of("s/model=sequential"), None);
    }
}
