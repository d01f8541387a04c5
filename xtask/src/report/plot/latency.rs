//! How long requests took, on an axis of percentiles that gives each nine as much room: 0, 90, 99, 99.9 %.
//!
//! Every comparison is a panel, every cell a line. Where fewer than ten requests lie beyond a percentile, a line is dots: other
//! runs may well differ there.

use protocol::Histogram;

use super::super::scenario_table::by_id;
use super::super::units::time;
use super::figure::{facet, row, time_tick};
use super::frame::{Entry, Frame, MARGIN, TOP, WIDTH, legend};
use super::latencies::Latencies;
use super::panel::{Grid, Panel, named};
use super::scale::Scale;
use super::series::{Mark, Series};
use super::svg::{Element, polyline};
use crate::number::grouped;
use crate::stats::summary::{ScenarioSummary, Status};

/// Most panels in one picture.
const MOST_PANELS: usize = 8;

/// Most lines in one panel.
const MOST_LINES: usize = 9;

/// Requests that must lie beyond a percentile before a line is drawn whole: as many as `stats` wants before it tells one.
const BEYOND: f64 = 10.0;

/// Lines begin here: the first few requests of a run find an idle server, and would take half of the room.
const FROM: f64 = 0.1;

/// Steps between two nines.
const STEPS: u32 = 12;

/// Percentiles with a marker and a name.
const NAMED: [(f64, &str); 6] =
    [(0.0, "0"), (0.5, "50"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99")];

struct Line<'a> {
    series: Series,
    name: String,
    histogram: &'a Histogram,
}

/// The picture; `None` where no histogram is known.
pub(super) fn latency(scenario: &ScenarioSummary, latencies: &Latencies, prefix: &str, alt: &str) -> Option<String> {
    let by_id = by_id(scenario);
    let mut panels = Vec::new();
    for comparison in &scenario.comparisons {
        let cells = comparison.rows.iter().filter_map(|row| by_id.get(row.cell.as_str()).copied());
        let known = cells.filter(|cell| cell.status == Status::Ok).filter_map(|cell| {
            let name = row(scenario, &comparison.fixed, cell);
            Some(Line { series: Series::of(scenario, cell), name, histogram: latencies.get(&cell.id)? })
        });
        let mut lines: Vec<Line<'_>> = known.collect();
        if lines.iter().all(|line| line.series == Series::nth(1)) {
            // Nothing is compared: lines are told apart by their place.
            lines.iter_mut().enumerate().for_each(|(index, line)| line.series = Series::nth(index));
        }
        if !lines.is_empty() {
            panels.push((facet(comparison), lines));
        }
    }
    let all = panels.len();
    panels.truncate(MOST_PANELS);
    let most_lines = panels.iter().map(|(_, lines)| lines.len()).max()?;
    panels.iter_mut().for_each(|(_, lines)| lines.truncate(MOST_LINES));

    let subtitle = "time to a whole answer (logarithmic) by the share of requests that took no longer";
    let mut frame = Frame::new(prefix, &format!("{}: latency", scenario.name), subtitle, alt);
    let mut entries: Vec<Entry> = Vec::new();
    for line in panels.iter().flat_map(|(_, lines)| lines) {
        if !entries.iter().any(|entry| entry.name == line.name) {
            entries.push(Entry { series: line.series, name: line.name.clone(), is_line: true });
        }
    }
    let (key, height) = legend(&entries, [MARGIN, TOP], WIDTH - 2.0 * MARGIN);
    frame.add(key);
    let columns = if panels.len() == 1 { 1 } else { 2 };
    let size = if panels.len() == 1 { 320.0 } else { 230.0 };
    let grid = Grid::new(panels.len(), columns, [MARGIN, TOP + height + 6.0], WIDTH - 2.0 * MARGIN, size);
    let histograms = panels.iter().flat_map(|(_, lines)| lines).map(|line| line.histogram);
    let times: Vec<f64> = histograms
        .clone()
        .flat_map(|histogram| [histogram.quantile_ns(FROM).unwrap_or(histogram.max_ns), histogram.max_ns])
        .map(|ns| ns as f64)
        .collect();
    let counts = histograms.map(|histogram| histogram.count).max().unwrap_or(1);
    for (index, (heading, lines)) in panels.iter().enumerate() {
        let mut add = |element: Element| frame.add(element);
        let panel = Panel::new(&mut add, grid.place(index), heading, 66.0);
        let up = Scale::logarithmic(times.iter().copied(), panel.upwards());
        let across = Across::new(counts, panel.across());
        panel.ticks_upwards(&mut add, named(&up, 6, |ns| time_tick(ns, &up)));
        let ticks = NAMED.into_iter().filter(|(share, _)| across.holds(*share));
        panel.ticks_across(&mut add, ticks.map(|(share, name)| (across.at(share), name.to_owned())));
        panel.name_across(&mut add, "percentile");
        lines.iter().for_each(|line| draw(&mut add, line, &across, &up));
    }
    frame.left_out(panels.len(), all, "comparisons");
    if most_lines > MOST_LINES {
        frame.note(format!("Each panel has the first {MOST_LINES} of up to {most_lines} cells; the table has all."));
    }
    frame.note("Dotted: fewer than ten requests lie beyond. Markers: 50, 90, 99, 99.9 %.");
    Some(frame.finish(grid.bottom(panels.len())))
}

fn draw(add: &mut impl FnMut(Element), line: &Line<'_>, across: &Across, up: &Scale) {
    let Line { series, name, histogram } = line;
    let count = histogram.count as f64;
    let sure = 1.0 - (BEYOND / count).min(1.0);
    let last = 1.0 - 1.0 / count.max(1.0);
    let shares = || across.shares().chain([sure, last]);
    let mut points: Vec<f64> = shares().filter(|share| (FROM..=last).contains(share)).collect();
    points.sort_by(f64::total_cmp);
    points.dedup();
    let at = |share: f64| histogram.quantile_ns(share).map(|ns| [across.at(share), up.at(ns as f64)]);
    let whole = points.iter().copied().filter(|share| *share <= sure);
    let rest = points.iter().copied().filter(|share| *share >= sure);
    add(polyline(&series.line(), whole.filter_map(at)));
    let end = at(last).map(|[_, y]| [across.at(1.0), y.min(up.at(histogram.max_ns as f64))]);
    let rest: Vec<[f64; 2]> = rest.filter_map(at).chain(end).collect();
    if rest.len() > 1 {
        add(polyline(&format!("thin dot {}", series.stroke()), rest));
    }
    for (share, percent) in NAMED.into_iter().skip(1).filter(|(share, _)| *share <= sure && across.holds(*share)) {
        let Some(ns) = histogram.quantile_ns(share) else { continue };
        let said = format!("{name}: p{percent} {} of {} requests", time(ns, None), grouped(histogram.count));
        add(series.marker([across.at(share), up.at(ns as f64)], 3.8, Mark::Figure, &said));
    }
}

/// The axis of percentiles: a share `p` is at −log₁₀(1 − p).
struct Across {
    nines: f64,
    pixels: [f64; 2],
}

impl Across {
    /// As far as the largest number of requests reaches, two nines at least and five at most.
    fn new(count: u64, pixels: [f64; 2]) -> Self {
        Self { nines: (count.max(1) as f64).log10().clamp(2.0, 5.0), pixels }
    }

    fn at(&self, share: f64) -> f64 {
        let nines = if share >= 1.0 { self.nines } else { -(1.0 - share.max(0.0)).log10() };
        let part = (nines / self.nines).clamp(0.0, 1.0);
        self.pixels[0] + part * (self.pixels[1] - self.pixels[0])
    }

    /// Whether a share is on the axis.
    fn holds(&self, share: f64) -> bool {
        -(1.0 - share).log10() <= self.nines + 0.001
    }

    /// Shares at even distances.
    fn shares(&self) -> impl Iterator<Item = f64> + use<> {
        let steps = (self.nines * f64::from(STEPS)).floor() as u32;
        (0..=steps).map(|step| 1.0 - 10_f64.powf(-f64::from(step) / f64::from(STEPS)))
    }
}
