//! Finds the cells of a result by their place.

use std::collections::HashMap;

use crate::results::figures::{CellFigures, Figures, ScenarioFigures};

/// The cells of a result, by scenario and id.
#[derive(Debug)]
pub struct Index<'a>(HashMap<&'a str, (&'a ScenarioFigures, HashMap<&'a str, &'a CellFigures>)>);

impl<'a> Index<'a> {
    /// Looks through a result once.
    #[must_use]
    pub fn of(figures: &'a Figures) -> Self {
        let entry = |scenario: &'a ScenarioFigures| (scenario.name.as_str(), (scenario, Self::cells_of(scenario)));
        Self(figures.scenarios.iter().map(entry).collect())
    }

    /// The scenario of this name.
    #[must_use]
    pub fn scenario(&self, name: &str) -> Option<&'a ScenarioFigures> {
        self.0.get(name).map(|(scenario, _)| *scenario)
    }

    /// The cells of one scenario by id.
    #[must_use]
    pub fn cells_of(scenario: &ScenarioFigures) -> HashMap<&str, &CellFigures> {
        scenario.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect()
    }

    /// The cell of the same id in the scenario of the same name. With `by_coordinates`, failing that, the only one that has
    /// all coordinates that the other has, or the other way round: one of the two names only what its article prints.
    #[must_use]
    pub fn like(
        &self,
        scenario: &ScenarioFigures,
        cell: &CellFigures,
        by_coordinates: bool,
    ) -> Option<(&'a ScenarioFigures, &'a CellFigures)> {
        let (theirs, cells) = self.0.get(scenario.name.as_str())?;
        if let Some(twin) = cells.get(cell.id.as_str()) {
            return Some((theirs, twin));
        }
        let fits = |other: &&CellFigures| has(scenario, cell, other) || has(theirs, other, cell);
        let mut fitting = theirs.cells.iter().filter(fits).filter(|_| by_coordinates);
        let twin = fitting.next()?;
        fitting.next().is_none().then_some((theirs, twin))
    }
}

/// Whether a cell, with the settings of its scenario, has all coordinates of another.
fn has(scenario: &ScenarioFigures, cell: &CellFigures, other: &CellFigures) -> bool {
    other.axes.iter().all(|(axis, value)| cell.axes.get(axis).or_else(|| scenario.settings.get(axis)) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures::{axis, measured, scenario, summary};

    fn figures(settings: &[(&str, u64)], cells: &[(&str, &[(&str, &str)])]) -> Figures {
        let cells = cells.iter().map(|(id, axes)| measured(id, axes, &[1_000])).collect();
        let mut scenario = scenario("s", "model", vec![axis("model", &["a"])], cells);
        scenario.settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
        Figures::from(&summary(vec![scenario]))
    }

    #[test]
    fn a_published_cell_belongs_to_the_one_that_has_all_its_coordinates() {
        let ours = figures(
            &[("tasks", 8)],
            &[("s/model=a,lock=gil", &[("model", "a"), ("lock", "gil")]), ("s/model=b", &[("model", "b")])],
        );
        let article = figures(&[], &[("s/model=a", &[("model", "a")]), ("s/model=c", &[("model", "c")])]);
        let index = Index::of(&ours);
        let scenario = &article.scenarios[0];
        let found =
            |cell: usize, lenient| index.like(scenario, &scenario.cells[cell], lenient).map(|(_, it)| it.id.as_str());
        assert_eq!(found(0, true), Some("s/model=a,lock=gil"));
        assert_eq!(found(0, false), None, "among our own results an id is an id");
        assert_eq!(found(1, true), None);
    }

    #[test]
    fn where_two_cells_fit_none_is_taken() {
        let ours = figures(
            &[],
            &[
                ("s/model=a,lock=gil", &[("model", "a"), ("lock", "gil")]),
                ("s/model=a,lock=none", &[("model", "a"), ("lock", "none")]),
            ],
        );
        let article = figures(&[], &[("s/model=a", &[("model", "a")])]);
        let scenario = &article.scenarios[0];
        assert!(Index::of(&ours).like(scenario, &scenario.cells[0], true).is_none());
    }
}
