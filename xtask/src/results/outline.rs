//! What a history needs of `summary.json`: which ratios it has, and under which settings. They are picked out of the text, as
//! there may be a thousand summaries of some hundred kilobytes each.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::figures::RowFigures;
use super::scan::{first, places, value};
use crate::matrix::axis::AxisValue;

/// What a history needs of one result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Outline {
    /// Its scenarios.
    pub scenarios: Vec<ScenarioOutline>,
}

/// One scenario.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ScenarioOutline {
    /// Settings that all its cells share.
    pub settings: BTreeMap<String, AxisValue>,
    /// Which cells are compared with which.
    pub comparisons: Vec<ComparisonOutline>,
}

/// The cells that differ only in the compared axis.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ComparisonOutline {
    /// Id of the cell that ratios are taken against.
    pub baseline: Option<String>,
    /// The compared cells.
    pub rows: Vec<RowFigures>,
}

/// Reads what a history needs; `None` where the text is no summary of a schema up to `known`.
#[must_use]
pub fn outline(json: &[u8], known: u32) -> Option<Outline> {
    if first::<u32>(json, "schema")? > known {
        return None;
    }
    // A summary is written whole or not at all; one that was cut has lost its last scenarios.
    if json.trim_ascii_end().last() != Some(&b'}') {
        return None;
    }
    // Somebody has written it in another order, or an axis is called like one of our keys: then all is read.
    quick(json).or_else(|| serde_json::from_slice(json).ok())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Settings,
    Comparisons,
    Baseline,
    Rows,
}

const KEYS: [(Key, &str); 4] =
    [(Key::Settings, "settings"), (Key::Comparisons, "comparisons"), (Key::Baseline, "baseline"), (Key::Rows, "rows")];

/// The same by picking: `settings`, then `comparisons`, and in these a `baseline` and its `rows` in turn. `None` where the
/// keys do not follow each other like this.
fn quick(json: &[u8]) -> Option<Outline> {
    let mut marks: Vec<(usize, Key)> =
        KEYS.iter().flat_map(|&(key, name)| places(json, name).map(move |at| (at, key))).collect();
    marks.sort_unstable();
    let mut scenarios: Vec<ScenarioOutline> = Vec::new();
    let mut last = None;
    // What stands before this was read as part of a value: tasks may have settings that are called like our keys.
    let mut end = 0;
    for (at, key) in marks {
        if at < end {
            continue;
        }
        let text = &json[at..];
        match (last, key) {
            (None | Some(Key::Comparisons | Key::Rows), Key::Settings) => {
                let (settings, length) = value(text)?;
                end = at + length;
                scenarios.push(ScenarioOutline { settings, comparisons: Vec::new() });
            }
            (Some(Key::Settings), Key::Comparisons) => {}
            (Some(Key::Comparisons | Key::Rows), Key::Baseline) => {
                let (baseline, _) = value(text)?;
                scenarios.last_mut()?.comparisons.push(ComparisonOutline { baseline, rows: Vec::new() });
            }
            (Some(Key::Baseline), Key::Rows) => {
                let (rows, length) = value(text)?;
                end = at + length;
                scenarios.last_mut()?.comparisons.last_mut()?.rows = rows;
            }
            _ => return None,
        }
        last = Some(key);
    }
    matches!(last, None | Some(Key::Comparisons | Key::Rows)).then_some(Outline { scenarios })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures::{long, summary};
    use crate::stats::summary::SCHEMA;

    fn json() -> String {
        summary(vec![long(), long()]).to_json()
    }

    #[test]
    fn an_outline_has_the_settings_and_comparisons_of_every_scenario() {
        let outline = outline(json().as_bytes(), SCHEMA).unwrap();
        assert_eq!(outline, serde_json::from_str(&json()).unwrap());
        assert_eq!(quick(json().as_bytes()), Some(outline.clone()), "no need to read all");
        assert_eq!(outline.scenarios.len(), 2);
    }

    #[test]
    fn an_axis_that_is_called_like_a_key_of_ours_is_not_taken_for_it() {
        let plain = outline(json().as_bytes(), SCHEMA).unwrap();
        for (_, key) in KEYS {
            let mut scenario = long();
            for cell in &mut scenario.cells {
                cell.axes.insert(key.to_owned(), "x".into());
            }
            let odd = outline(summary(vec![scenario]).to_json().as_bytes(), SCHEMA).unwrap();
            assert_eq!(odd.scenarios, plain.scenarios[..1], "{key}");
        }
    }

    #[test]
    fn a_setting_that_is_called_like_a_key_of_ours_needs_no_reading_of_all() {
        let mut scenario = long();
        scenario.settings.extend(KEYS.map(|(_, key)| (key.to_owned(), 1_000_u64.into())));
        let json = summary(vec![scenario]).to_json();
        assert_eq!(quick(json.as_bytes()), Some(serde_json::from_str(&json).unwrap()));
    }

    #[test]
    fn a_summary_with_its_keys_in_another_order_is_read_whole() {
        let sorted: BTreeMap<String, serde_json::Value> = serde_json::from_str(&json()).unwrap();
        let sorted = serde_json::to_string(&sorted).unwrap();
        assert_eq!(outline(sorted.as_bytes(), SCHEMA), outline(json().as_bytes(), SCHEMA));
    }

    #[test]
    fn a_summary_that_is_torn_or_of_a_newer_schema_has_no_outline() {
        let json = json();
        assert_eq!(outline(&json.as_bytes()[..json.len() / 2], SCHEMA), None);
        assert_eq!(outline(json.as_bytes(), SCHEMA - 1), None);
        assert_eq!(outline(b"", SCHEMA), None);
        assert_eq!(outline(b"[]", SCHEMA), None);
    }
}
