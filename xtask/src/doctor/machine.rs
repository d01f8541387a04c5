//! What on this machine disturbs measurements, and what to do about it. Nothing is changed.
//!
//! | file | what lives here |
//! | --- | --- |
//! | `facts` | reads what the system tells |
//! | `neighbours` | which other programs use the CPUs, from two looks at all processes |
//! | `cpu` | what the processor does by itself: cores, siblings, frequency, clock |
//! | `sharing` | who else gets the processor: hypervisor, quota, neighbours |
//! | `settings` | limits and settings: descriptors, swap, files, battery, kernel |

mod cpu;
mod facts;
mod neighbours;
mod settings;
mod sharing;

use super::{Finding, State, Topic};
use facts::Facts;

/// Looks at the machine. Takes two seconds: that long neighbours are watched.
#[must_use]
pub fn findings() -> Vec<Finding> {
    judge(&Facts::read())
}

fn judge(facts: &Facts) -> Vec<Finding> {
    [cpu::findings(facts), sharing::findings(facts), settings::findings(facts)].concat()
}

/// A finding about the machine. Without advice there is nothing to do.
fn finding(subject: &str, state: State, found: impl Into<String>, advice: &str) -> Finding {
    Finding {
        topic: Topic::Machine,
        subject: subject.to_owned(),
        state,
        found: found.into(),
        advice: (!advice.is_empty()).then(|| advice.to_owned()),
        paste: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_tells_nothing_hurts_nothing() {
        let findings = judge(&Facts::default());
        assert!(findings.iter().all(|finding| finding.state != State::Hurts), "{findings:?}");
    }

    #[test]
    fn whatever_hurts_has_advice() {
        let findings = judge(&facts::fixtures::worst());
        let hurting: Vec<&Finding> = findings.iter().filter(|finding| finding.state == State::Hurts).collect();
        assert!(hurting.len() >= 9, "{findings:#?}");
        for finding in hurting {
            assert!(finding.advice.as_deref().is_some_and(|advice| advice.len() > 10), "{finding:?}");
        }
    }

    #[test]
    fn looking_at_this_machine_never_fails() {
        let findings = judge(&Facts::read_without_waiting());
        assert!(findings.iter().all(|finding| finding.topic == Topic::Machine && !finding.found.is_empty()));
    }
}
