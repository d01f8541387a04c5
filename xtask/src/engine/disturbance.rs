//! Whether others took so much of the machine that a run has to be made again. Pure.
//!
//! The rule looks at what the machine did, and never at what the run measured: a run that is slow by itself stays, or
//! the figures would be the ones that somebody hoped for. `docs/flags.md` states it for people.

use super::machine::Scale;
use crate::results::record::{MachineDelta, Measured};

/// A run is disturbed when it lost more than this share to the hypervisor, or to its control group's limit.
pub const LOST_SHARE: f64 = 0.05;

/// The kernel tells stolen time in ticks of 10 ms, so the last tick of a reading may not have been stolen in the run.
pub const STOLEN_TICK_NS: u64 = 10_000_000;

/// A run is disturbed when other programs used more than this share of the CPUs' time. What a system does by itself
/// stays below.
pub const OTHERS_SHARE: f64 = 0.10;

/// How often a round is tried at most.
pub const ATTEMPTS: u32 = 3;

/// At most one run is made again for so many that were planned, so that a machine that is never quiet does not take
/// twice the time.
const PLANNED_FOR_EACH_REPEAT: u64 = 4;

/// How many runs may be made again where so many counted ones are planned.
#[must_use]
pub fn budget(planned_runs: u64) -> u64 {
    planned_runs.div_ceil(PLANNED_FOR_EACH_REPEAT)
}

/// What others took in a run, with figures; `None` where it was little.
#[must_use]
pub fn reason(sample: &Measured, machine: &MachineDelta, scale: Scale) -> Option<String> {
    let wall_ns = sample.elapsed_ns().saturating_add(sample.setup_ns());
    let reasons: Vec<String> = [
        stolen(sample.cpu_ns().unwrap_or(0), wall_ns, machine.stolen_ns),
        throttled(wall_ns, machine.throttled_ns),
        others(wall_ns, machine.others_ns, scale),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!reasons.is_empty()).then(|| reasons.join(", "))
}

/// Stolen time is held against the CPU time of the run, the stolen part included, or its wall time if that is longer:
/// a run that mostly waits wants little CPU time, and losing half of that need not delay it.
fn stolen(used_ns: u64, wall_ns: u64, stolen_ns: Option<u64>) -> Option<String> {
    let stolen_ns = stolen_ns?.saturating_sub(STOLEN_TICK_NS);
    let share = share(stolen_ns, used_ns.saturating_add(stolen_ns).max(wall_ns));
    (share > LOST_SHARE).then(|| format!("{:.0} % of its CPU time was stolen", share * 100.0))
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn throttled(wall_ns: u64, throttled_ns: Option<u64>) -> Option<String> {
    let throttled_ns = throttled_ns?;
    let text = || format!("the control group was throttled for {:.1} ms", throttled_ns as f64 / 1e6);
    (share(throttled_ns, wall_ns) > LOST_SHARE).then(text)
}

/// What the clock of the figure may be off by is forgiven: a run of 20 ms is not flagged for a tick of 10 ms.
fn others(wall_ns: u64, others_ns: Option<u64>, scale: Scale) -> Option<String> {
    let others_ns = others_ns?.saturating_sub(scale.others_step_ns);
    let share = share(others_ns, wall_ns.saturating_mul(scale.cpus.into()));
    (share > OTHERS_SHARE).then(|| format!("other programs used {:.0} % of the CPUs", share.min(1.0) * 100.0))
}

#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn share(part_ns: u64, whole_ns: u64) -> f64 {
    if whole_ns == 0 { 0.0 } else { part_ns as f64 / whole_ns as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::sample_record;

    const MS: u64 = 1_000_000;
    const SECOND: u64 = 1_000 * MS;
    /// Two CPUs, told in ticks.
    const TICKS: Scale = Scale { cpus: 2, others_step_ns: 40 * MS };
    /// Two CPUs, told by the scheduler.
    const FINE: Scale = Scale { cpus: 2, others_step_ns: 4 * MS };

    /// A run on two cores all the time.
    fn judged(elapsed_ns: u64, scale: Scale, machine: MachineDelta) -> Option<String> {
        reason(&sample_record("c", 1, false, elapsed_ns).sample, &machine, scale)
    }

    fn stolen_in(elapsed_ns: u64, stolen_ms: u64) -> Option<String> {
        judged(elapsed_ns, TICKS, MachineDelta { stolen_ns: Some(stolen_ms * MS), ..MachineDelta::default() })
    }

    fn others_in(elapsed_ns: u64, scale: Scale, others_ms: u64) -> Option<String> {
        judged(elapsed_ns, scale, MachineDelta { others_ns: Some(others_ms * MS), ..MachineDelta::default() })
    }

    #[test]
    fn what_nobody_tells_disturbs_nobody() {
        assert_eq!(judged(SECOND, TICKS, MachineDelta::default()), None);
    }

    #[test]
    fn stolen_time_is_held_against_cpu_time_and_one_tick_is_forgiven() {
        // Two cores for a second: 110 ms less a tick of 10 ms are 100 of 2,100 ms.
        assert_eq!(stolen_in(SECOND, 110), None);
        assert_eq!(stolen_in(SECOND, 210).as_deref(), Some("9 % of its CPU time was stolen"));
        assert_eq!(stolen_in(50 * MS, 10), None);
    }

    #[test]
    fn throttling_disturbs_when_it_takes_more_than_a_twentieth_of_the_run() {
        let throttled = |ms| MachineDelta { throttled_ns: Some(ms * MS), ..MachineDelta::default() };
        assert_eq!(judged(SECOND, TICKS, throttled(50)), None);
        let said = judged(SECOND, TICKS, throttled(60));
        assert_eq!(said.as_deref(), Some("the control group was throttled for 60.0 ms"));
    }

    #[test]
    fn neighbours_disturb_when_they_use_more_than_a_tenth_of_the_cpus() {
        // A second on two CPUs: 40 ms are forgiven, and 200 ms are a tenth.
        assert_eq!(others_in(SECOND, TICKS, 240), None);
        assert_eq!(others_in(SECOND, TICKS, 440).as_deref(), Some("other programs used 20 % of the CPUs"));
    }

    #[test]
    fn a_tick_or_two_in_a_short_run_is_no_neighbour() {
        assert_eq!(others_in(20 * MS, TICKS, 40), None);
        assert_eq!(others_in(20 * MS, FINE, 7), None);
        // The other CPU was busy all the time, and the clock can tell.
        assert!(others_in(30 * MS, FINE, 30).is_some());
    }

    #[test]
    fn a_run_that_took_no_time_is_not_divided_by() {
        assert_eq!(others_in(0, FINE, 100), None);
        assert_eq!(others_in(u64::MAX, FINE, 100), None);
    }

    #[test]
    fn all_reasons_are_named() {
        let machine = MachineDelta { stolen_ns: Some(SECOND), throttled_ns: Some(SECOND), ..MachineDelta::default() };
        let said = judged(SECOND, TICKS, machine).unwrap();
        assert_eq!(said, "33 % of its CPU time was stolen, the control group was throttled for 1000.0 ms");
    }

    #[test]
    fn a_quarter_of_the_planned_runs_may_be_made_again() {
        assert_eq!([0, 1, 4, 5, 100].map(budget), [0, 1, 1, 2, 25]);
    }
}
