//! What the figures were taken with and on.

use maud::{Markup, html};

use super::words::Words;
use crate::report::facts::{Fact, Said, facts};
use crate::results::Environment;
use crate::stats::summary::Summary;

/// The facts: those that a reader needs first, then the others, folded away.
pub(super) fn machine(summary: &Summary, environment: &Environment) -> Markup {
    let (first, more): (Vec<Fact>, Vec<Fact>) = facts(summary, environment)
        .into_iter()
        .partition(|fact| matches!(fact.what, "machine" | "when" | "how quiet" | "noise floors"));
    html! {
        @if !summary.complete {
            p.warning { strong { "Interrupted: " } "not every run was made." }
        }
        (list(&first))
        details { summary { "Commit, command, calibration" } (list(&more)) }
        @if !environment.runtimes.is_empty() || !environment.services.is_empty() {
            details { summary { "Runtimes and services" } (programs(environment)) }
        }
    }
}

fn list(facts: &[Fact]) -> Markup {
    html! {
        dl.facts {
            @for Fact { what, said } in facts {
                dt { (what) }
                dd {
                    @match said {
                        Said::Words(words) => (Words(words)),
                        Said::Typed(typed) => code { (Words(typed)) },
                    }
                }
            }
        }
    }
}

fn programs(environment: &Environment) -> Markup {
    html! {
        dl.facts {
            @for (name, runtime) in &environment.runtimes {
                dt { (Words(name)) }
                dd { (Words(runtime.version_command.as_deref().or(runtime.version.as_deref()).unwrap_or("–"))) }
            }
            @for (name, service) in &environment.services {
                dt { (Words(name)) }
                dd { (Words(service)) }
            }
        }
    }
}
