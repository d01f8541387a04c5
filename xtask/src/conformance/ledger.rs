//! Which rules held, and how others were broken.

use std::collections::BTreeMap;

use serde::Serialize;

use super::rules::{Level, Rule};

/// How many breaches of a rule are kept: the first say what is wrong, the others the same.
const KEPT: usize = 3;

/// How a rule was broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Breach {
    /// In which case, in a few words: `threads, burn`.
    pub case: String,
    /// What the worker was sent, since it was started or since the last job.
    pub sent: Vec<String>,
    /// What it answered, or did instead.
    pub answered: String,
    /// What it should have answered.
    pub expected: String,
    /// The last lines of its stderr.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
}

/// What came of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It held whenever it was looked at.
    Holds,
    /// It was broken.
    Broken,
    /// It was not looked at.
    NotChecked,
}

/// A rule and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// What the rule says.
    pub rule: &'static str,
    /// The heading in `docs/protocol.md` under which it stands.
    pub section: &'static str,
    /// Whether it may be broken.
    pub level: Level,
    /// What came of it.
    pub outcome: Outcome,
    /// In how many cases it was looked at.
    pub cases: u64,
    /// In how many of them it was broken.
    pub broken: u64,
    /// How; of many breaches the first.
    pub breaches: Vec<Breach>,
    /// What was not looked at, and why.
    pub not_checked: Vec<String>,
}

#[derive(Debug, Default)]
struct Entry {
    cases: u64,
    broken: u64,
    breaches: Vec<Breach>,
    not_checked: Vec<String>,
}

/// Keeps account while the rules are checked.
#[derive(Debug, Default)]
pub(super) struct Ledger(BTreeMap<Rule, Entry>);

impl Ledger {
    /// A rule was looked at in a case.
    pub(super) fn note(&mut self, rule: Rule, result: Result<(), Breach>) {
        let entry = self.0.entry(rule).or_default();
        entry.cases += 1;
        if let Err(breach) = result {
            entry.broken += 1;
            if entry.breaches.len() < KEPT {
                entry.breaches.push(breach);
            }
        }
    }

    /// A rule could not be looked at in a case.
    pub(super) fn not_checked(&mut self, rule: Rule, why: impl Into<String>) {
        self.0.entry(rule).or_default().not_checked.push(why.into());
    }

    /// What came of every rule.
    pub(super) fn into_verdicts(mut self) -> Vec<Verdict> {
        let verdict = |rule: &Rule| {
            let Entry { cases, broken, breaches, not_checked } = self.0.remove(rule).unwrap_or_default();
            Verdict {
                rule: rule.text(),
                section: rule.section(),
                level: rule.level(),
                outcome: match (cases, broken) {
                    (0, _) => Outcome::NotChecked,
                    (_, 0) => Outcome::Holds,
                    _ => Outcome::Broken,
                },
                cases,
                broken,
                breaches,
                not_checked,
            }
        };
        Rule::ALL.iter().map(verdict).collect()
    }
}
