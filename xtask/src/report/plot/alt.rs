//! What is seen on a picture, in words: for who cannot see it.

use std::cmp::Ordering;

use super::super::scenario_table::by_id;
use super::figure::{Figure, facet, row};
use super::{Kind, by_worker};
use crate::number::counted;
use crate::stats::summary::{ScenarioSummary, Status};

/// Most comparisons that are told one by one.
const MOST: usize = 4;

/// The description of a scenario's picture.
pub(super) fn alt(scenario: &ScenarioSummary, kind: Kind) -> String {
    let name = &scenario.name;
    let ok = scenario.cells.iter().filter(|cell| cell.status == Status::Ok).count() as u64;
    let cells = counted(ok, "cell", "cells");
    match kind {
        Kind::Runs => format!("Every run of {cells} of {name}, with medians and ratios. {}", fastest(scenario)),
        Kind::Latency => {
            format!("Latency of {cells} of {name} by percentile, a line for each cell. {}", tails(scenario))
        }
        Kind::Load => {
            format!("Answered against asked requests a second, and latency against throughput, of {cells} of {name}.")
        }
        Kind::Scaling => format!("Speed-up of {name} against workers, with the ideal line and the fitted curve."),
        Kind::ByWorker => format!("What each worker did in {name}, with the even share. {}", most_uneven(scenario)),
        Kind::Heat | Kind::Models => {
            format!("Map of speed ratios of {name}: a row for each comparison, a column for each compared value.")
        }
    }
    .trim_end()
    .to_owned()
}

/// The fastest and the slowest cell of the first comparisons.
fn fastest(scenario: &ScenarioSummary) -> String {
    let (Some(figure), by_id) = (Figure::of(scenario), by_id(scenario)) else { return String::new() };
    let sentence = |comparison: &crate::stats::summary::ComparisonSummary| {
        let cells = comparison.rows.iter().filter_map(|at| by_id.get(at.cell.as_str()).copied());
        let mut known: Vec<(f64, String)> =
            cells.filter_map(|cell| Some((figure.runs(cell)?.0, row(scenario, &comparison.fixed, cell)))).collect();
        known.sort_by(|a, b| {
            let order = a.0.total_cmp(&b.0);
            if figure == Figure::Throughput { order.reverse() } else { order }
        });
        let told = |(value, name): &(f64, String)| format!("{name} {}", figure.shown(*value));
        let place = facet(comparison);
        let (place, fastest) = if place.is_empty() { (place, "Fastest") } else { (format!("{place}: "), "fastest") };
        match known.as_slice() {
            [] => None,
            [only] => Some(format!("{place}{}.", told(only))),
            [first, .., last] => Some(format!("{place}{fastest} {}, slowest {}.", told(first), told(last))),
        }
    };
    scenario.comparisons.iter().filter_map(sentence).take(MOST).collect::<Vec<_>>().join(" ")
}

/// The lowest and the highest 99th percentile.
fn tails(scenario: &ScenarioSummary) -> String {
    let known = scenario.cells.iter().filter_map(|cell| Some((cell.latency_ns?.p99?, &cell.id)));
    let (least, most) = (known.clone().min(), known.max());
    match (least, most) {
        (Some(least), Some(most)) if least.0 != most.0 => {
            let told = |(ns, id): (u64, &String)| format!("{} ({id})", super::super::units::time(ns, None));
            format!("99th percentile from {} to {}.", told(least), told(most))
        }
        _ => String::new(),
    }
}

fn most_uneven(scenario: &ScenarioSummary) -> String {
    let cells = by_worker::worth_drawing(scenario).unwrap_or_default();
    let known = cells.iter().filter_map(|(cell, _)| Some((cell.imbalance?, &cell.id)));
    match known.max_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal)) {
        Some((imbalance, id)) => format!("Most uneven: {id}, whose busiest worker did {imbalance:.2} times its share."),
        None => String::new(),
    }
}
