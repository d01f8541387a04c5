//! Where a cell stands within one result: its speed, and its ratio to its baseline.

use super::{Estimate, Unit};
use crate::results::figures::{CellFigures, ScenarioFigures, Values};
use crate::stats::summary::{Bound, Flag, Ratio, Status};

/// The speed of a cell.
#[derive(Debug, Clone, Copy)]
pub struct Speed<'a> {
    /// What it is given as.
    pub unit: Unit,
    /// All runs.
    pub values: &'a Values,
    /// Whether the load generator was at its limit.
    pub is_held_back: bool,
}

/// The speed of a cell, or why it has none that could be compared.
///
/// # Errors
/// The reason, in words that go on after "cannot be compared: ".
pub fn speed<'a>(scenario: &ScenarioFigures, cell: &'a CellFigures) -> Result<Speed<'a>, &'static str> {
    if cell.status != Status::Ok {
        return Err("it was not measured");
    }
    if scenario.is_open_loop() {
        return Err("an open loop has no speed: it gets the rate that it asks for, see its latency");
    }
    if cell.flags.contains(&Flag::BelowResolution) {
        return Err("it is too short for the clock");
    }
    let (unit, values) = match scenario.kind.as_str() {
        "http" => (Unit::PerS, &cell.throughput_per_s),
        _ => (Unit::Ns, &cell.elapsed_ns),
    };
    let values = values.as_ref().ok_or("it has no figures")?;
    if values.median <= 0.0 {
        return Err("it took no time at all");
    }
    Ok(Speed { unit, values, is_held_back: cell.flags.contains(&Flag::ClientBound) })
}

impl Speed<'_> {
    /// How much faster this is than another: above 1 is faster.
    #[must_use]
    pub fn over(&self, other: &Self) -> Option<Estimate> {
        let bound = match (other.is_held_back, self.is_held_back) {
            (true, true) => return None,
            (false, false) => None,
            (false, true) => Some(Bound::AtLeast),
            (true, false) => Some(Bound::AtMost),
        };
        let (ours, theirs) = ((self.values.median, &*self.values.values), (other.values.median, &*other.values.values));
        // Less time is faster, more answers are.
        let estimate = match self.unit {
            Unit::Ns => Estimate::of_runs(theirs, ours),
            Unit::PerS | Unit::Ratio => Estimate::of_runs(ours, theirs),
        };
        estimate.map(|estimate| Estimate { bound, ..estimate })
    }

    /// The median.
    #[must_use]
    pub fn median(&self) -> Estimate {
        Estimate::bare(self.values.median)
    }
}

/// The ratio of a cell to its baseline: from their runs where there are any, so that results that were made before there
/// were intervals have them too; otherwise as the result says it.
#[must_use]
pub fn ratio(
    scenario: &ScenarioFigures,
    baseline: &CellFigures,
    cell: &CellFigures,
    said: Option<&Ratio>,
) -> Option<Estimate> {
    let said = said.map(|ratio| Estimate {
        value: ratio.value,
        low: ratio.low,
        high: ratio.high,
        confidence: ratio.confidence,
        bound: ratio.bound,
    });
    let from_runs = || speed(scenario, cell).ok()?.over(&speed(scenario, baseline).ok()?);
    match from_runs() {
        Some(estimate) if estimate.low.is_some() => Some(estimate),
        other => said.or(other),
    }
}
