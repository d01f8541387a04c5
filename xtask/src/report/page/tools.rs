//! What a script adds to the page: filters, and figures relative to the baseline. Hidden where there is no script.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::words::clean;
use crate::stats::summary::Summary;

/// The controls.
pub(super) fn tools(summary: &Summary) -> Markup {
    html! {
        form #tools hidden role="search" aria-label="Filter the tables" {
            label { "Filter cells " input #filter type="search" autocomplete="off" placeholder="part of a name"; }
            @for axis in ["model", "lock"] {
                @let values = values(summary, axis);
                @if values.len() > 1 {
                    label { (axis) " " select data-axis=(axis) { option value="" { "all" }
                        @for value in &values { option value=(value) { (value) } } } }
                }
            }
            label { "Figures " select #mode { option value="absolute" { "absolute" } option value="ratio" { "× baseline" } } }
            button type="reset" { "Reset" }
            output #status aria-live="polite" {}
        }
    }
}

/// The values of an axis in all scenarios.
fn values(summary: &Summary, axis: &str) -> BTreeSet<String> {
    let swept = summary.cells().filter_map(|cell| cell.axes.get(axis));
    let fixed = summary.scenarios.iter().filter_map(|scenario| scenario.settings.get(axis));
    swept.chain(fixed).map(|value| clean(&value.to_string())).collect()
}
