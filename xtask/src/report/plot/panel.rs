//! A panel with two axes, for small multiples: where it stands, its grid and its ticks.

use super::lettering::{self, SIZE};
use super::scale::Scale;
use super::svg::{Anchor, Element, hover, line, text};

/// Where panels stand: side by side, and below each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    columns: usize,
    left: f64,
    top: f64,
    /// Size of one panel with all that belongs to it.
    cell: [f64; 2],
}

impl Grid {
    /// A grid for so many panels of one height, which share the width, `most_columns` at most in a line.
    pub fn new(panels: usize, most_columns: usize, [left, top]: [f64; 2], width: f64, height: f64) -> Self {
        let columns = panels.clamp(1, most_columns);
        Self { columns, left, top, cell: [width / columns as f64, height] }
    }

    /// Upper left corner and size of a panel.
    pub fn place(&self, index: usize) -> [f64; 4] {
        let (column, row) = (index % self.columns, index / self.columns);
        let [width, height] = self.cell;
        [self.left + column as f64 * width, self.top + row as f64 * height, width, height]
    }

    /// Lower end of so many panels.
    pub fn bottom(&self, panels: usize) -> f64 {
        self.top + panels.div_ceil(self.columns) as f64 * self.cell[1]
    }
}

/// One panel.
pub(super) struct Panel {
    /// Left, top, right and bottom of the area in which figures are drawn.
    pub area: [f64; 4],
}

impl Panel {
    /// Draws frame and heading.
    pub fn new(add: &mut impl FnMut(Element), [x, y, width, height]: [f64; 4], heading: &str, left: f64) -> Self {
        const BELOW: f64 = 38.0;
        let area = [x + left, y + if heading.is_empty() { 10.0 } else { 24.0 }, x + width - 14.0, y + height - BELOW];
        if !heading.is_empty() {
            let shown = lettering::shorten(heading, SIZE * lettering::STRONG, width - 20.0);
            add(hover(text("strong ink", Anchor::Start, [x, y + 16.0], &shown), heading));
        }
        Self { area }
    }

    pub fn across(&self) -> [f64; 2] {
        [self.area[0], self.area[2]]
    }

    pub fn upwards(&self) -> [f64; 2] {
        [self.area[3], self.area[1]]
    }

    /// Vertical lines with their names below.
    pub fn ticks_across(&self, add: &mut impl FnMut(Element), ticks: impl IntoIterator<Item = (f64, String)>) {
        let [_, top, _, bottom] = self.area;
        for (x, name) in ticks {
            add(line("thin grid", [x, top], [x, bottom]));
            add(text("small muted", Anchor::Middle, [x, bottom + 15.0], &name));
        }
        add(line("thin axis", [self.area[0], bottom], [self.area[2], bottom]));
    }

    /// Horizontal lines with their names beside.
    pub fn ticks_upwards(&self, add: &mut impl FnMut(Element), ticks: impl IntoIterator<Item = (f64, String)>) {
        let [left, _, right, _] = self.area;
        for (y, name) in ticks {
            add(line("thin grid", [left, y], [right, y]));
            add(text("small muted", Anchor::End, [left - 6.0, y + 4.0], &name));
        }
    }

    /// What the horizontal axis counts.
    pub fn name_across(&self, add: &mut impl FnMut(Element), name: &str) {
        let at = [(self.area[0] + self.area[2]) / 2.0, self.area[3] + 31.0];
        add(text("small muted", Anchor::Middle, at, name));
    }
}

/// Ticks of a scale with their names.
pub(super) fn named(scale: &Scale, most: usize, name: impl Fn(f64) -> String) -> Vec<(f64, String)> {
    scale.ticks(most).into_iter().map(|tick| (scale.at(tick), name(tick))).collect()
}
