//! Every run of every cell, with the median; beside it how fast that is compared with the baseline.
//!
//! All comparisons of a scenario are in one picture, one below the other and on one scale.

use super::super::format::ratio_of;
use super::super::scenario_table::by_id;
use super::super::standing::ends;
use super::figure::{Figure, facet, missing, row, shortest};
use super::frame::{Frame, MARGIN, TOP, WIDTH, whisker};
use super::lettering::{self, SIZE, SMALL};
use super::scale::Scale;
use super::series::{Mark, Series};
use super::svg::{Anchor, Element, hover, line, rect, text};
use crate::stats::summary::{CellSummary, ComparisonRow, ComparisonSummary, Ratio, ScenarioSummary, Verdict};

/// Most rows in one picture.
const MOST_ROWS: usize = 40;

/// Most marks for the runs of one row, and in the picture; both keep the file small.
const MOST_RUNS: usize = 40;
const MOST_MARKS: usize = 300;

/// Height of a row.
const ROW: f64 = 26.0;

/// Height of the line above the rows of a comparison.
const HEADER: f64 = 25.0;

/// How far runs are moved up and down so that equal ones are seen side by side: always the same, in the order of the runs.
const JITTER: [f64; 7] = [0.0, -6.0, 4.5, -3.0, 6.0, -4.5, 3.0];

/// The picture; `None` where no cell was measured.
pub(super) fn runs(scenario: &ScenarioSummary, prefix: &str, alt: &str) -> Option<String> {
    let figure = Figure::of(scenario)?;
    let blocks = Blocks::of(scenario, figure)?;
    let layout = Layout::of(scenario, figure, &blocks);
    let subtitle = match layout.ratios {
        Some(_) if blocks.has_intervals => {
            "each mark is a run, the bar is the median · right: speed against the baseline, with its interval"
        }
        Some(_) => "each mark is a run, the bar is the median · right: speed against the baseline",
        None => "each mark is a run, the bar is the median",
    };
    let mut frame = Frame::new(prefix, &scenario.name, subtitle, alt);
    let bottom = layout.bottom(&blocks);
    layout.axes(&mut frame, scenario, figure, bottom);
    let mut top = layout.top;
    for block in &blocks.shown {
        layout.block(&mut frame, scenario, figure, block, &mut top);
    }
    frame.left_out(blocks.rows(), blocks.rows() + blocks.left_out, "rows");
    if layout.has_floor {
        frame.note("Grey band around 1: the noise floor, by which two equal cells may seem to differ on this machine.");
    }
    if blocks.has_set_aside {
        frame.note("Hollow marks: runs that were disturbed and made again; they do not count.");
    }
    Some(frame.finish(bottom + 38.0))
}

/// A comparison and its cells.
struct Block<'a> {
    comparison: &'a ComparisonSummary,
    rows: Vec<(&'a ComparisonRow, &'a CellSummary)>,
}

struct Blocks<'a> {
    shown: Vec<Block<'a>>,
    left_out: usize,
    has_set_aside: bool,
    has_intervals: bool,
}

impl<'a> Blocks<'a> {
    /// As many comparisons as there is room for; at least a part of the first. `None` where nothing was measured.
    fn of(scenario: &'a ScenarioSummary, figure: Figure) -> Option<Self> {
        let by_id = by_id(scenario);
        let mut blocks = Self { shown: Vec::new(), left_out: 0, has_set_aside: false, has_intervals: false };
        let (mut drawn, mut marks, mut measured) = (0, 0, 0);
        for comparison in &scenario.comparisons {
            let all = comparison.rows.iter().filter_map(|row| Some((row, *by_id.get(row.cell.as_str())?)));
            let mut rows = Vec::new();
            for (row, cell) in all {
                let runs = figure.runs(cell).map_or(0, |(_, values)| values.len().min(MOST_RUNS));
                if drawn >= MOST_ROWS || (marks + runs > MOST_MARKS && drawn > 0) {
                    blocks.left_out += 1;
                    continue;
                }
                (drawn, marks, measured) = (drawn + 1, marks + runs, measured + usize::from(runs > 0));
                blocks.has_set_aside |= !figure.set_aside(cell).is_empty();
                blocks.has_intervals |= row.ratio.as_ref().and_then(ends).is_some();
                rows.push((row, cell));
            }
            if !rows.is_empty() {
                blocks.shown.push(Block { comparison, rows });
            }
        }
        (measured > 0).then_some(blocks)
    }

    fn rows(&self) -> usize {
        self.shown.iter().map(|block| block.rows.len()).sum()
    }

    fn cells(&self) -> impl Iterator<Item = (&Block<'a>, &'a ComparisonRow, &'a CellSummary)> {
        self.shown.iter().flat_map(|block| block.rows.iter().map(move |(row, cell)| (block, *row, *cell)))
    }
}

/// Where everything is.
struct Layout {
    top: f64,
    label_room: f64,
    row_height: f64,
    values: Scale,
    values_at: [f64; 2],
    /// The ratios' scale and its ends, where there are ratios.
    ratios: Option<(Scale, [f64; 2])>,
    has_headers: bool,
    has_floor: bool,
}

impl Layout {
    fn of(scenario: &ScenarioSummary, figure: Figure, blocks: &Blocks<'_>) -> Self {
        let labels = blocks.cells().map(|(block, _, cell)| row(scenario, &block.comparison.fixed, cell));
        let widest = labels.map(|label| lettering::width(&label, SIZE)).fold(40.0, f64::max);
        let label_room = widest.min(230.0);
        let known = |ratio: &Ratio| ends(ratio).into_iter().flatten().chain([ratio.value]).collect::<Vec<_>>();
        let ratios: Vec<f64> = blocks
            .cells()
            .filter(|(_, row, _)| row.verdict != Some(Verdict::Baseline))
            .filter_map(|(block, row, _)| Some((block, row.ratio.as_ref()?, row)))
            .filter(|(block, _, row)| block.comparison.baseline.as_deref() != Some(row.cell.as_str()))
            .flat_map(|(_, ratio, _)| known(ratio))
            .filter(|figure| figure.is_finite() && *figure > 0.0)
            .collect();
        let floors: Vec<f64> = blocks.shown.iter().filter_map(|block| floor(block.comparison)).collect();
        let right = WIDTH - MARGIN;
        let ratios_at = [right - 60.0 - 190.0, right - 60.0];
        let left = MARGIN + label_room + 14.0;
        let values_at = [left, if ratios.is_empty() { right - 10.0 } else { ratios_at[0] - 26.0 }];
        let figures = blocks.cells().filter_map(|(_, _, cell)| figure.runs(cell)).flat_map(|(_, values)| values);
        let aside = blocks.cells().flat_map(|(_, _, cell)| figure.set_aside(cell)).map(|(value, _)| value);
        let figures: Vec<f64> = figures.chain(aside).collect();
        let around = floors.iter().flat_map(|share| [1.0 + share, 1.0 / (1.0 + share)]).chain([0.9, 1.1]);
        let has_ratios = !ratios.is_empty();
        let scale = Scale::logarithmic(ratios.into_iter().chain(around), ratios_at);
        Self {
            top: TOP + 6.0,
            label_room,
            row_height: if widest > label_room { 36.0 } else { ROW },
            values: Scale::fitting(figures.into_iter(), values_at),
            values_at,
            ratios: has_ratios.then_some((scale, ratios_at)),
            has_headers: scenario.comparisons.len() > 1,
            has_floor: has_ratios && !floors.is_empty(),
        }
    }

    fn bottom(&self, blocks: &Blocks<'_>) -> f64 {
        let headers = if self.has_headers { blocks.shown.len() as f64 * HEADER } else { 0.0 };
        self.top + headers + blocks.rows() as f64 * self.row_height
    }

    /// Grid, ticks and what they count.
    fn axes(&self, frame: &mut Frame, scenario: &ScenarioSummary, figure: Figure, bottom: f64) {
        let room = self.values_at[1] - self.values_at[0];
        let names = self.values.ticks((room / 75.0) as usize);
        for tick in names {
            let x = self.values.at(tick);
            frame.add(line("thin grid", [x, self.top], [x, bottom]));
            frame.add(text("small muted", Anchor::Middle, [x, bottom + 15.0], &figure.tick(tick, &self.values)));
        }
        let scale = if self.values.is_logarithmic() { " (logarithmic)" } else { "" };
        let name = format!("{}{scale}", figure.axis(scenario));
        frame.add(text("small muted", Anchor::Start, [self.values_at[0], bottom + 31.0], &name));
        let Some((ratios, at)) = &self.ratios else { return };
        for tick in ratios.ticks(6) {
            let x = ratios.at(tick);
            frame.add(line("thin grid", [x, self.top], [x, bottom]));
            frame.add(text("small muted", Anchor::Middle, [x, bottom + 15.0], &shortest(tick)));
        }
        frame.add(text("small muted", Anchor::Start, [at[0], bottom + 31.0], "ratio: above 1 is faster"));
    }

    fn block(&self, frame: &mut Frame, scenario: &ScenarioSummary, figure: Figure, block: &Block<'_>, top: &mut f64) {
        if self.has_headers {
            let name = facet(block.comparison);
            let shown = lettering::cut(&name, SIZE * 1.07, WIDTH - 2.0 * MARGIN);
            frame.add(hover(text("strong ink", Anchor::Start, [MARGIN, *top + 17.0], &shown), &name));
            *top += HEADER;
        }
        let bottom = *top + block.rows.len() as f64 * self.row_height;
        frame.add(line("thin axis", [MARGIN, *top], [WIDTH - MARGIN, *top]));
        if let Some((ratios, _)) = &self.ratios {
            if let Some(share) = floor(block.comparison) {
                let (from, to) = (ratios.at(1.0 / (1.0 + share)), ratios.at(1.0 + share));
                let said = format!("noise floor: {} %", shortest(share * 100.0));
                frame.add(hover(rect("band", [from, *top, to - from, bottom - *top]), &said));
            }
            frame.add(line("thin soft", [ratios.at(1.0), *top], [ratios.at(1.0), bottom]));
        }
        for (at, cell) in &block.rows {
            self.row(frame, scenario, figure, block.comparison, (at, cell), *top + self.row_height / 2.0);
            *top += self.row_height;
        }
    }

    fn row(
        &self,
        frame: &mut Frame,
        scenario: &ScenarioSummary,
        figure: Figure,
        comparison: &ComparisonSummary,
        (place, cell): (&ComparisonRow, &CellSummary),
        middle: f64,
    ) {
        let name = row(scenario, &comparison.fixed, cell);
        let lines = lettering::lines(&name, SIZE, self.label_room, 2);
        let first = middle + 4.0 - 6.5 * (lines.len().max(1) - 1) as f64;
        for (index, shown) in lines.iter().enumerate() {
            let at = [MARGIN + self.label_room, first + 13.0 * index as f64];
            frame.add(hover(text("ink", Anchor::End, at, shown), &cell.id));
        }
        let series = Series::of(scenario, cell);
        let Some((median, values)) = figure.runs(cell) else {
            let room = self.values_at[1] - self.values_at[0] - 8.0;
            let why = missing(cell);
            let at = [self.values_at[0] + 4.0, middle + 4.0];
            frame.add(hover(text("small muted", Anchor::Start, at, &lettering::cut(&why, SMALL, room)), &why));
            return;
        };
        self.marks(frame, figure, series, (&name, cell), &values, middle);
        let x = self.values.at(median);
        let said = format!("{name}: median of {} runs {}", values.len(), figure.shown(median));
        let half = 10.0;
        frame.add(hover(line("median stroke", [x, middle - half], [x, middle + half]), &said));
        if let (Some((scale, _)), Some(ratio)) = (&self.ratios, &place.ratio) {
            let is_baseline = comparison.baseline.as_deref() == Some(place.cell.as_str());
            ratio_of_row(frame, scale, series, (&name, ratio), place.verdict, is_baseline, middle);
        }
    }

    fn marks(
        &self,
        frame: &mut Frame,
        figure: Figure,
        series: Series,
        (name, cell): (&str, &CellSummary),
        values: &[f64],
        middle: f64,
    ) {
        let y = |index: usize| middle + JITTER[index % JITTER.len()];
        let [least, most] = [f64::min, f64::max].map(|fold| values.iter().copied().reduce(fold).unwrap_or(0.0));
        let ends = [least, most].map(|value| [self.values.at(value), middle]);
        frame.add(line(&format!("thin {}", series.stroke()), ends[0], ends[1]));
        let stride = values.len().div_ceil(MOST_RUNS).max(1);
        for (index, value) in values.iter().enumerate().step_by(stride) {
            let said = format!("{name}: run {} of {}: {}", index + 1, values.len(), figure.shown(*value));
            frame.add(series.marker([self.values.at(*value), y(index)], 3.6, Mark::Run, &said));
        }
        for (index, (value, why)) in figure.set_aside(cell).into_iter().enumerate().take(MOST_RUNS) {
            let said = format!("{name}: set aside: {}: {why}", figure.shown(value));
            frame.add(series.marker([self.values.at(value), y(index + 1)], 3.6, Mark::SetAside, &said));
        }
    }
}

/// The noise floor of a comparison, as a share.
fn floor(comparison: &ComparisonSummary) -> Option<f64> {
    comparison.floor.as_ref().map(|floor| floor.share).filter(|share| share.is_finite() && *share >= 0.0)
}

/// The ratio with its interval, and the figure at the right edge.
fn ratio_of_row(
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
pub(super) fn ratio_in_words(name: &str, ratio: &Ratio, verdict: Option<Verdict>) -> String {
    let mut said = format!("{name}: ratio {}", ratio_of(ratio));
    if let Some(ends) = ends(ratio) {
        let confidence = ratio.confidence.map(|share| format!("{} % ", shortest(share * 100.0))).unwrap_or_default();
        let [low, high] = ends.map(super::super::format::ratio);
        said += &format!(", {confidence}interval {low} to {high}");
    }
    match verdict {
        Some(Verdict::Faster) => said + ", faster",
        Some(Verdict::Slower) => said + ", slower",
        Some(Verdict::Unresolved) => said + ", cannot be told from the baseline",
        Some(Verdict::Baseline) | None => said,
    }
}
