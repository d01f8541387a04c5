//! Keys that name axes and their values: `compare`, `baseline` and `exclude`.

use super::axis::AxisValue;
use super::entries::{Entries, Entry};
use super::nearest::nearest;
use super::problem::{Problem, Problems, Span, list, quote};
use super::reader::{self, Value, found, unexpected};
use super::setting::{self, Surroundings};
use super::vocabulary::Kind;
use super::written::{Compare, Dimension, DimensionValue, Exclude};

/// The axis with this name, as an index. Notes when there is none.
pub fn axis(name: &str, span: Span, by: &str, dimensions: &[Dimension], problems: &mut Problems) -> Option<usize> {
    let found = dimensions.iter().position(|dimension| dimension.name == name);
    if let Some(index) = found.filter(|index| dimensions[*index].axis) {
        return Some(index);
    }
    let axes: Vec<&str> =
        dimensions.iter().filter(|dimension| dimension.axis).map(|dimension| dimension.name.as_str()).collect();
    let mut problem = match found {
        Some(index) => Problem::new(format!("{by} names `{name}`, which has one value and is no axis"))
            .at(span, "not an axis")
            .at(dimensions[index].span.clone(), "an array would make it one"),
        None => Problem::new(format!("{by} names {}, which is no axis of this scenario", quote(name)))
            .at(span, "not an axis"),
    };
    problem = match axes.is_empty() {
        true => problem.help("this scenario has no axis: a key whose value is an array is one"),
        false if found.is_some() => problem.help(format!("its axes are {}", list(&axes))),
        false => problem.did_you_mean(name, "axes of this scenario", axes),
    };
    problems.push(problem);
    None
}

/// The compared axis and its baseline.
pub fn compare(
    entries: &Entries<'_>,
    dimensions: &[Dimension],
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<Compare> {
    let baseline = entries.get("baseline");
    let Some(entry) = entries.get("compare") else {
        if let Some(baseline) = baseline {
            problems.push(
                Problem::new("`baseline` without `compare`")
                    .at(baseline.key_span.clone(), "a value of which axis?")
                    .help("`compare = \"…\"` names the axis that is compared"),
            );
        }
        return None;
    };
    let name = reader::text(entry.key, entry.value, problems)?;
    let index = axis(name, entry.value.span(), "`compare`", dimensions, problems)?;
    let baseline = match baseline {
        None => None,
        Some(entry) => {
            let values = matching(&dimensions[index], entry.value, "`baseline`", around, problems)?;
            Some((values, entry.value.span()))
        }
    };
    Some(Compare { dimension: index, span: entry.value.span(), baseline })
}

/// The values of an axis that equal this one, as indices. Notes when there is none.
fn matching(
    dimension: &Dimension,
    value: &Value<'_>,
    by: &str,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<Vec<usize>> {
    let matches = match_values(dimension, value, around, problems)?;
    if matches.is_empty() {
        let values: Vec<String> = dimension.values.iter().map(|value| value.shown.to_string()).collect();
        let shown = value.get_ref().as_str().map_or_else(|| found(value), quote);
        let problem = Problem::new(format!("{by} matches no cell: no value of `{}` is {shown}", dimension.name))
            .at(value.span(), "no cell has it")
            .at(dimension.span.clone(), "the values of the axis");
        let guess = value.get_ref().as_str().and_then(|word| nearest(word, values.iter().map(String::as_str)));
        problems.push(match guess {
            Some(meant) => problem.help(format!("did you mean \"{meant}\"?")),
            None => problem,
        });
        return None;
    }
    Some(matches)
}

/// The values of an axis that equal this one, as indices; maybe none.
fn match_values(
    dimension: &Dimension,
    value: &Value<'_>,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<Vec<usize>> {
    let key = dimension.key;
    let equal: Box<dyn Fn(&DimensionValue) -> bool> = match (key.kind, value.get_ref().as_str()) {
        // Words are compared as they stand: one that is no model is no value of this axis either, and that says more.
        (Kind::Task | Kind::Labelled { .. } | Kind::Word(_) | Kind::Runtime, Some(word)) => {
            Box::new(move |candidate| matches!(&candidate.shown, AxisValue::Text(text) if text == word))
        }
        (Kind::Task | Kind::Labelled { .. }, None) => {
            let what = key.name;
            problems.push(
                Problem::new(format!("a {what} is named by its label here, not by {}", found(value)))
                    .at(value.span(), format!("expected the label of a {what} in quotes")),
            );
            return None;
        }
        _ => {
            let (setting, _) = setting::read(key, value, around, problems)?;
            Box::new(move |candidate| candidate.setting == setting)
        }
    };
    let values = dimension.values.iter().enumerate();
    Some(values.filter(|(_, candidate)| equal(candidate)).map(|(index, _)| index).collect())
}

/// The combinations that are left out.
pub fn excludes(
    entry: Option<&Entry<'_>>,
    dimensions: &[Dimension],
    lenient: bool,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Vec<Exclude> {
    let Some(entry) = entry else { return Vec::new() };
    let Some(array) = entry.value.get_ref().as_array() else {
        let mut problem = unexpected(entry.key, entry.value);
        if entry.value.get_ref().is_table() {
            problem = problem.help("put the table into an array: exclude = [{ … }]");
        }
        problems.push(problem);
        return Vec::new();
    };
    let mut excludes = Vec::new();
    for value in array.iter() {
        let Some(table) = value.get_ref().as_table() else {
            problems.push(unexpected(entry.key, value));
            continue;
        };
        if table.is_empty() {
            problems.push(
                Problem::new("an empty table in `exclude` would drop every cell")
                    .at(value.span(), "expected values of some axes"),
            );
            continue;
        }
        let mut matches = Vec::new();
        for (key, wanted) in table {
            let Some(index) = axis(key.get_ref(), key.span(), "`exclude`", dimensions, problems) else { continue };
            let found = if lenient {
                match_values(&dimensions[index], wanted, around, problems)
            } else {
                matching(&dimensions[index], wanted, "`exclude`", around, problems)
            };
            matches.extend(found.map(|values| (index, values)));
        }
        excludes.push(Exclude { span: value.span(), matches, lenient });
    }
    excludes
}
