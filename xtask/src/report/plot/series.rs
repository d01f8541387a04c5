//! What tells one series from another: colour, marker and dashes. A concurrency model looks the same in every picture.

use protocol::{HttpModel, Model};

use super::palette;
use super::svg::{Element, hover, number, path};
use crate::matrix::axis::AxisValue;
use crate::stats::summary::{CellSummary, ScenarioSummary};

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Series(usize);

/// The shapes of markers, around a point and with a radius of about one.
const MARKERS: usize = 11;

impl Series {
    /// The series with this place in its order.
    pub fn nth(index: usize) -> Self {
        Self(index)
    }

    /// The series of a cell: of its model, where models are compared; of its place on the compared axis otherwise.
    pub fn of(scenario: &ScenarioSummary, cell: &CellSummary) -> Self {
        let Some(compare) = scenario.compare.as_deref() else { return Self(1) };
        let Some(value) = cell.axes.get(compare) else { return Self(0) };
        let place = || scenario.axes.iter().find(|axis| axis.name == compare)?.values.iter().position(|v| v == value);
        let model = if compare == "model" { model_place(value) } else { None };
        Self(model.or_else(place).unwrap_or(0))
    }

    fn colour(self) -> usize {
        self.0 % palette::SERIES.len()
    }

    /// The classes of a line of this series: its colour and its dashes.
    pub fn line(self) -> String {
        let dash = [" long", "", " dash"][self.0 % 3];
        format!("mid l{}{dash}", self.colour())
    }

    /// The class of a plain line of its colour.
    pub fn stroke(self) -> String {
        format!("l{}", self.colour())
    }

    /// The class of an area of its colour.
    pub fn fill(self) -> String {
        format!("m{}", self.colour())
    }

    /// A marker with a hover text; hollow for what does not count.
    pub fn marker(self, at: [f64; 2], radius: f64, kind: Mark, said: &str) -> Element {
        let class = match kind {
            Mark::Figure => self.fill(),
            Mark::Run => format!("run {}", self.fill()),
            Mark::SetAside => format!("hollow {}", self.stroke()),
        };
        let mark = path(&class, &outline(self.0 % MARKERS, at, radius));
        if said.is_empty() { mark } else { hover(mark, said) }
    }
}

/// What a marker stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A median, a point of a curve.
    Figure,
    /// One run.
    Run,
    /// A run that does not count.
    SetAside,
}

/// The place of a model in the order that all pictures share: those of batches, those that only servers have, and those
/// that only an interpreter has.
fn model_place(value: &AxisValue) -> Option<usize> {
    let AxisValue::Text(name) = value else { return None };
    models().position(|known| known == name)
}

/// The names of all models in that order.
pub(super) fn models() -> impl Iterator<Item = &'static str> {
    let only_servers = HttpModel::ALL.iter().map(|model| model.name()).filter(|name| Model::from_name(name).is_none());
    let of_all = Model::ALL.iter().filter(|model| model.language().is_none());
    let of_interpreters = Model::ALL.iter().filter(|model| model.language().is_some());
    of_all.map(|model| model.name()).chain(only_servers).chain(of_interpreters.map(|model| model.name()))
}

/// The outline of a marker, in relative steps.
fn outline(shape: usize, [x, y]: [f64; 2], r: f64) -> String {
    let polygon = |points: &[[f64; 2]]| {
        let mut data = String::new();
        let mut last = [0.0, 0.0];
        for (index, point) in points.iter().enumerate() {
            if index == 0 {
                data = format!("M{} {}", number(x + point[0] * r), number(y + point[1] * r));
            } else {
                data += &format!("l{} {}", number((point[0] - last[0]) * r), number((point[1] - last[1]) * r));
            }
            last = *point;
        }
        data + "z"
    };
    match shape {
        0 => {
            let (left, r, across) = (number(x - r), number(r), number(2.0 * r));
            format!("M{left} {}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z", number(y))
        }
        1 => polygon(&[[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]]),
        2 => polygon(&[[0.0, -1.2], [1.15, 0.85], [-1.15, 0.85]]),
        3 => polygon(&[[0.0, -1.3], [1.1, 0.0], [0.0, 1.3], [-1.1, 0.0]]),
        4 => polygon(&[[0.0, 1.2], [1.15, -0.85], [-1.15, -0.85]]),
        5 => polygon(&[
            [-0.4, -1.2],
            [0.4, -1.2],
            [0.4, -0.4],
            [1.2, -0.4],
            [1.2, 0.4],
            [0.4, 0.4],
            [0.4, 1.2],
            [-0.4, 1.2],
            [-0.4, 0.4],
            [-1.2, 0.4],
            [-1.2, -0.4],
            [-0.4, -0.4],
        ]),
        6 => polygon(&[[-1.1, 0.0], [-0.5, -1.0], [0.5, -1.0], [1.1, 0.0], [0.5, 1.0], [-0.5, 1.0]]),
        7 => polygon(&[
            [-0.6, -1.1],
            [0.0, -0.5],
            [0.6, -1.1],
            [1.1, -0.6],
            [0.5, 0.0],
            [1.1, 0.6],
            [0.6, 1.1],
            [0.0, 0.5],
            [-0.6, 1.1],
            [-1.1, 0.6],
            [-0.5, 0.0],
            [-1.1, -0.6],
        ]),
        8 => polygon(&[[0.0, -1.25], [1.2, -0.35], [0.75, 1.05], [-0.75, 1.05], [-1.2, -0.35]]),
        9 => polygon(&[[-1.1, -1.1], [1.1, -1.1], [0.2, 0.0], [1.1, 1.1], [-1.1, 1.1], [-0.2, 0.0]]),
        _ => polygon(&[[-0.5, -1.3], [0.5, -1.3], [0.5, 1.3], [-0.5, 1.3]]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_look_of_its_own() {
        let models = Model::ALL.iter().map(|model| model.name()).chain(HttpModel::ALL.iter().map(|model| model.name()));
        let mut looks = std::collections::BTreeMap::new();
        for name in models {
            let series = Series(model_place(&name.into()).unwrap());
            let look = (series.colour(), outline(series.0 % MARKERS, [0.0, 0.0], 3.0));
            looks.entry(name).or_insert(look);
        }
        let colours: std::collections::BTreeSet<usize> = looks.values().map(|look| look.0).collect();
        let markers: std::collections::BTreeSet<&str> = looks.values().map(|look| look.1.as_str()).collect();
        // There are ten colours; the eleventh model differs from the first by marker and dashes.
        assert_eq!((looks.len(), colours.len(), markers.len()), (11, 10, 11));
    }

    #[test]
    fn a_model_of_batches_looks_the_same_as_a_server() {
        for name in ["threads", "processes", "loops", "work-stealing", "offload"] {
            let place = Model::ALL.iter().position(|model| model.name() == name);
            assert_eq!(model_place(&name.into()), place);
        }
        assert_eq!(model_place(&"offload-rayon".into()), Some(8));
        assert_eq!(model_place(&"fibres".into()), None);
    }
}
