//! The section of a scenario: question, settings, answer, pictures, table, notes.

use maud::{Markup, PreEscaped, html};

use super::anchor;
use super::notes::Notes;
use super::table::table;
use super::words::{Words, clean};
use crate::report::findings::findings;
use crate::report::heading;
use crate::report::plot::{Plot, without_style};
use crate::report::table::Finding;
use crate::stats::summary::ScenarioSummary;

/// Findings that are shown at once; the others are folded.
const SHOWN: usize = 12;

/// The section.
pub(super) fn section(scenario: &ScenarioSummary, plots: &[Plot]) -> Markup {
    let place = anchor::scenario(&scenario.name);
    let notes = Notes::of(scenario);
    // The interval has a column of its own here.
    let hint =
        |text: String| text.strip_prefix("in brackets its ").map_or(text.clone(), |rest| format!("interval: {rest}"));
    let hints: Vec<String> = heading::hints(scenario).into_iter().map(|it| hint(it.text)).collect();
    html! {
        section.scenario id=(place) aria-labelledby={ (place) ".title" } {
            h2 id={ (place) ".title" } { (Words(&scenario.name)) }
            @if let Some(question) = &scenario.question { p.ask { (Words(question)) } }
            p.settings { (Words(&heading::settings(scenario))) }
            (said(&findings(scenario)))
            @for plot in plots { (figure(plot)) }
            h3 { "Figures" }
            (table(scenario, &notes))
            @if !hints.is_empty() { p.reading { (Words(&hints.join("; "))) "." } }
            (notes.list())
        }
    }
}

fn said(findings: &[Finding]) -> Markup {
    let item = |finding: &Finding| {
        html! {
            li {
                @if !finding.about.is_empty() { strong { (Words(&finding.about)) } ": " }
                (Words(&finding.text))
            }
        }
    };
    html! {
        @if !findings.is_empty() {
            h3 { "What may be concluded" }
            ul.findings { @for finding in findings.iter().take(SHOWN) { (item(finding)) } }
            @if findings.len() > SHOWN {
                details {
                    summary { (findings.len() - SHOWN) " more" }
                    ul.findings { @for finding in &findings[SHOWN..] { (item(finding)) } }
                }
            }
        }
    }
}

/// A picture, put into the page as it is: the marks keep their hover texts. The one thing here that is not escaped; the tree
/// that it was made from has escaped its texts.
pub(super) fn figure(plot: &Plot) -> Markup {
    html! {
        figure.plot.scroll tabindex="0" role="group" aria-label=(clean(&plot.title)) {
            (PreEscaped(without_style(&plot.svg)))
        }
    }
}
