//! A series of ratios as a small line without axes.

use maud::{Markup, html};

use super::svg::number;

const WIDTH: f64 = 160.0;
const HEIGHT: f64 = 28.0;
const MARGIN: f64 = 3.0;

/// Most points: of a longer series the newest.
const MOST: usize = 120;

/// The line; the newest value is marked. A range of less than a tenth of the values is not blown up: what hardly moves looks
/// like it. `said` is the same in words.
pub(in crate::report) fn sparkline(values: &[f64], said: &str) -> Markup {
    let shown = &values[values.len().saturating_sub(MOST)..];
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = low.midpoint(high);
    let range = (high - low).max(middle.abs() * 0.1).max(f64::MIN_POSITIVE);
    let step = (WIDTH - 2.0 * MARGIN) / shown.len().saturating_sub(1).max(1) as f64;
    // The newest is at the right, also where it is the only one.
    let first = WIDTH - MARGIN - step * shown.len().saturating_sub(1) as f64;
    let points: Vec<[String; 2]> = shown
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let height = (value - middle) / range * (HEIGHT - 2.0 * MARGIN);
            [number(first + step * index as f64), number(HEIGHT / 2.0 - height)]
        })
        .collect();
    let line: Vec<String> = points.iter().map(|point| point.join(",")).collect();
    html! {
        svg.spark viewBox={ "0 0 " (number(WIDTH)) " " (number(HEIGHT)) } width=(number(WIDTH)) height=(number(HEIGHT)) role="img" aria-label=(said) {
            polyline points=(line.join(" ")) fill="none" stroke="currentColor" stroke-width="1.5" {}
            @if let Some([x, y]) = points.last() { circle cx=(x) cy=(y) r="2.5" fill="currentColor" {} }
        }
    }
}
