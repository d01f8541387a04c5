//! Every run of every cell, with the median; beside it how fast that is compared with the baseline.
//!
//! All comparisons of a scenario are in one picture, one below the other and on one scale.

mod blocks;
mod ratio;

use self::blocks::{Block, Blocks, MOST_RUNS};
use self::ratio::ratio_of_row;
use super::super::standing::ends;
use super::figure::{Figure, facet, missing, row, shortest};
use super::frame::{Frame, MARGIN, TOP, WIDTH};
use super::lettering::{self, SIZE, SMALL};
use super::scale::Scale;
use super::series::{Mark, Series};
use super::svg::{Anchor, hover, line, rect, text};
use crate::stats::summary::{CellSummary, ComparisonRow, ComparisonSummary, Ratio, ScenarioSummary, Verdict};

pub(super) use self::ratio::ratio_in_words;

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
            let shown = lettering::shorten(&name, SIZE * lettering::STRONG, WIDTH - 2.0 * MARGIN);
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
        let lines = lettering::name_lines(&name, SIZE, self.label_room, 2);
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
