//! `results/README.md`: what a code host shows of the folder.

use super::headline::headlines;
use super::{HEADLINES, Machine, outcome, page_of, tables};
use crate::report::format::{UNKNOWN, or_unknown};
use crate::report::history::table;
use crate::report::markdown::{self, escape};
use crate::results::index::Entry;
use crate::results::name::date;
use crate::stats::history::MachineHistory;

/// Headlines of a machine that are listed here; the page has all.
const MOST: usize = 60;

/// The text, which ends in a line feed.
#[must_use]
pub fn readme(entries: &[Entry], machines: &[Machine<'_>]) -> String {
    let mut text =
        "# Results\n\nOne folder per run of the matrix, newest first. `cargo xtask matrix` writes this list, and \
         [index.html](index.html), the same for a browser.\n\n\
         | result | page | machine | CPUs | commit | complete | scenarios | cells |\n\
         | --- | --- | --- | ---: | --- | --- | ---: | --- |\n"
            .to_owned();
    text.extend(entries.iter().map(row));
    let mut histories = String::new();
    for machine in machines {
        let Some(history) = machine.history else { continue };
        let all = headlines(history);
        if all.is_empty() {
            continue;
        }
        let shown = all.iter().take(MOST).map(|series| (*series).clone()).collect();
        let history = MachineHistory { series: shown, ..history.clone() };
        // Sections of a document are one level below its title, and these below their own.
        histories += &format!("\n#{}", markdown::table(&table(&history, &machine.name, false)));
        if all.len() > MOST {
            histories += &format!("\n{} more are in [index.html](index.html).\n", all.len() - MOST);
        }
    }
    if !histories.is_empty() {
        text += &format!("\n## Headline ratios\n\n{HEADLINES}\n{histories}");
    }
    text
}

fn row(entry: &Entry) -> String {
    let machine = entry.environment.as_ref().map(|environment| &environment.machine);
    let name = machine.and_then(|machine| machine.cpu_model.as_deref()).map_or_else(|| UNKNOWN.to_owned(), escape);
    let cpus = or_unknown(machine.and_then(|machine| machine.usable_cpus).map(|cpus| cpus.to_string()));
    let page = page_of(entry).map_or_else(|| UNKNOWN.to_owned(), |page| format!("[page]({page})"));
    let rest = outcome(entry).map(|text| escape(&text)).join(" | ");
    format!("| [{}]({}) | {page} | {name} | {cpus} | {rest} |\n", date(&entry.name), tables(entry))
}
