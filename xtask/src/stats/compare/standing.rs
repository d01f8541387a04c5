//! Where a cell stands within one result: its speed, and its ratio to its baseline.

use super::{Estimate, Unit};
use crate::matrix::axis::AxisValue;
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
        // How many tasks fill a given time is counted anew for each result.
        _ if fills_a_time(scenario, cell) => (Unit::PerS, &cell.throughput_per_s),
        _ => (Unit::Ns, &cell.elapsed_ns),
    };
    let values = values.as_ref().ok_or("it has no figures")?;
    if values.median <= 0.0 {
        return Err("it took no time at all");
    }
    Ok(Speed { unit, values, is_held_back: cell.flags.contains(&Flag::ClientBound) })
}

/// Whether `tasks` is a time, such as `330ms`, and no number.
fn fills_a_time(scenario: &ScenarioFigures, cell: &CellFigures) -> bool {
    let tasks = cell.axes.get("tasks").or_else(|| scenario.settings.get("tasks"));
    matches!(tasks, Some(AxisValue::Text(_)))
}

impl Speed<'_> {
    /// How much faster this is than another: above 1 is faster. `None` where that cannot be told: both were held back, or one
    /// is a time and the other work a second.
    #[must_use]
    pub fn over(&self, other: &Self) -> Option<Estimate> {
        if self.unit != other.unit {
            return None;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures::{long, summary};
    use crate::results::figures::Figures;

    #[test]
    fn tasks_that_fill_a_time_are_compared_by_how_many_were_done_a_second() {
        let unit = |tasks: AxisValue| {
            let mut scenario = long();
            scenario.settings.insert("tasks".to_owned(), tasks);
            let figures = Figures::from(&summary(vec![scenario]));
            let scenario = &figures.scenarios[0];
            speed(scenario, &scenario.cells[0]).unwrap().unit
        };
        assert_eq!(unit(8.into()), Unit::Ns);
        assert_eq!(unit("330ms".into()), Unit::PerS);
    }

    #[test]
    fn what_was_not_measured_has_no_speed_and_says_why() {
        let figures = Figures::from(&summary(vec![long()]));
        let scenario = &figures.scenarios[0];
        assert_eq!(speed(scenario, &scenario.cells[4]).unwrap_err(), "it was not measured");
        let mut short = scenario.cells[0].clone();
        short.flags.push(Flag::BelowResolution);
        assert_eq!(speed(scenario, &short).unwrap_err(), "it is too short for the clock");
    }
}
