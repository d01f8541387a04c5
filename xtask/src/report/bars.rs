//! A ratio as a small drawing in characters: `├──●──┤` on a scale that all rows of a table share, with 1 marked.
//!
//! For terminals only: what a drawing says, the figures beside it say too.

use super::format::ratio;
use super::http::{is_http, is_open};
use super::pivot::{pair, sides};
use super::scenario_table::by_id;
use super::standing::ends;
use crate::stats::summary::{ComparisonRow, Ratio, ScenarioSummary, Verdict};

/// The drawings of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bars {
    /// Header of the column that they stand behind.
    pub after: &'static str,
    /// One for each row of the table, in order; `None` where there is nothing to draw. Empty where a table has none.
    pub rows: Vec<Option<Bar>>,
}

/// What one drawing shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// The ratio.
    pub value: f64,
    /// Both ends of its interval.
    pub interval: Option<[f64; 2]>,
    /// What the ratio says.
    pub verdict: Option<Verdict>,
}

impl Bar {
    /// The drawing of a ratio; `None` where it is no number above 0.
    #[must_use]
    pub fn of(ratio: &Ratio, verdict: Option<Verdict>) -> Option<Self> {
        let is_drawable = |figure: &f64| figure.is_finite() && *figure > 0.0;
        let interval = ends(ratio).filter(|ends| ends.iter().all(is_drawable));
        is_drawable(&ratio.value).then_some(Self { value: ratio.value, interval, verdict })
    }
}

/// The signs of a drawing.
struct Signs {
    one: char,
    line: char,
    ends: [char; 2],
    value: char,
}

const UNICODE: Signs = Signs { one: '┊', line: '─', ends: ['├', '┤'], value: '●' };
const ASCII: Signs = Signs { one: ':', line: '-', ends: ['[', ']'], value: 'o' };

impl Bars {
    /// The drawings of a scenario's table, row by row as the table has them.
    #[must_use]
    pub fn of(scenario: &ScenarioSummary) -> Self {
        if scenario.compare.is_none() || (is_http(scenario) && is_open(scenario)) {
            return Self::default();
        }
        let by_id = by_id(scenario);
        let of_row = |row: &ComparisonRow, is_baseline: bool| {
            let ratio = row.ratio.as_ref().filter(|_| !is_baseline)?;
            Bar::of(ratio, row.verdict)
        };
        let rows = match sides(scenario) {
            Some(sides) => scenario
                .comparisons
                .iter()
                .map(|comparison| {
                    let second = pair(comparison, &sides, &by_id)[1]?;
                    of_row(comparison.rows.iter().find(|row| row.cell == second.id)?, false)
                })
                .collect(),
            None => scenario
                .comparisons
                .iter()
                .flat_map(|comparison| {
                    let rows = comparison.rows.iter().filter(|row| by_id.contains_key(row.cell.as_str()));
                    rows.map(|row| of_row(row, comparison.baseline.as_ref() == Some(&row.cell)))
                })
                .collect(),
        };
        Self { after: "ratio", rows }
    }

    /// The header and the rows, this many characters wide; `None` where there is nothing to draw.
    #[must_use]
    pub fn drawn(&self, width: usize, ascii: bool) -> Option<(String, Vec<String>)> {
        let signs = if ascii { &ASCII } else { &UNICODE };
        let figures = self.rows.iter().flatten().flat_map(|bar| bar.interval.into_iter().flatten().chain([bar.value]));
        let (least, most) = figures.fold((f64::INFINITY, 0.0_f64), |(a, b), figure| (a.min(figure), b.max(figure)));
        if most <= 0.0 || width < 3 {
            return None;
        }
        // Around 1 there is a little room in any case, so that a difference of a percent does not look like a large one.
        let scale = Scale { from: least.min(1.0 / ROOM).ln(), to: most.max(ROOM).ln(), width };
        let rows = self.rows.iter().map(|bar| scale.draw(bar.as_ref(), signs));
        Some((scale.header(), rows.collect()))
    }
}

/// The scale reaches at least this many times above 1 and below.
const ROOM: f64 = 1.1;

/// From the logarithm of a ratio to a character.
struct Scale {
    from: f64,
    to: f64,
    width: usize,
}

impl Scale {
    fn at(&self, figure: f64) -> usize {
        let share = ((figure.ln() - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        (share * (self.width - 1) as f64).round() as usize
    }

    /// A row without a ratio has the mark at 1 alone, which makes a line of it through the table.
    fn draw(&self, bar: Option<&Bar>, signs: &Signs) -> String {
        let mut drawn = vec![' '; self.width];
        let Some(bar) = bar else {
            drawn[self.at(1.0)] = signs.one;
            return drawn.into_iter().collect();
        };
        if let Some(ends) = bar.interval {
            let [low, high] = ends.map(|end| self.at(end));
            drawn[low..=high.max(low)].fill(signs.line);
            drawn[low] = signs.ends[0];
            drawn[high.max(low)] = signs.ends[1];
        } else {
            // Without an interval a line from 1 shows how far it is.
            let (one, value) = (self.at(1.0), self.at(bar.value));
            drawn[one.min(value)..=one.max(value)].fill(signs.line);
        }
        // Where an interval has 1 in it, that is what matters.
        drawn[self.at(1.0)] = signs.one;
        drawn[self.at(bar.value)] = signs.value;
        drawn.into_iter().collect()
    }

    /// Both ends of the scale and the 1, as far as there is room.
    fn header(&self) -> String {
        let mut header = vec![' '; self.width];
        let one = self.at(1.0);
        header[one] = '1';
        let [from, to] = [self.from, self.to].map(|end| ratio(end.exp()).trim_end_matches(".00").to_owned());
        if from.len() < one {
            header.splice(..from.len(), from.chars());
        }
        if one + 1 + to.len() < self.width {
            header.splice(self.width - to.len().., to.chars());
        }
        header.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: f64, interval: Option<[f64; 2]>) -> Option<Bar> {
        Some(Bar { value, interval, verdict: None })
    }

    fn drawn(rows: Vec<Option<Bar>>, ascii: bool) -> Vec<String> {
        let (header, rows) = Bars { after: "ratio", rows }.drawn(21, ascii).unwrap();
        [header].into_iter().chain(rows).collect()
    }

    #[test]
    fn ratios_stand_on_one_scale_with_1_marked() {
        let rows = vec![None, bar(4.0, Some([3.0, 5.0])), bar(0.5, Some([0.4, 0.6])), bar(1.0, Some([0.8, 1.3]))];
        let drawn = drawn(rows, false);
        let expected = [
            "0.40   1            5",
            "       ┊             ",
            "       ┊        ├─●─┤",
            "├─●┤   ┊             ",
            "     ├─●─┤           ",
        ];
        assert_eq!(drawn, expected, "{drawn:#?}");
    }

    #[test]
    fn without_an_interval_a_line_leads_from_1_to_the_ratio() {
        let drawn = drawn(vec![bar(2.0, None), bar(0.5, None)], true);
        assert_eq!(drawn, ["0.50      1         2", "          :---------o", "o---------:          "], "{drawn:#?}");
    }

    #[test]
    fn what_is_no_ratio_is_not_drawn() {
        let ratio = |value| Ratio { value, low: Some(f64::NAN), high: Some(1.0), confidence: None, bound: None };
        assert_eq!([f64::NAN, f64::INFINITY, 0.0, -1.0].map(|value| Bar::of(&ratio(value), None)), [None; 4]);
        assert_eq!(Bar::of(&ratio(2.0), None), bar(2.0, None));
        assert_eq!(Bars::default().drawn(21, false), None);
        assert_eq!(Bars { after: "ratio", rows: vec![None, None] }.drawn(21, false), None);
    }
}
