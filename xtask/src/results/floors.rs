//! Noise floors that earlier results on this machine have measured.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Deserialize;

use super::folder::SUMMARY;
use super::name::newest_first;
use crate::matrix::axis::Axes;
use crate::matrix::plan::{Comparison, Plan, Scenario};
use crate::stats::KnownFloors;
use crate::stats::spread::median;
use crate::stats::summary::{FloorSource, MachineSummary, NoiseFloor, SCHEMA};

/// Results of this machine that are looked at, the newest first. Older floors are of another time.
const RESULTS: usize = 20;

/// A floor of an earlier time than this is measured again.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// What is needed of a summary. All else is skipped while reading.
#[derive(Deserialize)]
struct Outline {
    schema: u32,
    #[serde(default)]
    machine: MachineSummary,
    scenarios: Vec<ScenarioOutline>,
}

#[derive(Deserialize)]
struct ScenarioOutline {
    name: String,
    comparisons: Vec<ComparisonOutline>,
}

#[derive(Deserialize)]
struct ComparisonOutline {
    fixed: Axes,
    #[serde(default)]
    floor: Option<NoiseFloor>,
}

/// The newest floor of each comparison of the plan, and the median over those of the machine for all others. The name of
/// a result's folder says on which machine it was made, so no other result is opened; nor is an older one, once every
/// comparison has its floor. What cannot be read tells nothing, nor does what says that it was measured after `now`: the
/// clock was set back since, and it would pass for the newest until then.
#[must_use]
pub fn known(root: &Path, fingerprint: &str, plan: &Plan, now: SystemTime) -> KnownFloors {
    let machine: String = fingerprint.chars().take(7).collect();
    let names =
        fs::read_dir(root).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_ours = |name: &String| name.split('-').nth(3) == Some(machine.as_str());
    let mut known = KnownFloors::default();
    let mut all: Vec<NoiseFloor> = Vec::new();
    let comparisons: Vec<(&Scenario, &Comparison)> =
        plan.scenarios.iter().flat_map(|scenario| scenario.comparisons.iter().map(move |c| (scenario, c))).collect();
    for name in newest_first(names).into_iter().filter(is_ours).take(RESULTS) {
        let Ok(content) = fs::read(root.join(name).join(SUMMARY)) else { continue };
        let Ok(Outline { schema, machine, scenarios }) = serde_json::from_slice(&content) else { continue };
        if schema > SCHEMA || was_noisy(machine) {
            continue;
        }
        for scenario in scenarios {
            for ComparisonOutline { fixed, floor } in scenario.comparisons {
                // What was remembered there was measured elsewhere.
                let is_measured = |floor: &NoiseFloor| floor.source == FloorSource::Measured && is_sane(floor, now);
                let Some(floor) = floor.filter(is_measured) else { continue };
                if known.own(&scenario.name, &fixed).is_none() {
                    known.remember(&scenario.name, &fixed, floor.clone());
                }
                all.push(floor);
            }
        }
        if comparisons.iter().all(|(scenario, comparison)| known.own(&scenario.name, &comparison.fixed).is_some()) {
            break;
        }
    }
    let shares: Vec<f64> = all.iter().map(|floor| floor.share).collect();
    if let (Some(share), Some(newest)) = (median(&shares), all.into_iter().next()) {
        known.remember_for_machine(NoiseFloor {
            share,
            pairs: u32::try_from(shares.len()).unwrap_or(u32::MAX),
            ..newest
        });
    }
    known
}

/// Whether more than a tenth of the runs were disturbed: such a floor is that of its neighbours, and would hide everything
/// for a day after they have left.
fn was_noisy(machine: MachineSummary) -> bool {
    u64::from(machine.disturbed_runs) * 10 > u64::from(machine.counted_runs)
}

/// Somebody may have edited it, or set the clock.
fn is_sane(floor: &NoiseFloor, now: SystemTime) -> bool {
    let is_past = humantime::parse_rfc3339(&floor.measured).is_ok_and(|measured| measured <= now);
    floor.share.is_finite() && floor.share >= 0.0 && is_past
}

/// Whether the comparison's own floor was measured in the day before `now`.
#[must_use]
pub fn is_fresh(known: &KnownFloors, scenario: &Scenario, comparison: &Comparison, now: SystemTime) -> bool {
    let measured = known.own(&scenario.name, &comparison.fixed).map(|floor| humantime::parse_rfc3339(&floor.measured));
    measured.is_some_and(|measured| measured.is_ok_and(|time| now.duration_since(time).is_ok_and(|age| age <= OLD)))
}

#[cfg(test)]
mod tests {
    use protocol::Model;

    use super::*;
    use crate::stats::fixtures::{batch, plan};

    const FINGERPRINT: &str = "3f9c2a1d00";
    const NOW: &str = "2026-12-01T12:00:00Z";

    fn at(time: &str) -> SystemTime {
        humantime::parse_rfc3339(time).unwrap()
    }

    fn two() -> Plan {
        plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Threads)])
    }

    fn floor(share: f64, source: &str) -> String {
        format!(
            "{{\"share\":{share},\"source\":\"{source}\",\"measured\":\"2026-11-30T08:00:00Z\",\"ratio\":1.0,\"low\":0.9,\
             \"high\":1.1,\"pairs\":1}}"
        )
    }

    /// A result with a comparison of this scenario.
    fn result(root: &Path, name: &str, scenario: &str, floor: &str) {
        let folder = root.join(name);
        fs::create_dir(&folder).unwrap();
        let text = format!(
            "{{\"schema\":1,\"complete\":true,\"scenarios\":[{{\"name\":{scenario:?},\"cells\":[],\"comparisons\":[{{\
             \"fixed\":{{}},\"baseline\":null,\"rows\":[],\"floor\":{floor}}}]}}]}}"
        );
        fs::write(folder.join(SUMMARY), text).unwrap();
    }

    fn own(root: &Path) -> Option<f64> {
        known(root, FINGERPRINT, &two(), at(NOW)).own("s", &Axes::new()).map(|floor| floor.share)
    }

    fn any(root: &Path) -> Option<f64> {
        known(root, FINGERPRINT, &two(), at(NOW)).of("s", &Axes::new()).map(|floor| floor.share)
    }

    #[test]
    fn the_newest_floor_of_a_comparison_on_this_machine_counts() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(any(root.path()), None);
        result(root.path(), "2026-11-28T080000Z-3f9c2a1", "s", &floor(0.04, "measured"));
        result(root.path(), "2026-11-29T080000Z-3f9c2a1", "s", &floor(0.03, "measured"));
        result(root.path(), "2026-11-29T080000Z-3f9c2a1-2", "s", "null");
        result(root.path(), "2026-11-30T080000Z-0000000", "s", &floor(0.5, "measured"));
        result(root.path(), "2026-11-30T090000Z-3f9c2a1", "s", &floor(0.6, "remembered"));
        assert_eq!(own(root.path()), Some(0.03));
    }

    #[test]
    fn a_comparison_without_one_has_the_median_of_the_machine() {
        let root = tempfile::tempdir().unwrap();
        for (hour, share) in [(1, 0.09), (2, 0.02), (3, 0.03)] {
            result(root.path(), &format!("2026-11-29T0{hour}0000Z-3f9c2a1"), "t", &floor(share, "measured"));
        }
        assert_eq!((own(root.path()), any(root.path())), (None, Some(0.03)));
    }

    #[test]
    fn a_floor_of_a_noisy_hour_is_not_remembered() {
        let machine =
            |disturbed_runs| MachineSummary { disturbed_runs, counted_runs: 100, ..MachineSummary::default() };
        assert_eq!([0, 10, 11].map(|disturbed| was_noisy(machine(disturbed))), [false, false, true]);
    }

    #[test]
    fn what_cannot_be_read_tells_nothing() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), "2026-11-28T080000Z-3f9c2a1", "s", &floor(0.04, "measured"));
        result(root.path(), "2026-11-29T080000Z-3f9c2a1", "s", "\"nonsense\"");
        result(root.path(), "2026-11-30T080000Z-3f9c2a1", "s", &floor(-1.0, "measured"));
        fs::create_dir(root.path().join("2026-11-30T090000Z-3f9c2a1")).unwrap();
        assert_eq!(own(root.path()), Some(0.04));
        assert_eq!(any(&root.path().join("not/there")), None);
    }

    #[test]
    fn a_floor_is_fresh_for_a_day() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), "2026-11-30T080000Z-3f9c2a1", "s", &floor(0.04, "measured"));
        let plan = two();
        let known = known(root.path(), FINGERPRINT, &plan, at(NOW));
        let fresh = |time: &str| is_fresh(&known, &plan.scenarios[0], &plan.scenarios[0].comparisons[0], at(time));
        assert!(fresh("2026-11-30T08:00:00Z") && fresh("2026-12-01T08:00:00Z"));
        assert!(!fresh("2026-12-01T08:00:01Z"), "a day and a second");
        assert!(!fresh("2026-11-30T07:00:00Z"), "from the future: the clock was set back");
    }

    #[test]
    fn a_floor_from_the_future_does_not_hide_those_that_were_measured_since_the_clock_was_set_back() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), "2026-11-30T080000Z-3f9c2a1", "s", &floor(0.04, "measured"));
        let ahead = floor(0.5, "measured").replace("2026-11-30", "2027-05-05");
        result(root.path(), "2027-05-05T080000Z-3f9c2a1", "s", &ahead);
        assert_eq!((own(root.path()), any(root.path())), (Some(0.04), Some(0.04)));
    }

    #[test]
    fn of_a_thousand_results_the_newest_twenty_are_read() {
        let root = tempfile::tempdir().unwrap();
        result(root.path(), "2026-10-01T000000Z-3f9c2a1", "s", &floor(0.04, "measured"));
        for minute in 0..1_000 {
            let name = format!("2026-11-{:02}T{:02}{:02}00Z-3f9c2a1", 1 + minute / 600, minute % 600 / 60, minute % 60);
            result(root.path(), &name, "t", &floor(0.02, "measured"));
        }
        assert_eq!((own(root.path()), any(root.path())), (None, Some(0.02)));
        assert_eq!(known(root.path(), FINGERPRINT, &two(), at(NOW)).of("s", &Axes::new()).unwrap().pairs, 20);
    }
}
