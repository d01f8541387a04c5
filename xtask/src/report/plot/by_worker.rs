//! What each worker did: tasks, or requests, with the even share marked.

use super::super::http::is_http;
use super::figure::coordinates;
use super::frame::{Frame, MARGIN, TOP, WIDTH};
use super::lettering::{self, SIZE, SMALL};
use super::panel::Grid;
use super::series::Series;
use super::svg::{Anchor, hover, line, rect, text};
use crate::number::grouped;
use crate::stats::summary::{CellSummary, ScenarioSummary, Status};

/// Most panels in one picture.
const MOST_PANELS: usize = 24;

/// Most workers that get a bar.
const MOST_WORKERS: usize = 32;

/// Busiest worker over the mean from which on a cell of tasks is worth a picture. Servers always are: who answers is what
/// they are about.
const UNEVEN: f64 = 1.05;

/// Height of a panel, and of its bars.
const PANEL: f64 = 118.0;
const BARS: f64 = 62.0;

/// The picture; `None` where no cell has several workers, or all tasks were dealt out evenly.
pub(super) fn by_worker(scenario: &ScenarioSummary, prefix: &str, alt: &str) -> Option<String> {
    let what = if is_http(scenario) { "requests" } else { "tasks" };
    let mut cells = worth_drawing(scenario)?;
    let all = cells.len();
    if all > MOST_PANELS {
        // The uneven ones are those to look at.
        let unevenness = |cell: &CellSummary| cell.imbalance.unwrap_or(1.0);
        cells.sort_by(|(a, _), (b, _)| unevenness(b).total_cmp(&unevenness(a)));
        cells.truncate(MOST_PANELS);
    }
    let title = format!("{}: {what} by worker", scenario.name);
    let subtitle =
        "a bar for each worker, the busiest at full height · dashed: the even share · ×: the busiest over that share";
    let mut frame = Frame::new(prefix, &title, subtitle, alt);
    let grid = Grid::new(cells.len(), 4, [MARGIN, TOP + 4.0], WIDTH - 2.0 * MARGIN, PANEL);
    for (index, (cell, done)) in cells.iter().enumerate() {
        panel(&mut frame, scenario, cell, done, grid.place(index), what);
    }
    if all > cells.len() {
        frame.note(format!("The {} most uneven of {} cells; the table has all.", cells.len(), grouped(all as u64)));
    }
    if cells.iter().any(|(_, done)| done.len() > MOST_WORKERS) {
        frame.note(format!("Of more than {MOST_WORKERS} workers the first {MOST_WORKERS} are drawn."));
    }
    Some(frame.finish(grid.bottom(cells.len())))
}

/// The cells with several workers, where they are worth a picture.
pub(super) fn worth_drawing(scenario: &ScenarioSummary) -> Option<Vec<(&CellSummary, &[u64])>> {
    let several =
        |cell: &CellSummary| cell.status == Status::Ok && cell.by_worker.as_ref().is_some_and(|it| it.len() > 1);
    let cells: Vec<(&CellSummary, &[u64])> = scenario
        .cells
        .iter()
        .filter(|cell| several(cell))
        .filter_map(|cell| Some((cell, cell.by_worker.as_deref()?)))
        .filter(|(_, done)| done.iter().any(|count| *count > 0))
        .collect();
    let uneven = cells.iter().any(|(cell, _)| cell.imbalance.is_some_and(|imbalance| imbalance >= UNEVEN));
    (!cells.is_empty() && (uneven || is_http(scenario))).then_some(cells)
}

fn panel(
    frame: &mut Frame,
    scenario: &ScenarioSummary,
    cell: &CellSummary,
    done: &[u64],
    [x, y, width, _]: [f64; 4],
    what: &str,
) {
    let room = width - 16.0;
    let compared = scenario.compare.as_ref().and_then(|compare| cell.axes.get_key_value(compare));
    let rest = cell.axes.iter().filter(|(name, _)| Some(*name) != scenario.compare.as_ref());
    let (first, second) = (coordinates(compared), coordinates(rest));
    let (first, second) = match (first.is_empty(), second.is_empty()) {
        (true, true) => (scenario.name.clone(), second),
        (true, false) => (second, first),
        _ => (first, second),
    };
    for (class, size, down, content) in [("ink", SIZE, 12.0, &first), ("small muted", SMALL, 27.0, &second)] {
        frame.add(hover(text(class, Anchor::Start, [x, y + down], &lettering::shorten(content, size, room)), &cell.id));
    }
    let name = coordinates(&cell.axes);
    let bottom = y + 34.0 + BARS;
    let most = done.iter().copied().max().unwrap_or(1).max(1) as f64;
    let total: u64 = done.iter().sum();
    let even = total as f64 / done.len() as f64;
    let drawn = &done[..done.len().min(MOST_WORKERS)];
    let step = (room / drawn.len() as f64).min(30.0);
    let series = Series::of(scenario, cell);
    for (index, count) in drawn.iter().enumerate() {
        let height = BARS * *count as f64 / most;
        // Who did nothing is seen too.
        let height = height.max(1.0);
        let left = x + index as f64 * step;
        let share = *count as f64 * 100.0 / total as f64;
        let said = format!(
            "{name}: worker {} of {}: {} {what}, {share:.1} % (even: {:.1} %)",
            index + 1,
            done.len(),
            grouped(*count),
            100.0 / done.len() as f64
        );
        frame.add(hover(rect(&series.fill(), [left, bottom - height, (step - 2.0).max(1.0), height]), &said));
    }
    let right = x + step * drawn.len() as f64;
    frame.add(line("thin axis", [x, bottom], [right, bottom]));
    let level = bottom - BARS * even / most;
    frame.add(line("thin stroke dash", [x - 3.0, level], [right + 3.0, level]));
    let imbalance = cell.imbalance.map(|it| format!(" · busiest ×{it:.2}")).unwrap_or_default();
    let below = format!("{}{imbalance}", grouped(total));
    frame.add(text("small muted", Anchor::Start, [x, bottom + 14.0], &lettering::cut(&below, SMALL, room)));
}
