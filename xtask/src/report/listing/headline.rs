//! Which ratios of a machine are headlines: one for each comparison, that of its fastest cell.

use indexmap::IndexMap;

use crate::stats::history::{MachineHistory, Series};

/// The headlines, in the order of the newest result. Cells are of one comparison where they have one baseline.
pub(super) fn headlines(history: &MachineHistory) -> Vec<&Series> {
    let mut best: IndexMap<&str, &Series> = IndexMap::new();
    for series in &history.series {
        let known = best.entry(&series.baseline).or_insert(series);
        if newest(series) > newest(known) {
            *known = series;
        }
    }
    best.into_values().collect()
}

/// The newest result that has the ratio, and the ratio.
fn newest(series: &Series) -> Option<(usize, f64)> {
    series.points.last().map(|point| (point.result, point.ratio))
}
