//! Speed-up against workers: what was measured, the ideal line, the fitted curve and its peak.

use super::super::format::{per_second, significant};
use super::figure::{coordinates, shortest};
use super::frame::{Entry, Frame, MARGIN, TOP, WIDTH, legend};
use super::panel::{Panel, named};
use super::scale::Scale;
use super::series::{Mark, Series};
use super::svg::{Anchor, Element, hover, line, polyline, text};
use crate::stats::summary::{ScalingFit, ScalingSummary, ScenarioSummary};

/// Most curves in one picture.
const MOST_CURVES: usize = 9;

/// Most runs that get a mark, at each point.
const MOST_RUNS: usize = 20;

/// Height of the picture without legend and notes.
const HEIGHT: f64 = 370.0;

/// Points of a fitted curve.
const STEPS: u32 = 48;

/// The picture; `None` where no sweep has two points.
pub(super) fn scaling(scenario: &ScenarioSummary, prefix: &str, alt: &str) -> Option<String> {
    let curves: Vec<Curve<'_>> = scenario.scaling.iter().filter_map(Curve::of).collect();
    let shown = &curves[..curves.len().min(MOST_CURVES)];
    let most_workers = shown.iter().map(Curve::most_workers).reduce(f64::max)?;
    let most = shown.iter().flat_map(|curve| curve.speed_ups()).fold(1.0, f64::max);
    let title = format!("{}: speed-up", scenario.name);
    let subtitle = if shown.iter().any(|curve| curve.fit().is_some()) {
        "how many times one worker's throughput · dashed grey: ideal · curve: Universal Scalability Law, fitted"
    } else {
        "how many times one worker's throughput · dashed grey: ideal"
    };
    let mut frame = Frame::new(prefix, &title, subtitle, alt);
    let name = |curve: &Curve<'_>| {
        let name = coordinates(&curve.of.fixed);
        if name.is_empty() { scenario.name.clone() } else { name }
    };
    let entries = shown.iter().enumerate().map(|(index, curve)| Entry {
        series: Series::nth(index + 1),
        name: name(curve),
        is_line: true,
    });
    let entries: Vec<Entry> = entries.collect();
    let (key, height) = legend(&entries, [MARGIN, TOP], WIDTH - 2.0 * MARGIN);
    if entries.len() > 1 {
        frame.add(key);
    }
    let top = TOP + if entries.len() > 1 { height } else { 0.0 };
    let mut add = |element: Element| frame.add(element);
    let panel = Panel::new(&mut add, [MARGIN, top - 4.0, WIDTH - 2.0 * MARGIN, HEIGHT], "", 44.0);
    let across = Scale::linear(most_workers * 1.06, panel.across());
    let up = Scale::linear(most * 1.12, panel.upwards());
    panel.ticks_upwards(&mut add, named(&up, 7, shortest));
    let whole = |tick: &(f64, String)| !tick.1.contains('.');
    panel.ticks_across(&mut add, named(&across, 10, shortest).into_iter().filter(whole));
    panel.name_across(&mut add, "workers");
    let end = most_workers.min(up.most()) * 1.03;
    let end = end.min(up.most());
    add(hover(
        line("mid soft dash", [across.at(0.0), up.at(0.0)], [across.at(end), up.at(end)]),
        "ideal: twice the workers, twice the speed",
    ));
    add(text("small muted", Anchor::Start, [across.at(end * 0.93) + 10.0, up.at(end * 0.93) + 4.0], "ideal"));
    for (index, curve) in shown.iter().enumerate() {
        curve.draw(&mut add, &name(curve), Series::nth(index + 1), (&across, &up), most_workers);
    }
    for curve in shown {
        let name = if shown.len() > 1 { format!("{}: ", name(curve)) } else { String::new() };
        frame.note(format!("{name}{}", curve.in_words()));
    }
    frame.left_out(shown.len(), curves.len(), "curves");
    Some(frame.finish(top - 4.0 + HEIGHT))
}

/// A sweep that can be drawn.
struct Curve<'a> {
    of: &'a ScalingSummary,
    /// The throughput that counts as a speed-up of 1.
    single_per_s: f64,
}

impl<'a> Curve<'a> {
    fn of(of: &'a ScalingSummary) -> Option<Self> {
        let is_known = |value: &f64| value.is_finite() && *value > 0.0;
        let known = of.points.iter().filter(|point| is_known(&point.throughput_per_s) && point.workers > 0);
        (known.clone().count() == of.points.len() && of.points.len() > 1).then_some(())?;
        // The fit's own figure where it fits, so that curve and points are on one scale.
        let fitted = of.fit.as_ref().filter(|fit| !fit.poor).map(|fit| fit.single_per_s).filter(is_known);
        let first = of.points.first()?;
        let single_per_s = fitted.unwrap_or(first.throughput_per_s / f64::from(first.workers));
        Some(Self { of, single_per_s })
    }

    fn most_workers(&self) -> f64 {
        f64::from(self.of.points.iter().map(|point| point.workers).max().unwrap_or(1))
    }

    fn speed_ups(&self) -> impl Iterator<Item = f64> {
        let runs = |point: &'a crate::stats::summary::ScalingPoint| point.values.iter().take(MOST_RUNS).copied();
        let all = self.of.points.iter().flat_map(move |point| runs(point).chain([point.throughput_per_s]));
        all.filter(|value| value.is_finite()).map(|value| value / self.single_per_s)
    }

    fn fit(&self) -> Option<&'a ScalingFit> {
        let numbers =
            |fit: &&ScalingFit| [fit.single_per_s, fit.contention, fit.crosstalk].iter().all(|it| it.is_finite());
        self.of.fit.as_ref().filter(|fit| !fit.poor).filter(numbers)
    }

    fn draw(
        &self,
        add: &mut impl FnMut(Element),
        name: &str,
        series: Series,
        (across, up): (&Scale, &Scale),
        most_workers: f64,
    ) {
        let point = |workers: f64, speed_up: f64| [across.at(workers), up.at(speed_up)];
        if let Some(fit) = self.fit() {
            let last = most_workers * 1.06;
            let workers = (0..=STEPS).map(|step| 1.0 + (last - 1.0) * f64::from(step) / f64::from(STEPS));
            let curve = workers.map(|workers| point(workers, speed_up(fit, workers)));
            add(hover(polyline(&series.line(), curve), &format!("{name}: fitted. {}", self.in_words())));
            if let Some(peak) = fit.peak_workers.filter(|peak| (1.0..=last).contains(peak)) {
                let [x, y] = point(peak, speed_up(fit, peak));
                add(line("thin soft dot", [x, y], [x, up.at(0.0)]));
                add(text("small ink", Anchor::Middle, [x, y - 10.0], &format!("peak {}", significant(peak, 2))));
            }
        } else {
            let points =
                self.of.points.iter().map(|p| point(f64::from(p.workers), p.throughput_per_s / self.single_per_s));
            add(polyline(&format!("thin {}", series.stroke()), points));
        }
        for at in &self.of.points {
            let workers = f64::from(at.workers);
            for (run, value) in at.values.iter().take(MOST_RUNS).enumerate().filter(|(_, value)| value.is_finite()) {
                let said = format!("{name}: {workers} workers, run {}: {} a second", run + 1, per_second(*value));
                add(series.marker(point(workers, value / self.single_per_s), 2.4, Mark::SetAside, &said));
            }
            let speed_up = at.throughput_per_s / self.single_per_s;
            let said = format!(
                "{name}: {workers} workers: {} times one, {} a second",
                significant(speed_up, 3),
                per_second(at.throughput_per_s)
            );
            add(series.marker(point(workers, speed_up), 4.4, Mark::Figure, &said));
        }
    }

    /// What the fit says.
    fn in_words(&self) -> String {
        let Some(fit) = self.fit() else {
            return self.of.note.clone().unwrap_or_else(|| "No curve fits these points.".to_owned());
        };
        let peak = match (fit.peak_workers, fit.peak_per_s) {
            (Some(workers), Some(_)) => format!("peak at {} workers", significant(workers, 2)),
            (None, Some(limit)) => {
                format!("grows towards {} times one worker", significant(limit / self.single_per_s, 2))
            }
            _ => "no limit in sight".to_owned(),
        };
        let [contention, crosstalk] = [fit.contention, fit.crosstalk].map(|it| significant(it, 2));
        let note = self.of.note.as_deref().map(|note| format!(". {note}")).unwrap_or_default();
        format!("contention σ = {contention}, crosstalk κ = {crosstalk}; {peak}{note}")
    }
}

/// The Universal Scalability Law over the throughput of one worker.
fn speed_up(fit: &ScalingFit, workers: f64) -> f64 {
    let more = workers - 1.0;
    workers / (1.0 + fit.contention * more + fit.crosstalk * workers * more)
}
