//! `report.html`: a result on one page that needs nothing else: no network, no framework. It can be read without scripts; with
//! them its tables can be sorted and filtered.
//!
//! Pure: everything is made from the summary, the pictures and the environment. `maud` makes the markup: it checks the tags when
//! it is compiled, and escapes every text that is spliced in, so that a name can never become markup.
//!
//! | file | what lives here |
//! | --- | --- |
//! | here | the page as a whole |
//! | `answers` | what each comparison answers, and how sure that is |
//! | `advice` | the same as markup: what to use, and the table of contents |
//! | `machine` | what it was taken with and on |
//! | `scenario` | the section of a scenario |
//! | `table`, `columns`, `runs`, `notes` | its table: rows, columns, runs behind a figure, sentences below |
//! | `legend` | how to read it |
//! | `tools` | what a script adds |
//! | `anchor` | names of places on the page |
//! | `words` | text that somebody else wrote |
//! | `style.css`, `script.js` | how it looks, and what it does |

mod advice;
mod anchor;
mod answers;
mod columns;
mod legend;
mod machine;
mod notes;
mod runs;
mod scenario;
mod table;
mod tools;
pub(super) mod words;

#[cfg(test)]
mod tests;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::plot::style_sheet;
use super::{Plots, facts};
use crate::results::Environment;
use crate::stats::summary::Summary;
use words::Words;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The text of `report.html`.
#[must_use]
pub fn page(summary: &Summary, environment: &Environment, plots: &Plots) -> String {
    let answers = answers::answers(summary);
    let title = format!("Parallax: {}", summary.started);
    let main = html! {
        section aria-labelledby="use" {
            h2 id="use" { "What to use" }
            (advice::advice(&answers))
            @for plot in &plots.overview { (scenario::figure(plot)) }
        }
        section aria-labelledby="machine" {
            h2 id="machine" { "Where it was measured" }
            (machine::machine(summary, environment))
        }
        section aria-labelledby="answers" {
            h2 id="answers" { "All answers" }
            (advice::contents(summary, &answers))
        }
        (tools::tools(summary))
        @for (index, scenario) in summary.scenarios.iter().enumerate() {
            (scenario::section(scenario, plots.scenarios.get(index).map_or(&[][..], Vec::as_slice)))
        }
        section aria-labelledby="legend" { (legend::legend(summary)) }
    };
    let header = html! {
        h1 { "The same work, seen from every concurrency model" }
        p {
            "Threads, processes, one event loop or several? Parallax ran the same work under each of them on one machine, one after \
             another and several times over, and this page says which was fastest, by how much, and how sure that is."
        }
        p.settings { (Words(&facts::machine(&environment.machine))) ", " time datetime=(summary.started) { (summary.started) } }
        nav aria-label="On this page" {
            a href="#use" { "What to use" } " " a href="#machine" { "Where it was measured" } " "
            a href="#answers" { "All answers" } " " a href="#legend" { "How to read this" }
        }
    };
    let footer = html! {
        "Made by Parallax " (environment.parallax) " from " code { "summary.json" } " and " code { "samples.jsonl" }
        ", which lie beside this page and have every figure."
    };
    shell(&title, &header, &main, &footer).into_string()
}

/// What every page of ours has around it.
pub(super) fn shell(title: &str, header: &Markup, main: &Markup, footer: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) (PreEscaped(style_sheet())) }
            }
            body {
                a.skip href="#main" { "Skip to the answers" }
                header { (header) }
                main id="main" { (main) }
                footer { p { (footer) } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}
