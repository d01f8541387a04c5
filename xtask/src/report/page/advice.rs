//! The top of the page: which model to use for which work, and the answer of every comparison, each with how sure it is.

use maud::{Markup, html};

use super::anchor;
use super::answers::{Answer, Sureness};
use super::words::Words;
use crate::matrix::axis::AxisValue;
use crate::number::counted;
use crate::report::format::ratio_of;
use crate::report::http::{is_http, is_open};
use crate::report::standing::interval;
use crate::stats::simplicity::MODELS;
use crate::stats::summary::{CellSummary, ScenarioSummary, Status, Summary};

/// Works that are named for one model, and answers that are shown of one scenario; the others are counted.
const NAMED: usize = 8;
const SHOWN: usize = 24;

/// Which model to use for which work, in the order of simplicity.
pub(super) fn advice(answers: &[Answer<'_>]) -> Markup {
    let of_models: Vec<&Answer<'_>> =
        answers.iter().filter(|answer| answer.scenario.compare.as_deref() == Some("model")).collect();
    let told: Vec<&Answer<'_>> = of_models
        .iter()
        .copied()
        .filter(|answer| matches!(answer.sureness, Sureness::Clear | Sureness::Several))
        .collect();
    let with = |sureness| of_models.iter().copied().filter(|answer| answer.sureness == sureness).collect::<Vec<_>>();
    let mut models: Vec<String> = told.iter().map(|answer| value(answer, answer.pick)).collect();
    models.sort_by_key(|model| (MODELS.iter().position(|(known, _)| known == model), model.clone()));
    models.dedup();
    html! {
        @if answers.is_empty() {
            p {
                "No comparison of this result was judged: it has too few runs or cells, or was made before results had verdicts. \
                 The figures are below."
            }
        } @else {
            p {
                "This machine's answers to " (counted(answers.len() as u64, "comparison", "comparisons")) ": " (tally(answers)) "."
            }
        }
        @if !of_models.is_empty() {
            ul.advice {
                @for model in &models {
                    @let works: Vec<&Answer<'_>> =
                        told.iter().copied().filter(|answer| value(answer, answer.pick) == *model).collect();
                    li { strong { (Words(model)) } " for " (listed(&works)) }
                }
                @for (sureness, said) in [
                    (Sureness::NoGain, "Nothing was shown to beat the baseline, so keep it simple, for "),
                    (Sureness::Untold, "Too few runs to say anything for "),
                ] {
                    @let works = with(sureness);
                    @if !works.is_empty() { li { (said) (listed(&works)) } }
                }
            }
        }
    }
}

/// `one clear winner in 12, several that cannot be told apart in 3`.
fn tally(answers: &[Answer<'_>]) -> String {
    let count = |sureness| answers.iter().filter(|answer| answer.sureness == sureness).count();
    let said = [
        (Sureness::Clear, "one clear winner in"),
        (Sureness::Several, "several that cannot be told apart in"),
        (Sureness::NoGain, "no gain shown over the baseline in"),
        (Sureness::Untold, "too few runs to tell in"),
    ];
    let said = said.into_iter().map(|(sureness, words)| (words, count(sureness))).filter(|(_, count)| *count > 0);
    said.map(|(words, count)| format!("{words} {count}")).collect::<Vec<_>>().join(", ")
}

fn listed(works: &[&Answer<'_>]) -> Markup {
    html! {
        @for (index, answer) in works.iter().take(NAMED).enumerate() {
            @if index > 0 { "; " }
            (work(answer))
            @if let Some(ratio) = answer.ratio {
                " (" (ratio_of(ratio)) " × " (Words(&baseline(answer))) ", " (answer.sureness.word()) ")"
            }
        }
        @if works.len() > NAMED { "; and " (works.len() - NAMED) " more" }
        "."
    }
}

fn work(answer: &Answer<'_>) -> Markup {
    html! {
        a href=(anchor::to(&anchor::scenario(&answer.scenario.name))) { (Words(&answer.scenario.name)) }
        @if !answer.about.is_empty() { ", " (Words(&answer.about)) }
    }
}

fn baseline(answer: &Answer<'_>) -> String {
    answer.baseline.map_or_else(|| "the baseline".to_owned(), |cell| choice(answer, cell))
}

/// A cell's value on the compared axis; its id where the axis collapsed on it.
fn value(answer: &Answer<'_>, cell: &CellSummary) -> String {
    let compare = answer.scenario.compare.as_deref().unwrap_or_default();
    cell.axes.get(compare).map_or_else(|| cell.id.clone(), AxisValue::to_string)
}

/// The same with the axis, where a number or a setting does not say what it is.
fn choice(answer: &Answer<'_>, cell: &CellSummary) -> String {
    let value = value(answer, cell);
    match answer.scenario.compare.as_deref() {
        Some("model" | "runtime" | "task") | None => value,
        Some(axis) if cell.axes.contains_key(axis) => format!("{axis} = {value}"),
        Some(_) => value,
    }
}

/// The answers of all scenarios: the page's table of contents.
pub(super) fn contents(summary: &Summary, answers: &[Answer<'_>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="All answers" {
            table.answers {
                caption { "Every question of this result, its answer, and how sure that is." }
                thead {
                    tr {
                        th scope="col" { "work" }
                        th scope="col" { "use" }
                        th scope="col" { "speed" }
                        th scope="col" { "how sure" }
                        th scope="col" { "in words" }
                    }
                }
                @for scenario in &summary.scenarios {
                    @let own: Vec<&Answer<'_>> =
                        answers.iter().filter(|answer| std::ptr::eq(answer.scenario, scenario)).collect();
                    tbody {
                        tr.question {
                            th scope="rowgroup" colspan="5" {
                                a href=(anchor::to(&anchor::scenario(&scenario.name))) { (Words(&scenario.name)) }
                                @if let Some(question) = &scenario.question { ": " (Words(question)) }
                            }
                        }
                        @if own.is_empty() { tr { td colspan="5" { (why_not(scenario)) } } }
                        @for answer in own.iter().take(SHOWN) { (row(answer)) }
                        @if own.len() > SHOWN {
                            tr { td colspan="5" { "and " (own.len() - SHOWN) " more, below the scenario's table." } }
                        }
                    }
                }
            }
        }
    }
}

fn row(answer: &Answer<'_>) -> Markup {
    html! {
        tr {
            th scope="row" {
                @if answer.about.is_empty() { "all" } @else { (Words(&answer.about)) }
            }
            td {
                a href=(anchor::to(&anchor::cell(&answer.pick.id))) { (Words(&choice(answer, answer.pick))) }
                @if !answer.others.is_empty() {
                    span.or { " or "
                        @for (index, other) in answer.others.iter().take(NAMED).enumerate() {
                            @if index > 0 { ", " }
                            (Words(&value(answer, other)))
                        }
                    }
                }
            }
            td.num {
                @if let Some(ratio) = answer.ratio {
                    (ratio_of(ratio)) " × " (Words(&baseline(answer)))
                    @if let Some(interval) = interval(ratio) { br; span.or { "(" (interval) ")" } }
                } @else { "the baseline" }
            }
            td { span class={ "sure " (answer.sureness.class()) } { (answer.sureness.word()) } br; span.or { (answer.evidence) } }
            td { (Words(answer.sentence)) }
        }
    }
}

/// Why a scenario has no answer.
fn why_not(scenario: &ScenarioSummary) -> &'static str {
    let measured = scenario.cells.iter().filter(|cell| cell.status == Status::Ok).count();
    if measured == 0 {
        "No cell was measured; the reasons stand below its table."
    } else if is_http(scenario) && is_open(scenario) {
        "An open loop gets the rate that it was asked for: there is no fastest. Its plots and its table show what latency that costs."
    } else if scenario.compare.is_none() {
        "It compares nothing; its figures are in its table."
    } else {
        "Not judged: too few cells were measured, or the result is older than verdicts."
    }
}
