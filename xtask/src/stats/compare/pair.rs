//! Which cells of two results belong together, and what becomes of each.

use std::collections::{HashMap, HashSet};

use super::index::Index;
use super::standing::{ratio, speed};
use super::work::OtherWork;
use super::{Basis, Change, NotCompared, ResultComparison, SCHEMA, Unit, Why, facts};
use crate::matrix::pattern::{IdPatterns, PatternError};
use crate::results::figures::{CellFigures, ComparisonFigures, RowFigures, ScenarioFigures};
use crate::results::load::Loaded;
use crate::stats::summary::Status;
use crate::stats::verdict::ASSUMED_FLOOR;

/// Compares two results, cell by cell. `force` compares times also of different machines.
///
/// Cells belong together that have the same id and do the same work. A published result names only the coordinates that
/// it prints: there a cell belongs to the one of the same scenario that has them, as axes or as settings.
///
/// # Errors
/// A pattern matches no cell of either.
pub fn compare(
    base: &Loaded,
    new: &Loaded,
    patterns: &IdPatterns<'_>,
    force: bool,
) -> Result<ResultComparison, PatternError> {
    let all = [base, new].into_iter().flat_map(|side| &side.figures.scenarios).flat_map(|scenario| &scenario.cells);
    patterns.check(&all.map(|cell| cell.id.as_str()).collect::<Vec<_>>())?;
    let mut notes: Vec<String> = base.notes.iter().chain(&new.notes).cloned().collect();
    let basis = match facts::same_machine(base, new) {
        Ok(()) => Basis::Speed,
        Err(why) if force => {
            notes.push(format!("{why}; their times are compared because --force says so."));
            Basis::Speed
        }
        Err(why) => {
            notes.push(format!("{why}: each cell's ratio to its own baseline is compared, and no times."));
            Basis::Ratio
        }
    };
    if basis == Basis::Speed {
        notes.extend(facts::calibration_note(base, new));
    }
    let mut pairing = Pairing {
        new: Index::of(&new.figures),
        is_published: base.publication.is_some() || new.publication.is_some(),
        other_work: OtherWork::between(base, new, basis),
        met: HashSet::new(),
        changes: Vec::new(),
        not_compared: Vec::new(),
    };
    for scenario in &base.figures.scenarios {
        match basis {
            Basis::Speed => pairing.speeds(scenario),
            Basis::Ratio => pairing.ratios(scenario),
        }
    }
    pairing.rest(base, new);
    let Pairing { mut changes, mut not_compared, .. } = pairing;
    changes.retain(|change| patterns.choose(&change.cell));
    not_compared.retain(|cell| patterns.choose(&cell.cell));
    if changes.iter().any(|change| change.floor.is_none() && change.change.low.is_some()) {
        notes.push(format!("Where neither result knows its noise floor, {} % is assumed.", ASSUMED_FLOOR * 100.0));
    }
    Ok(ResultComparison {
        schema: SCHEMA,
        base: facts::side(base),
        new: facts::side(new),
        basis,
        differences: facts::differences(base, new),
        changes,
        not_compared,
        notes,
    })
}

struct Pairing<'a> {
    new: Index<'a>,
    is_published: bool,
    other_work: OtherWork,
    /// Ids of the new result's cells that have met their like.
    met: HashSet<&'a str>,
    changes: Vec<Change>,
    not_compared: Vec<NotCompared>,
}

impl<'a> Pairing<'a> {
    fn leave(&mut self, cell: &str, why: Why, reason: impl Into<String>) {
        self.not_compared.push(NotCompared { cell: cell.to_owned(), why, reason: reason.into() });
    }

    /// The new result's cell of the same place and work; what forbids it is taken note of.
    fn twin(
        &mut self,
        scenario: &ScenarioFigures,
        cell: &CellFigures,
    ) -> Option<(&'a ScenarioFigures, &'a CellFigures)> {
        let Some((theirs, twin)) = self.new.like(scenario, cell, self.is_published) else {
            self.leave(&cell.id, Why::OnlyInBase, "only the base has it");
            return None;
        };
        self.met.insert(&twin.id);
        match (cell.status, twin.status) {
            (Status::Ok, Status::Ok) => {}
            (Status::Ok, _) => {
                let reason = twin.reason.as_deref().unwrap_or("it was not run");
                self.leave(&cell.id, Why::Lost, format!("no figures in the new result: {reason}"));
                return None;
            }
            (_, Status::Ok) => {
                let reason = cell.reason.as_deref().unwrap_or("it was not run");
                self.leave(&cell.id, Why::Gained, format!("no figures in the base: {reason}"));
                return None;
            }
            _ => {
                self.leave(&cell.id, Why::NoFigure, "no figures in either");
                return None;
            }
        }
        if let Some(differs) = self.other_work.of(scenario, theirs, &cell.id) {
            self.leave(&cell.id, Why::OtherWork, format!("other work: {differs}"));
            return None;
        }
        Some((theirs, twin))
    }

    fn speeds(&mut self, scenario: &ScenarioFigures) {
        let floors = Floors::of(scenario);
        let their_floors = self.new.scenario(&scenario.name).map(Floors::of);
        for cell in &scenario.cells {
            let Some((theirs, twin)) = self.twin(scenario, cell) else { continue };
            let (base, new) = match (speed(scenario, cell), speed(theirs, twin)) {
                (Ok(base), Ok(new)) => (base, new),
                (Err(reason), _) | (_, Err(reason)) => {
                    self.leave(&cell.id, Why::NoFigure, reason);
                    continue;
                }
            };
            if base.unit != new.unit {
                self.leave(
                    &cell.id,
                    Why::OtherWork,
                    "other work: time is compared in one, and work a second in the other",
                );
                continue;
            }
            let Some(change) = new.over(&base) else {
                self.leave(&cell.id, Why::NoFigure, "the load generator was the limit in both");
                continue;
            };
            let theirs = their_floors.as_ref().and_then(|floors| floors.of_cell(&twin.id));
            let floor = larger(floors.of_cell(&cell.id), theirs);
            self.changes.push(Change {
                scenario: scenario.name.clone(),
                cell: cell.id.clone(),
                baseline: None,
                unit: base.unit,
                base: base.median(),
                new: new.median(),
                change,
                floor,
                verdict: change.verdict(floor.unwrap_or(ASSUMED_FLOOR)),
            });
        }
    }

    fn ratios(&mut self, scenario: &ScenarioFigures) {
        if scenario.comparisons.iter().all(|comparison| comparison.baseline.is_none()) {
            for cell in &scenario.cells {
                self.leave(&cell.id, Why::NoFigure, "its scenario has no baseline, and so no ratios");
                self.met.extend(self.new.like(scenario, cell, self.is_published).map(|(_, twin)| twin.id.as_str()));
            }
            return;
        }
        let cells = Index::cells_of(scenario);
        let mut seen = HashSet::new();
        for comparison in &scenario.comparisons {
            let baseline = comparison.baseline.as_deref().and_then(|id| cells.get(id).copied());
            for row in &comparison.rows {
                let Some(cell) = cells.get(row.cell.as_str()).copied() else { continue };
                // A cell in several comparisons has one fate and several ratios.
                let before = self.not_compared.len();
                let twin = self.twin(scenario, cell);
                if !seen.insert(cell.id.as_str()) {
                    self.not_compared.truncate(before);
                }
                // A baseline has no ratio to compare, and has still to be there.
                if baseline.is_some_and(|baseline| baseline.id == cell.id) {
                    continue;
                }
                let Some((baseline, twin)) = baseline.zip(twin) else { continue };
                self.ratio(scenario, comparison, (baseline, cell, row), twin);
            }
        }
    }

    fn ratio(
        &mut self,
        scenario: &ScenarioFigures,
        comparison: &ComparisonFigures,
        (baseline, cell, row): (&CellFigures, &CellFigures, &RowFigures),
        (theirs, twin): (&'a ScenarioFigures, &'a CellFigures),
    ) {
        let Some((_, their_baseline)) = self.new.like(scenario, baseline, self.is_published) else {
            self.leave(&cell.id, Why::NoFigure, format!("the new result lacks its baseline `{}`", baseline.id));
            return;
        };
        let same = |other: &&ComparisonFigures| other.baseline.as_deref() == Some(&their_baseline.id);
        let row_of = |other: &'a ComparisonFigures| Some((other, other.rows.iter().find(|row| row.cell == twin.id)?));
        let Some((their_comparison, their_row)) = theirs.comparisons.iter().filter(same).find_map(row_of) else {
            self.leave(&cell.id, Why::NoFigure, "the new result compares it with another baseline");
            return;
        };
        if let Some(differs) = self.other_work.of(scenario, theirs, &baseline.id) {
            self.leave(&cell.id, Why::OtherWork, format!("its baseline does other work: {differs}"));
            return;
        }
        let base = ratio(scenario, baseline, cell, row.ratio.as_ref());
        let new = ratio(theirs, their_baseline, twin, their_row.ratio.as_ref());
        let Some((base, new)) = base.zip(new) else {
            let reason = speed(scenario, cell).and(speed(theirs, twin)).err().unwrap_or("one of them has no ratio");
            self.leave(&cell.id, Why::NoFigure, reason);
            return;
        };
        let change = new.over(&base);
        let share = |comparison: &ComparisonFigures| comparison.floor.as_ref().map(|floor| floor.share);
        // Both ratios are noisy, each as its own machine is.
        let floor = match (share(comparison), share(their_comparison)) {
            (Some(base), Some(new)) => Some(base.hypot(new)),
            (one, other) => one.or(other),
        };
        self.changes.push(Change {
            scenario: scenario.name.clone(),
            cell: cell.id.clone(),
            baseline: Some(baseline.id.clone()),
            unit: Unit::Ratio,
            base,
            new,
            change,
            floor,
            verdict: change.verdict(floor.unwrap_or(ASSUMED_FLOOR)),
        });
    }

    /// What only the new result has. That an article does not ask all our questions is no news.
    fn rest(&mut self, base: &Loaded, new: &'a Loaded) {
        let asked: HashSet<&str> = base.figures.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        let is_of_interest = |scenario: &&ScenarioFigures| !self.is_published || asked.contains(scenario.name.as_str());
        let scenarios: Vec<_> = new.figures.scenarios.iter().filter(is_of_interest).collect();
        for cell in scenarios.into_iter().flat_map(|scenario| &scenario.cells) {
            if !self.met.contains(cell.id.as_str()) {
                self.leave(&cell.id, Why::OnlyInNew, "only the new result has it");
            }
        }
    }
}

/// The noise floor that counts for each cell: that of its comparison, the largest where it is in several.
struct Floors<'a>(HashMap<&'a str, f64>);

impl<'a> Floors<'a> {
    fn of(scenario: &'a ScenarioFigures) -> Self {
        let mut floors = HashMap::new();
        for comparison in &scenario.comparisons {
            let Some(floor) = &comparison.floor else { continue };
            for row in &comparison.rows {
                let known = floors.entry(row.cell.as_str()).or_insert(floor.share);
                *known = known.max(floor.share);
            }
        }
        Self(floors)
    }

    fn of_cell(&self, cell: &str) -> Option<f64> {
        self.0.get(cell).copied()
    }
}

/// The larger of two, where one is known.
fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}
