//! An open loop: what was asked against what was answered, and throughput against latency.

use super::super::format::per_second;
use super::super::http::is_open;
use super::super::units::time;
use super::figure::{coordinates, rate_tick, time_tick};
use super::frame::{Entry, Frame, MARGIN, TOP, WIDTH, legend};
use super::panel::{Grid, Panel, named};
use super::scale::Scale;
use super::series::{Mark, Series};
use super::svg::{Element, line, polyline};
use crate::matrix::axis::Axes;
use crate::stats::summary::{CellSummary, Flag, ScenarioSummary, Status};

/// Most groups of cells that get lines of their own.
const MOST_GROUPS: usize = 6;

/// Axes on which a load differs: cells that differ in nothing else are points of one line.
const LOAD_AXES: [&str; 2] = ["rate", "load"];

/// The percentiles that are drawn.
type Percentile = (&'static str, fn(&CellSummary) -> Option<u64>);
const PERCENTILES: [Percentile; 2] = [("p50", |cell| cell.latency_ns?.p50), ("p99", |cell| cell.latency_ns?.p99)];

struct Point<'a> {
    cell: &'a CellSummary,
    asked_per_s: f64,
    answered_per_s: f64,
}

struct Group<'a> {
    name: String,
    points: Vec<Point<'a>>,
}

/// The picture; `None` where less than two rates were measured.
pub(super) fn load(scenario: &ScenarioSummary, prefix: &str, alt: &str) -> Option<String> {
    let mut groups = groups(scenario);
    let all = groups.len();
    groups.truncate(MOST_GROUPS);
    let points = || groups.iter().flat_map(|group| &group.points);
    (is_open(scenario) && points().count() > 1).then_some(())?;
    let most = points().map(|point| point.asked_per_s.max(point.answered_per_s)).fold(0.0, f64::max);
    let times: Vec<f64> = points()
        .flat_map(|point| PERCENTILES.iter().filter_map(|(_, of)| of(point.cell)))
        .map(|ns| ns as f64)
        .collect();

    let title = format!("{}: load", scenario.name);
    let subtitle =
        "left: below the dashed line the server, or the client, did not keep up · right: what it costs to ask for more";
    let mut frame = Frame::new(prefix, &title, subtitle, alt);
    let several = groups.len() > 1;
    let entries: Vec<Entry> = groups
        .iter()
        .enumerate()
        .flat_map(|(index, group)| {
            PERCENTILES.iter().enumerate().map(move |(nth, (percentile, _))| Entry {
                series: look(index, nth),
                name: if several { format!("{}, {percentile}", group.name) } else { (*percentile).to_owned() },
                is_line: true,
            })
        })
        .collect();
    let (key, height) = legend(&entries, [MARGIN, TOP], WIDTH - 2.0 * MARGIN);
    frame.add(key);
    let grid = Grid::new(2, 2, [MARGIN, TOP + height + 4.0], WIDTH - 2.0 * MARGIN, 300.0);
    let mut add = |element: Element| frame.add(element);

    let kept_up = Panel::new(&mut add, grid.place(0), "answered a second", 56.0);
    let (across, up) = (Scale::linear(most, kept_up.across()), Scale::linear(most, kept_up.upwards()));
    kept_up.ticks_upwards(&mut add, named(&up, 6, rate_tick));
    kept_up.ticks_across(&mut add, named(&across, 5, rate_tick));
    kept_up.name_across(&mut add, "asked a second");
    let end = up.most();
    add(line("mid soft dash", [across.at(0.0), up.at(0.0)], [across.at(end), up.at(end)]));
    for (index, group) in groups.iter().enumerate() {
        let at = |point: &Point<'_>| [across.at(point.asked_per_s), up.at(point.answered_per_s)];
        curve(&mut add, look(index, 0), group.points.iter().map(|point| (point, at(point))).collect());
    }

    let cost = Panel::new(&mut add, grid.place(1), "latency (logarithmic)", 66.0);
    let (across, up) = (Scale::linear(most, cost.across()), Scale::logarithmic(times, cost.upwards()));
    cost.ticks_upwards(&mut add, named(&up, 6, |ns| time_tick(ns, &up)));
    cost.ticks_across(&mut add, named(&across, 5, rate_tick));
    cost.name_across(&mut add, "answered a second");
    for (index, group) in groups.iter().enumerate() {
        for (nth, (_, of)) in PERCENTILES.iter().enumerate() {
            let known = group.points.iter().filter_map(|point| {
                let ns = of(point.cell)? as f64;
                Some((point, [across.at(point.answered_per_s), up.at(ns)]))
            });
            curve(&mut add, look(index, nth), known.collect());
        }
    }
    frame.left_out(groups.len(), all, "groups of cells");
    frame.note(
        "Latency is from the intended send time. Points are joined in the order of the rates that were asked for.",
    );
    Some(frame.finish(grid.bottom(2)))
}

/// How a percentile of a group looks.
fn look(group: usize, percentile: usize) -> Series {
    Series::nth(1 + group * PERCENTILES.len() + percentile)
}

/// The cells with figures, in groups that differ in their load alone, each by ascending rate.
fn groups(scenario: &ScenarioSummary) -> Vec<Group<'_>> {
    let mut groups: Vec<(Axes, Vec<Point<'_>>)> = Vec::new();
    for cell in scenario.cells.iter().filter(|cell| cell.status == Status::Ok) {
        let figures = || {
            let asked = cell.requests.as_ref()?.asked_rate_per_s?;
            let answered = cell.throughput_per_s.as_ref()?.median;
            (asked.is_finite() && answered.is_finite()).then_some((asked, answered))
        };
        let Some((asked_per_s, answered_per_s)) = figures() else { continue };
        let point = Point { cell, asked_per_s, answered_per_s };
        let mut key = cell.axes.clone();
        key.retain(|name, _| !LOAD_AXES.contains(&name.as_str()));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, points)) => points.push(point),
            None => groups.push((key, vec![point])),
        }
    }
    let sorted = groups.into_iter().map(|(key, mut points)| {
        points.sort_by(|a, b| a.asked_per_s.total_cmp(&b.asked_per_s));
        Group { name: coordinates(&key), points }
    });
    sorted.collect()
}

fn curve(add: &mut impl FnMut(Element), series: Series, points: Vec<(&Point<'_>, [f64; 2])>) {
    if points.len() > 1 {
        add(polyline(&series.line(), points.iter().map(|(_, at)| *at)));
    }
    for (point, at) in points {
        // A rate that was not met is hollow: its latency is that of a queue, not of the server.
        let not_met = point.cell.flags.contains(&Flag::RateNotMet);
        let mark = if not_met { Mark::SetAside } else { Mark::Figure };
        add(series.marker(at, 4.4, mark, &said(point)));
    }
}

fn said(point: &Point<'_>) -> String {
    let known = PERCENTILES.iter().filter_map(|(name, of)| Some(format!("{name} {}", time(of(point.cell)?, None))));
    let known: Vec<String> = known.collect();
    let not_met = if point.cell.flags.contains(&Flag::RateNotMet) { "; the rate was not met" } else { "" };
    format!(
        "{}: asked {}, answered {} a second; {}{not_met}",
        coordinates(&point.cell.axes),
        per_second(point.asked_per_s),
        per_second(point.answered_per_s),
        known.join(", ")
    )
}
