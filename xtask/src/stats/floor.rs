//! The noise floor: how far apart two equal cells may seem to be here, from an A/A pass or from earlier ones.

use std::collections::HashMap;

use super::interval::Interval;
use super::ratio::{self, Speed};
use super::summary::{CellSummary, FloorSource, NoiseFloor, Ratio};
use crate::matrix::axis::Axes;

/// The least noise floor, as a share: 1 %. Five runs may agree better than that by luck, and a smaller change is rarely worth
/// a decision. It is Criterion's noise threshold, too.
pub const LEAST: f64 = 0.01;

/// The noise floor that a baseline and its twin show; `None` where one of them was not measured, or in too few runs.
///
/// `measured` is when, RFC 3339 in UTC.
#[must_use]
pub fn measure(baseline: &CellSummary, twin: &CellSummary, speed: Speed, measured: &str) -> Option<NoiseFloor> {
    let ratio = ratio::ratio(baseline, twin, speed)?;
    Some(NoiseFloor {
        share: share(&ratio)?,
        source: FloorSource::Measured,
        measured: measured.to_owned(),
        ratio: Some(ratio.value),
        low: ratio.low,
        high: ratio.high,
        pairs: 1,
    })
}

/// The floor that the ratio of two equal cells shows: a quarter of the width of its interval, or how far the ratio itself is
/// from 1 where that is more, and at least [`LEAST`]. `None` where there are too few runs for an interval.
///
/// The width is what the runs of this machine can do to a ratio of equals, and does not come out near 0 by luck, as the
/// ratio itself does as often as not. Not more than a quarter: how the runs scatter is in the interval of the comparison
/// itself already, and one slow run of ten would make a floor that hides everything. The ratio is for what the interval does not know of: where two equal cells really do
/// differ, by drift or by where their memory lies. `docs/statistics.md` shows what the rule makes of false and of missed
/// verdicts.
#[must_use]
pub fn share(ratio: &Ratio) -> Option<f64> {
    let interval = Interval { low: ratio.low?, high: ratio.high?, confidence: ratio.confidence? };
    let quarter_width = (interval.high / interval.low).sqrt().sqrt();
    interval.is_enough().then(|| (quarter_width.max(ratio.value).max(1.0 / ratio.value) - 1.0).max(LEAST))
}

/// Noise floors of earlier runs on this machine, for comparisons without an A/A pass of their own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownFloors {
    by_comparison: HashMap<String, NoiseFloor>,
    machine: Option<NoiseFloor>,
}

impl KnownFloors {
    /// Remembers the floor of the comparison of a scenario with these fixed axes.
    pub fn remember(&mut self, scenario: &str, fixed: &Axes, floor: NoiseFloor) {
        self.by_comparison.insert(key(scenario, fixed), remembered(floor));
    }

    /// Remembers a floor for all comparisons that have none of their own.
    pub fn remember_for_machine(&mut self, floor: NoiseFloor) {
        // What one comparison measured is not another's.
        self.machine = Some(NoiseFloor { ratio: None, low: None, high: None, ..remembered(floor) });
    }

    /// The floor of a comparison: its own, else that of the machine.
    #[must_use]
    pub fn of(&self, scenario: &str, fixed: &Axes) -> Option<&NoiseFloor> {
        self.own(scenario, fixed).or(self.machine.as_ref())
    }

    /// The comparison's own floor.
    #[must_use]
    pub fn own(&self, scenario: &str, fixed: &Axes) -> Option<&NoiseFloor> {
        self.by_comparison.get(&key(scenario, fixed))
    }
}

fn remembered(floor: NoiseFloor) -> NoiseFloor {
    NoiseFloor { source: FloorSource::Remembered, ..floor }
}

/// What tells a comparison from all others of a matrix. Axes in any order: a matrix may be written anew.
fn key(scenario: &str, fixed: &Axes) -> String {
    let mut axes: Vec<String> = fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
    axes.sort();
    format!("{scenario}/{}", axes.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::{axes, cell};

    fn floor_of(share: f64) -> NoiseFloor {
        NoiseFloor {
            share,
            source: FloorSource::Measured,
            measured: "2026-11-30T17:15:22Z".to_owned(),
            ratio: Some(1.0),
            low: Some(0.9),
            high: Some(1.1),
            pairs: 1,
        }
    }

    fn measured(baseline: &[u64], twin: &[u64]) -> NoiseFloor {
        measure(&cell("a", baseline), &cell("a#aa", twin), Speed::Elapsed, "2026-11-30T17:15:22Z").unwrap()
    }

    #[test]
    fn the_floor_is_a_quarter_of_the_width_of_the_interval_of_equals() {
        let floor = measured(&[100, 102, 104, 106, 108], &[100, 102, 104, 106, 108]);
        assert_eq!((floor.source, floor.pairs, floor.ratio), (FloorSource::Measured, 1, Some(1.0)));
        assert_eq!(floor.measured, "2026-11-30T17:15:22Z");
        // Of the 25 quotients the 3rd is 102/108 and the 23rd its inverse.
        assert_eq!((floor.low, floor.high), (Some(102.0 / 108.0), Some(108.0 / 102.0)));
        assert!((floor.share - (f64::sqrt(108.0 / 102.0) - 1.0)).abs() < 1e-12, "{floor:?}");
    }

    #[test]
    fn equals_that_differ_by_more_than_their_interval_is_wide_raise_the_floor() {
        let there = measured(&[100, 101, 102, 103, 104], &[110, 111, 112, 113, 114]);
        assert!((there.share - (112.0 / 102.0 - 1.0)).abs() < 1e-12, "{there:?}");
        let back = measured(&[110, 111, 112, 113, 114], &[100, 101, 102, 103, 104]);
        assert!((there.share - back.share).abs() < 1e-12, "it does not matter which of two equals is the twin");
    }

    #[test]
    fn runs_that_agree_by_luck_do_not_make_a_floor_of_nothing() {
        let floor = measure(&cell("a", &[100; 5]), &cell("a#aa", &[100; 5]), Speed::Elapsed, "").unwrap();
        assert_eq!(floor.share, 0.01);
    }

    #[test]
    fn too_few_runs_have_no_floor() {
        let three = measure(&cell("a", &[100, 101, 102]), &cell("a#aa", &[100, 101, 103]), Speed::Elapsed, "");
        assert_eq!(three, None);
        assert_eq!(measure(&cell("a", &[100; 5]), &cell("a#aa", &[]), Speed::Elapsed, ""), None);
    }

    #[test]
    fn a_comparison_takes_its_own_floor_before_the_machines() {
        let mut known = KnownFloors::default();
        let gil = axes(&[("lock", "gil"), ("cpu", "1ms")]);
        assert_eq!(known.of("s", &gil), None);
        known.remember_for_machine(floor_of(0.02));
        known.remember("s", &gil, floor_of(0.03));
        let own = known.of("s", &axes(&[("cpu", "1ms"), ("lock", "gil")])).unwrap();
        assert_eq!((own.share, own.source, own.ratio), (0.03, FloorSource::Remembered, Some(1.0)));
        for (scenario, fixed) in [("t", gil), ("s", axes(&[("lock", "none"), ("cpu", "1ms")]))] {
            let machine = known.of(scenario, &fixed).unwrap();
            assert_eq!((machine.share, machine.source, machine.ratio), (0.02, FloorSource::Remembered, None));
            assert_eq!(known.own(scenario, &fixed), None);
        }
    }
}
