//! What differs between two plans, for a run that is to go on with the same.

use std::collections::BTreeMap;

use super::facts::{About, Difference};
use super::work::settings_that_differ;
use crate::matrix::plan::{Cell, Order, Plan, Scenario, Schedule};
use crate::number::counted;

/// Ids that are named; more are only counted.
const NAMED: usize = 3;

/// What is not the same in two plans. A question may be worded anew: it changes nothing that is measured.
#[must_use]
pub fn differences(then: &Plan, now: &Plan) -> Vec<Difference> {
    let mut all = Vec::new();
    let mut note = |what: String, base: Option<String>, new: Option<String>| {
        if base != new {
            all.push(Difference { about: About::Matrix, what, base, new });
        }
    };
    let (cells_then, cells_now) = (cells(then), cells(now));
    let only = |these: &BTreeMap<&str, &Cell>, others: &BTreeMap<&str, &Cell>| {
        let ids: Vec<&str> = these.keys().filter(|id| !others.contains_key(**id)).copied().collect();
        (!ids.is_empty()).then(|| format!("{}: {}", counted(ids.len() as u64, "cell", "cells"), named(&ids)))
    };
    note("cells that the other has not".to_owned(), only(&cells_then, &cells_now), only(&cells_now, &cells_then));
    // By setting and both its values, the cells of which it is one.
    let mut changed: BTreeMap<(String, String, String), Vec<&str>> = BTreeMap::new();
    let mut untold: Vec<&str> = Vec::new();
    for (id, cell) in &cells_then {
        let Some(other) = cells_now.get(id) else { continue };
        if other.work == cell.work && other.runtime == cell.runtime {
            continue;
        }
        let settings = settings_that_differ(cell, other);
        if settings.is_empty() {
            untold.push(id);
        }
        settings.into_iter().for_each(|setting| changed.entry(setting).or_default().push(id));
    }
    for ((setting, base, new), ids) in changed {
        note(format!("{setting} of {}", named(&ids)), Some(base), Some(new));
    }
    if !untold.is_empty() {
        note(format!("the work of {}", named(&untold)), Some("one".to_owned()), Some("another".to_owned()));
    }
    for scenario in &then.scenarios {
        let Some(other) = now.scenarios.iter().find(|other| other.name == scenario.name) else { continue };
        for (what, fact) in FACTS {
            note(format!("{what} of `{}`", scenario.name), Some(fact(scenario)), Some(fact(other)));
        }
    }
    for runtime in &then.runtimes {
        if let Some(other) = now.runtimes.iter().find(|other| other.name == runtime.name) {
            let command = |of: &crate::matrix::plan::Runtime| Some(format!("{} {:?}", of.command.join(" "), of.env));
            note(format!("the command of runtime `{}`", runtime.name), command(runtime), command(other));
        }
    }
    all
}

type Fact = (&'static str, fn(&Scenario) -> String);

const FACTS: [Fact; 6] = [
    ("runs", |it| it.schedule.runs.to_string()),
    ("warm-ups", |it| it.schedule.warmups.to_string()),
    ("order", |it| match it.schedule.order {
        Order::Interleaved => "interleaved".to_owned(),
        Order::Sequential => "sequential".to_owned(),
    }),
    ("the timeout", |Scenario { schedule: Schedule { timeout, .. }, .. }| format!("{timeout:?}")),
    ("include_setup", |it| it.include_setup.to_string()),
    ("the comparison", |it| {
        let baselines =
            it.comparisons.iter().filter_map(|comparison| comparison.baseline.map(|at| it.cells[at].id.as_str()));
        let baselines: Vec<&str> = baselines.collect();
        match &it.compare {
            Some(axis) if baselines.is_empty() => format!("{axis}, without a baseline"),
            Some(axis) => format!("{axis}, against {}", named(&baselines)),
            None => "none".to_owned(),
        }
    }),
];

fn cells(plan: &Plan) -> BTreeMap<&str, &Cell> {
    plan.scenarios.iter().flat_map(|scenario| &scenario.cells).map(|cell| (cell.id.as_str(), cell)).collect()
}

/// `` `a`, `b`, `c`, … ``
fn named(ids: &[&str]) -> String {
    let shown: Vec<String> = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
    let more = if ids.len() > NAMED { ", …" } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use protocol::Model;

    use super::*;
    use crate::stats::fixtures::{batch, plan, work_of};

    fn two() -> Plan {
        plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Threads)])
    }

    fn said(now: &Plan) -> Vec<String> {
        let show = |value: Option<String>| value.unwrap_or_default();
        differences(&two(), now)
            .into_iter()
            .map(|it| format!("{}: {} → {}", it.what, show(it.base), show(it.new)))
            .collect()
    }

    #[test]
    fn a_question_in_other_words_and_another_place_of_the_file_are_no_difference() {
        let mut now = two();
        now.scenarios[0].question = Some("In other words?".to_owned());
        now.file = "elsewhere.toml".into();
        assert_eq!(said(&now), [""; 0]);
    }

    #[test]
    fn cells_that_only_one_has_are_named() {
        let now = plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Rayon)]);
        assert_eq!(said(&now), ["cells that the other has not: 1 cell: `s/model=threads` → 1 cell: `s/model=rayon`"]);
    }

    #[test]
    fn a_comparison_that_lost_its_baseline_says_so() {
        let mut now = two();
        now.scenarios[0].comparisons[0].baseline = None;
        let lost = "the comparison of `s`: model, against `s/model=sequential` → model, without a baseline";
        assert_eq!(said(&now), [lost]);
    }

    #[test]
    fn every_setting_that_changes_what_is_measured_is_named_with_both_values() {
        let mut now = two();
        let scenario = &mut now.scenarios[0];
        scenario.schedule.runs = 9;
        scenario.schedule.order = Order::Sequential;
        scenario.include_setup = true;
        scenario.comparisons[0].baseline = Some(1);
        work_of(&mut scenario.cells[1]).tasks = 9.into();
        assert_eq!(
            said(&now),
            [
                "tasks of `s/model=threads`: 8 → 9",
                "runs of `s`: 2 → 9",
                "order of `s`: interleaved → sequential",
                "include_setup of `s`: false → true",
                "the comparison of `s`: model, against `s/model=sequential` → model, against `s/model=threads`",
            ]
        );
    }
}
