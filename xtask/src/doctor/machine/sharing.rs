//! Who else gets the processor: the hypervisor's other guests, a quota, the programs that run here.

use super::facts::Facts;
use super::neighbours::Busy;
use super::{Finding, State, finding};
use crate::number::significant;

pub fn findings(facts: &Facts) -> Vec<Finding> {
    [machine(facts), quota(facts), neighbours(facts)].into_iter().flatten().collect()
}

fn machine(facts: &Facts) -> Option<Finding> {
    let stolen = facts.stolen_share;
    let percent = |share: f64| significant(share * 100.0, 2);
    match (facts.virtualised, stolen) {
        (_, Some(share)) if share >= 0.01 => Some(finding(
            "stolen time",
            State::Hurts,
            format!("{} % of the CPUs' time went to other guests in two seconds", percent(share)),
            "Disturbed runs are flagged and made again. Measure at a quieter hour, or on dedicated CPUs.",
        )),
        (Some(true), Some(share)) => Some(finding(
            "stolen time",
            State::Note,
            match share {
                0.0 => "a virtual machine, from which nothing was stolen in two seconds".to_owned(),
                some => format!("a virtual machine, from which {} % was stolen in two seconds", percent(some)),
            },
            "It may be later: every run records it. The host can take CPUs without saying so, too.",
        )),
        (Some(true), None) => {
            Some(finding("stolen time", State::Note, "a virtual machine that does not tell what it loses", ""))
        }
        (Some(false), _) => Some(finding("stolen time", State::Good, "no hypervisor", "")),
        (None, _) => None,
    }
}

fn quota(facts: &Facts) -> Option<Finding> {
    let Some(cpus) = facts.quota_cpus else {
        return facts.usable_cpus.map(|_| finding("CPU quota", State::Good, "none", ""));
    };
    let found = format!("the control group allows {} CPUs, in slices of a tenth of a second", significant(cpus, 3));
    // A quota of as many CPUs as there are is none.
    if facts.host_cpus.is_some_and(|host| cpus >= f64::from(host)) {
        return Some(finding("CPU quota", State::Good, found, ""));
    }
    Some(finding(
        "CPU quota",
        State::Hurts,
        found,
        "Whoever uses a slice up stands still until the next: runs jump. Bind to whole CPUs instead: `--cpuset-cpus` \
         of docker, the static CPU manager of Kubernetes, or `taskset`.",
    ))
}

/// Shares of all usable CPUs.
const QUIET: f64 = 0.02;
const BUSY: f64 = 0.10;

fn neighbours(facts: &Facts) -> Option<Finding> {
    let Busy { all, top } = facts.neighbours.as_ref()?;
    // What is left after taking away our own time may be less than nothing, by a tick.
    let all = all.max(0.0);
    let share = all / facts.usable_cpus.unwrap_or(1) as f64;
    let mut names: Vec<String> =
        top.iter().map(|(name, id, cpus)| format!("{name} ({id}) {} %", significant(cpus * 100.0, 2))).collect();
    // Only what runs when we look has a name.
    if top.iter().map(|(_, _, cpus)| cpus).sum::<f64>() < all / 2.0 {
        names.push("and others, which may have ended since".to_owned());
    }
    let all = format!("{} % of a CPU in two seconds", significant(all * 100.0, 2));
    Some(if share < QUIET {
        finding("neighbours", State::Good, format!("other programs used {all}"), "")
    } else {
        finding(
            "neighbours",
            if share < BUSY { State::Note } else { State::Hurts },
            format!("other programs used {all}: {}", names.join(", ")),
            "End what you do not need while a matrix runs: `cargo xtask matrix` records what others took and repeats \
             disturbed runs, but cannot give it back.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_hurts_from_one_per_cent_on() {
        let state = |share| {
            let facts = Facts { virtualised: Some(true), stolen_share: Some(share), ..Facts::default() };
            machine(&facts).unwrap().state
        };
        assert_eq!([0.0, 0.009, 0.01, 0.3].map(state), [State::Note, State::Note, State::Hurts, State::Hurts]);
        let little = Facts { virtualised: Some(true), stolen_share: Some(0.005), ..Facts::default() };
        assert_eq!(machine(&little).unwrap().found, "a virtual machine, from which 0.50 % was stolen in two seconds");
        let bare = Facts { virtualised: Some(false), stolen_share: Some(0.0), ..Facts::default() };
        assert_eq!(machine(&bare).unwrap().found, "no hypervisor");
        assert_eq!(machine(&Facts::default()), None);
    }

    #[test]
    fn a_quota_hurts_unless_it_is_the_whole_host() {
        let state =
            |cpus| quota(&Facts { quota_cpus: Some(cpus), host_cpus: Some(4), ..Facts::default() }).unwrap().state;
        assert_eq!([1.5, 4.0].map(state), [State::Hurts, State::Good]);
    }

    #[test]
    fn busy_neighbours_are_named_with_their_share() {
        let top = vec![("postgres".to_owned(), 812, 0.35), ("rustc".to_owned(), 99, 0.05)];
        let facts = |all: f64| Facts {
            usable_cpus: Some(2),
            neighbours: Some(Busy { all, top: top.clone() }),
            ..Facts::default()
        };
        let busy = neighbours(&facts(0.4)).unwrap();
        assert_eq!(busy.state, State::Hurts);
        assert_eq!(
            busy.found,
            "other programs used 40 % of a CPU in two seconds: postgres (812) 35 %, rustc (99) 5.0 %"
        );
        let many_short = neighbours(&facts(1.6)).unwrap().found;
        assert!(many_short.ends_with("rustc (99) 5.0 %, and others, which may have ended since"), "{many_short}");
        assert_eq!(neighbours(&facts(0.1)).unwrap().state, State::Note);
        assert_eq!(neighbours(&facts(0.01)).unwrap().state, State::Good);
        assert_eq!(neighbours(&facts(-0.002)).unwrap().found, "other programs used 0 % of a CPU in two seconds");
    }
}
