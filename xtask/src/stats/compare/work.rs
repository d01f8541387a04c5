//! Whether two cells of one id do the same work. A name says little: the sizes of a task stand in the matrix.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Basis;
use crate::matrix::axis::AxisValue;
use crate::matrix::plan::{Cell, Plan};
use crate::report::format::UNKNOWN;
use crate::results::figures::ScenarioFigures;
use crate::results::load::Loaded;
use crate::stats::settings;

/// The cells whose work is not the same.
#[derive(Debug)]
pub enum OtherWork {
    /// Both results ran the same matrix in the same sizes, or one is published: its sizes are its own.
    None,
    /// By id of the cells that both matrices have: what differs, and nothing where they are alike. Of the others, such as those
    /// of a runtime from the command line, only what a summary says of a scenario is known.
    ByCell(HashMap<String, Option<String>>),
    /// A matrix is missing: the same for all cells.
    OnlySettings,
}

impl OtherWork {
    /// Looks at both matrices.
    #[must_use]
    pub fn between(base: &Loaded, new: &Loaded, basis: Basis) -> Self {
        if base.publication.is_some() || new.publication.is_some() {
            return Self::None;
        }
        // Across machines `workers = "cores"` is one question with two answers, which is what is compared.
        let same_cores = basis == Basis::Ratio || base.cores() == new.cores();
        let same_text = base.matrix.is_some() && base.matrix == new.matrix;
        if same_text && same_cores && base.is_quick() == new.is_quick() {
            return Self::None;
        }
        let cores = base.cores().or(new.cores());
        let plan = |of: &Loaded| of.plan(if basis == Basis::Ratio { cores } else { of.cores() });
        match (plan(base), plan(new)) {
            (Some(base), Some(new)) => Self::ByCell(by_cell(&base, &new)),
            _ => Self::OnlySettings,
        }
    }

    /// What differs in the work of a cell: `tasks 8 → 16`.
    #[must_use]
    pub fn of(&self, base: &ScenarioFigures, new: &ScenarioFigures, cell: &str) -> Option<String> {
        match self {
            Self::None => None,
            Self::ByCell(cells) => match cells.get(cell) {
                Some(known) => known.clone(),
                None => by_settings(base, new),
            },
            Self::OnlySettings => by_settings(base, new),
        }
    }
}

fn by_settings(base: &ScenarioFigures, new: &ScenarioFigures) -> Option<String> {
    let value = |scenario: &ScenarioFigures| -> BTreeMap<String, Option<AxisValue>> {
        scenario.settings.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect()
    };
    let mut words = changed(&value(base), &value(new));
    words.extend(setup(base.include_setup, new.include_setup));
    (!words.is_empty()).then(|| words.join(", "))
}

fn by_cell(base: &Plan, new: &Plan) -> HashMap<String, Option<String>> {
    let cells = |plan: &Plan| -> HashMap<String, (Cell, bool)> {
        let all = plan.scenarios.iter().flat_map(|scenario| scenario.cells.iter().map(move |cell| (scenario, cell)));
        all.map(|(scenario, cell)| (cell.id.clone(), (cell.clone(), scenario.include_setup))).collect()
    };
    let new = cells(new);
    let both = cells(base).into_iter().filter_map(|(id, ours)| Some((new.get(&id)?, id, ours)));
    both.map(|((theirs, theirs_setup), id, (ours, ours_setup))| {
        if ours.work == theirs.work && ours.runtime == theirs.runtime && ours_setup == *theirs_setup {
            return (id, None);
        }
        let mut words = changed(&settings::of(&ours), &settings::of(theirs));
        words.extend(setup(ours_setup, *theirs_setup));
        if words.is_empty() {
            words.push("the matrices describe it differently".to_owned());
        }
        (id, Some(words.join(", ")))
    })
    .collect()
}

fn setup(base: bool, new: bool) -> Option<String> {
    (base != new).then(|| format!("include_setup {base} → {new}"))
}

/// `tasks 8 → 16` for each key that differs.
fn changed(base: &BTreeMap<String, Option<AxisValue>>, new: &BTreeMap<String, Option<AxisValue>>) -> Vec<String> {
    differing(base, new).into_iter().map(|(key, base, new)| format!("{key} {base} → {new}")).collect()
}

/// Each setting of a cell that differs, with both values. Nothing where the cells differ in what no setting tells.
pub(super) fn settings_that_differ(base: &Cell, new: &Cell) -> Vec<(String, String, String)> {
    differing(&settings::of(base), &settings::of(new))
}

/// Each key that differs, with both values.
fn differing(
    base: &BTreeMap<String, Option<AxisValue>>,
    new: &BTreeMap<String, Option<AxisValue>>,
) -> Vec<(String, String, String)> {
    let keys: BTreeSet<&String> = base.keys().chain(new.keys()).collect();
    let shown = |side: &BTreeMap<String, Option<AxisValue>>, key: &str| {
        side.get(key).cloned().flatten().map_or_else(|| UNKNOWN.to_owned(), |value| value.to_string())
    };
    keys.into_iter()
        .map(|key| (key.clone(), shown(base, key), shown(new, key)))
        .filter(|(_, base, new)| base != new)
        .collect()
}
