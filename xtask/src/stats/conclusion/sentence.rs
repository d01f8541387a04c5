//! The sentence of a conclusion. It never says that two cells are equal.

use super::Findings;
use crate::number::{bytes, ratio, ratio_interval};
use crate::stats::summary::{Bound, CellSummary, Ratio, Status, Verdict};

/// Memory that differs by less than this is not worth a choice.
const MEMORY_SHARE: f64 = 0.1;

/// What a busy machine is worth: models that use more CPUs lose more to a neighbour than the others.
const DISTURBED: &str = " Others used the machine meanwhile, which takes more from cells that use more CPUs: measure it again when it is quiet.";

pub(super) fn sentence(it: &Findings<'_>) -> String {
    let main = if it.too_few_runs { too_few_runs(it) } else { told(it) };
    let caution = if it.disturbed { DISTURBED } else { "" };
    format!("{main}{}{caution}", left_out(it))
}

fn too_few_runs(it: &Findings<'_>) -> String {
    let runs = it.of.cells.iter().map(|(cell, _)| cell.runs).filter(|runs| *runs > 0).min().unwrap_or(0);
    let runs = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
    format!("Nothing can be told from {runs} a cell: 4 are the least, 5 are better.")
}

fn told(it: &Findings<'_>) -> String {
    let is_baseline = |cell: &CellSummary| it.of.baseline.is_some_and(|baseline| baseline.id == cell.id);
    let any_faster = it.of.rows.iter().any(|row| row.verdict == Some(Verdict::Faster));
    if it.group.iter().any(|cell| is_baseline(cell)) && !any_faster {
        return nothing_faster(it);
    }
    if !it.choice.iter().any(|cell| cell.id == it.fastest.id) {
        return perhaps_faster(it);
    }
    let (names, are) = (names(it, &it.choice), verb(it, &it.choice, "is", "are"));
    let fastest = match (it.choice.len(), compared(it)) {
        (1, Some(compared)) => format!("{names} {are} the fastest: {compared}."),
        (1, None) => format!("{names} {are} the fastest of those that were measured."),
        (_, compared) => {
            let figures = match compared {
                Some(compared) => format!(" ({}: {compared})", name(it, it.fastest)),
                None => String::new(),
            };
            format!("{names} are the fastest{figures} and cannot be told apart{}.", choice(it))
        }
    };
    format!("{fastest}{}", hidden(it))
}

/// The best median is not told from the baseline, but others of the group are: these are to be taken.
fn perhaps_faster(it: &Findings<'_>) -> String {
    let baseline = it.of.baseline.map_or_else(String::new, |baseline| name(it, baseline));
    let (names, are) = (names(it, &it.choice), verb(it, &it.choice, "is", "are"));
    let which = if it.choice.len() > 1 { choice(it) } else { String::new() };
    let best = match compared(it) {
        Some(compared) => format!("{} ({compared})", name(it, it.fastest)),
        None => name(it, it.fastest),
    };
    format!(
        "{names} {are} faster than {baseline}{which}. {best} may be faster still, but cannot be told from {baseline}: make \
         more runs."
    )
}

/// The cells that a wide interval hides among the fastest, and that are no choice.
fn hidden(it: &Findings<'_>) -> String {
    let Some(baseline) = it.of.baseline else { return String::new() };
    let is_chosen = |cell: &CellSummary| it.choice.iter().any(|chosen| chosen.id == cell.id);
    let hidden: Vec<&CellSummary> =
        it.group.iter().copied().filter(|cell| !is_chosen(cell) && cell.id != baseline.id).collect();
    if hidden.is_empty() {
        return String::new();
    }
    let (names, fastest, baseline) = (names(it, &hidden), name(it, it.fastest), name(it, baseline));
    format!(" {names} cannot be told from {fastest}, nor shown to be faster than {baseline}: make more runs.")
}

/// The baseline is the fastest, or among those that cannot be told from it.
fn nothing_faster(it: &Findings<'_>) -> String {
    let Some(baseline) = it.of.baseline else { return String::new() };
    let shown = name(it, baseline);
    let others: Vec<&CellSummary> = it.group.iter().copied().filter(|cell| cell.id != baseline.id).collect();
    if others.is_empty() {
        let are = verb(it, &[baseline], "is", "are");
        let rest = if it.measured == 2 { "the other is slower" } else { "all others are slower" };
        return format!("{shown}, the baseline, {are} the fastest: {rest}.");
    }
    let pick = it.simplest.unwrap_or(baseline);
    let why = if pick.id == baseline.id { "" } else { ", the simplest" };
    format!(
        "Nothing here is faster than {shown}, as far as these runs can tell, and {} cannot be told from it: use {}{why}, or \
         make more runs.",
        names(it, &others),
        name(it, pick)
    )
}

/// Which of several to take.
fn choice(it: &Findings<'_>) -> String {
    let memory = it.least_memory.and_then(|cell| Some((cell, cell.usage.peak_rss_bytes?)));
    let most = it.choice.iter().filter_map(|cell| cell.usage.peak_rss_bytes).max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a share of two sizes")]
    let memory = memory.filter(|(_, least)| most as f64 > *least as f64 * (1.0 + MEMORY_SHARE));
    let needs = |cell: &CellSummary| verb(it, &[cell], "needs", "need");
    match (it.simplest, memory) {
        (Some(simplest), Some((cell, least))) if simplest.id == cell.id => {
            let (name, needs) = (name(it, cell), needs(cell));
            format!("; the simplest of them, {name}, also {needs} the least memory ({})", bytes(least))
        }
        (Some(simplest), Some((cell, least))) => {
            let (simplest, name, needs) = (name(it, simplest), name(it, cell), needs(cell));
            format!("; the simplest of them is {simplest}; {name} {needs} the least memory ({})", bytes(least))
        }
        (Some(simplest), None) => format!("; the simplest of them is {}", name(it, simplest)),
        (None, Some((cell, least))) => {
            format!("; of them {} {} the least memory ({})", name(it, cell), needs(cell), bytes(least))
        }
        (None, None) => String::new(),
    }
}

/// `1.96 × sequential (1.91–2.01)`, where the fastest has a ratio.
fn compared(it: &Findings<'_>) -> Option<String> {
    let baseline = it.of.baseline?;
    let of @ Ratio { value, low, high, .. } = it.ratio?;
    let at = match of.bound {
        None => "",
        Some(Bound::AtLeast) => "at least ",
        Some(Bound::AtMost) => "at most ",
    };
    let interval = match (low, high) {
        (Some(low), Some(high)) => format!(" ({})", ratio_interval(low, high)),
        _ => String::new(),
    };
    Some(format!("{at}{} × {}{interval}", ratio(value), name(it, baseline)))
}

/// What has no speed, and why.
fn left_out(it: &Findings<'_>) -> String {
    let why = |cell: &&CellSummary| match cell.status {
        Status::Ok => None,
        status => Some(format!("{} ({})", name(it, cell), status.word())),
    };
    let cells: Vec<String> = it.of.cells.iter().filter_map(|(cell, _)| why(cell)).collect();
    if cells.is_empty() { String::new() } else { format!(" Without figures: {}.", cells.join(", ")) }
}

fn name(it: &Findings<'_>, cell: &CellSummary) -> String {
    names(it, &[cell])
}

/// Cells by their value on the compared axis: `loops and offload`, `2 and 4 workers`, `lock = gil and none`.
fn names(it: &Findings<'_>, cells: &[&CellSummary]) -> String {
    let axis = it.of.axis;
    let value = |cell: &&CellSummary| cell.axes.get(axis).map_or_else(|| cell.id.clone(), ToString::to_string);
    let values: Vec<String> = cells.iter().map(value).collect();
    let listed = match values.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    // A cell on which the axis collapsed goes by its id.
    match axis {
        _ if cells.iter().any(|cell| !cell.axes.contains_key(axis)) => listed,
        "model" | "runtime" | "task" => listed,
        "workers" if listed == "1" => "1 worker".to_owned(),
        "workers" => format!("{listed} workers"),
        _ => format!("{axis} = {listed}"),
    }
}

fn verb<'a>(it: &Findings<'_>, cells: &[&CellSummary], one: &'a str, many: &'a str) -> &'a str {
    let is_many = |cell: &&CellSummary| {
        it.of.axis == "workers" && cell.axes.get("workers").is_some_and(|workers| workers.to_string() != "1")
    };
    if cells.len() > 1 || cells.iter().any(is_many) { many } else { one }
}
