//! How fast a cell is compared with the baseline: the right half of its row.

use crate::report::format::{self, ratio_of};
use crate::report::plot::figure::shortest;
use crate::report::plot::frame::{Frame, MARGIN, WIDTH, whisker};
use crate::report::plot::scale::Scale;
use crate::report::plot::series::{Mark, Series};
use crate::report::plot::svg::{Anchor, Element, hover, line, text};
use crate::report::standing::ends;
use crate::stats::summary::{Ratio, Verdict};

/// The ratio with its interval, and the figure at the right edge.
pub(super) fn ratio_of_row(
    frame: &mut Frame,
    scale: &Scale,
    series: Series,
    (name, ratio): (&str, &Ratio),
    verdict: Option<Verdict>,
    is_baseline: bool,
    middle: f64,
) {
    let end = |content: &str, class: &str| text(class, Anchor::End, [WIDTH - MARGIN, middle + 4.0], content);
    if is_baseline {
        frame.add(end("baseline", "small muted"));
        return;
    }
    if !(ratio.value.is_finite() && ratio.value > 0.0) {
        return;
    }
    let said = ratio_in_words(name, ratio, verdict);
    if let Some(ends) = ends(ratio) {
        let ends = ends.map(|end| scale.at(end));
        frame.add(hover(whisker(&format!("mid {}", series.stroke()), ends, middle, 4.5), &said));
    }
    let from_one = [[scale.at(1.0), middle], [scale.at(ratio.value), middle]];
    frame.add(line(&format!("thin {}", series.stroke()), from_one[0], from_one[1]));
    frame.add(series.marker([scale.at(ratio.value), middle], 4.4, Mark::Figure, &said));
    let sign = verdict.and_then(Verdict::sign).map(|sign| format!(" {sign}")).unwrap_or_default();
    let figure: Element = end(&format!("{}{sign}", ratio_of(ratio)), "ink");
    frame.add(hover(figure, &said));
}

/// `threads: ratio 2.90, 96.8 % interval 2.80 to 3.00, faster`.
pub(in crate::report::plot) fn ratio_in_words(name: &str, ratio: &Ratio, verdict: Option<Verdict>) -> String {
    let mut said = format!("{name}: ratio {}", ratio_of(ratio));
    if let Some(ends) = ends(ratio) {
        let confidence = ratio.confidence.map(|share| format!("{} % ", shortest(share * 100.0))).unwrap_or_default();
        let [low, high] = ends.map(format::ratio);
        said += &format!(", {confidence}interval {low} to {high}");
    }
    match verdict {
        Some(Verdict::Faster) => said + ", faster",
        Some(Verdict::Slower) => said + ", slower",
        Some(Verdict::Unresolved) => said + ", cannot be told from the baseline",
        Some(Verdict::Baseline) | None => said,
    }
}
