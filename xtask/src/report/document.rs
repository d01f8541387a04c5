//! `tables.md`: all tables of a result, what they were taken with and on, and how to read them.

use super::facts::{Fact, Said, facts};
use super::footnotes::status_word;
use super::http::is_http;
use super::markdown::{code, code_block, escape, table};
use super::plot::{Plot, Plots};
use super::remark::Remarks;
use super::scenario_table::scenario_table;
use crate::number::counted;
use crate::results::Environment;
use crate::stats::summary::{Status, Summary};

const HOW_TO_READ: &str = "## How to read this

- **median** is the middle one of the counted runs; **min–max** are the fastest and the slowest of them. Warm-ups do not \
count.
- **ratio** is a speed ratio, the baseline's median over the row's: above 1.00 is faster than the baseline. It is \
taken from the medians. In brackets stands its interval: intervals that are made like this cover the true ratio as often \
as is said below the table. **▲** is faster and **▼** slower than the baseline: the interval excludes 1, and the change \
exceeds the noise floor, which is how far two equal cells seem to differ on this machine. **?** cannot be told; it never means equal.
- **cores** is CPU time over the time it covers, set-up included: how many cores were really used. **peak mem** adds up \
all processes of the worker.
- `–` is not known, or does not apply. It is never 0.
- A failed cell has no figures, and takes part in no ratio. The words in **notes** are explained in `docs/flags.md`.
- All of the statistics is explained in `docs/statistics.md`.
- Locks are emulations, and are called by what they emulate: `gil` is CPython's, `gvl` is Ruby's.
";

/// Goes on where the other ends.
const HOW_TO_READ_HTTP: &str = "- **req/s** is right answers a second, the middle one of the counted runs. Its \
**ratio** is the row's over the baseline's; **≥** and **≤** mark one that the load generator held back.
- **p50**, **p95**, **p99**: half, 95 % and 99 % of the right answers took no longer, all counted runs together. In a \
closed loop latency follows from throughput: it is about connections over requests a second. In an open loop it begins \
when the request should have been sent, **service** when it was sent, and **lag** is how late the client was.
- **by worker** is the requests that each worker answered, all counted runs together: `4/4`, or `8×4`, or `8×3–5`.
- **server** and **client** are the cores that they used. `docs/latency.md` says how all this is measured.
";

/// The text of `tables.md`, without pictures.
#[must_use]
pub fn document(summary: &Summary, environment: &Environment) -> String {
    document_with(summary, environment, &Plots::default())
}

/// The text of `tables.md`, with links to the pictures, which lie beside it: each below its table.
#[must_use]
pub fn document_with(summary: &Summary, environment: &Environment, plots: &Plots) -> String {
    let mut text = "# Results\n\n".to_owned();
    for Fact { what, said } in facts(summary, environment) {
        let said = match said {
            Said::Words(words) => escape(&words),
            Said::Typed(typed) => code(&typed),
        };
        text += &format!("- {what}: {said}\n");
    }
    if !summary.complete {
        text += "- **interrupted**: not every run was made\n";
    }
    text.extend(plots.overview.iter().map(image));
    for (index, scenario) in summary.scenarios.iter().enumerate() {
        text.push('\n');
        text += &table(&scenario_table(scenario));
        text.extend(plots.scenarios.get(index).into_iter().flatten().map(image));
    }
    text += &failures(summary);
    text.push('\n');
    text += HOW_TO_READ;
    if summary.scenarios.iter().any(is_http) {
        text += HOW_TO_READ_HTTP;
    }
    text
}

/// A picture as a paragraph of its own. Names of files need no escape.
fn image(plot: &Plot) -> String {
    format!("\n![{}]({})\n", escape(&plot.alt), plot.name)
}

/// The cells without figures, with all that is known of why: once for all cells of which it is the same.
fn failures(summary: &Summary) -> String {
    let mut text = String::new();
    let remarks: Remarks<'_> = summary.cells().filter(|cell| cell.status != Status::Ok).collect();
    for (remark, cells) in remarks.all() {
        let title = match cells.as_slice() {
            [only] => escape(&only.id),
            several => counted(several.len() as u64, "cell", "cells"),
        };
        text += &format!("\n### {title}\n\n{}: {}\n", status_word(remark.status), escape(&remark.text()));
        if !remark.stderr_tail.is_empty() {
            text += &format!("\nThe last lines of its stderr:\n\n{}", code_block(remark.stderr_tail));
        }
        if cells.len() > 1 {
            text.push('\n');
            text.extend(cells.iter().map(|cell| format!("- {}\n", code(&cell.id))));
        }
    }
    if text.is_empty() { text } else { format!("\n## Cells without figures\n{text}") }
}
