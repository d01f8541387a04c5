//! Which axes are walked together, and whether every step along the axes is another one.

use std::collections::HashMap;

use super::choice::axis;
use super::entries::Entry;
use super::plan::CpuWork;
use super::problem::{Problem, Problems, Span, list};
use super::reader::{self, Value, unexpected};
use super::setting::{CORES, Setting};
use super::written::{Dimension, DimensionValue};
use crate::number::counted;

/// The axes, zipped ones together.
pub fn groups(zip: Option<&Entry<'_>>, dimensions: &[Dimension], problems: &mut Problems) -> Vec<Vec<usize>> {
    let zipped = zip.map(|entry| zip_groups(entry, dimensions, problems)).unwrap_or_default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, _) in dimensions.iter().enumerate().filter(|(_, dimension)| dimension.axis) {
        match zipped.iter().find(|group| group.contains(&index)) {
            Some(group) if group.iter().any(|member| *member < index) => {}
            Some(group) => {
                let mut group = group.clone();
                group.sort_unstable();
                groups.push(group);
            }
            None => groups.push(vec![index]),
        }
    }
    groups
}

fn zip_groups(entry: &Entry<'_>, dimensions: &[Dimension], problems: &mut Problems) -> Vec<Vec<usize>> {
    let Some(array) = entry.value.get_ref().as_array().filter(|array| !array.is_empty()) else {
        problems.push(unexpected(entry.key, entry.value));
        return Vec::new();
    };
    // ["a", "b"] is one group; [["a", "b"], ["c", "d"]] are two.
    let lists: Vec<&Value<'_>> = match array.iter().all(|value| value.get_ref().is_array()) {
        true => array.iter().collect(),
        false => vec![entry.value],
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut seen: Vec<(usize, Span)> = Vec::new();
    for list in lists {
        let mut group = Vec::new();
        for value in list.get_ref().as_array().into_iter().flat_map(|array| array.iter()) {
            let Some(name) = reader::text(entry.key, value, problems) else { continue };
            let Some(index) = axis(name, value.span(), "`zip`", dimensions, problems) else { continue };
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == index) {
                problems.push(
                    Problem::new(format!("`zip` names `{name}` twice"))
                        .at(value.span(), "the second time")
                        .at(first.clone(), "the first time"),
                );
                continue;
            }
            seen.push((index, value.span()));
            group.push(index);
        }
        if list.get_ref().as_array().is_some_and(|array| array.len() < 2) {
            problems.push(
                Problem::new("`zip` walks axes together, so it needs at least two")
                    .at(list.span(), format!("expected {}", entry.key.kind.expectation())),
            );
        }
        if let Some((first, other)) = unequal(&group, dimensions) {
            let length = |index: usize| {
                let (name, count) = (&dimensions[index].name, dimensions[index].values.len());
                format!("`{name}` has {}", counted(count as u64, "value", "values"))
            };
            problems.push(
                Problem::new(format!(
                    "`zip` walks `{}` and `{}` together, but they have different lengths",
                    dimensions[first].name, dimensions[other].name
                ))
                .at(dimensions[other].span.clone(), length(other))
                .at(dimensions[first].span.clone(), length(first))
                .at(list.span(), "zipped here"),
            );
        }
        groups.push(group);
    }
    groups
}

/// The first axis of a group, and one that is not as long.
fn unequal(group: &[usize], dimensions: &[Dimension]) -> Option<(usize, usize)> {
    let first = *group.first()?;
    let length = dimensions[first].values.len();
    group.iter().find(|index| dimensions[**index].values.len() != length).map(|other| (first, *other))
}

/// Notes values that would give two cells one id. Zipped axes may repeat a value, not a whole step.
pub fn check_repeats(dimensions: &[Dimension], groups: &[Vec<usize>], problems: &mut Problems) {
    for group in groups {
        let steps = dimensions[group[0]].values.len();
        let same = |a: usize, b: usize| {
            group.iter().all(|index| {
                let values = &dimensions[*index].values;
                match (values.get(a), values.get(b)) {
                    (Some(a), Some(b)) => same_coordinate(a, b),
                    _ => false,
                }
            })
        };
        // Comparing all pairs would take seconds on long axes, so values are looked up by what they show first.
        let mut seen: HashMap<String, usize> = HashMap::new();
        for step in 0..steps {
            let key = group
                .iter()
                .map(|index| dimensions[*index].values.get(step).map(coordinate_key).unwrap_or_default())
                .collect::<Vec<_>>()
                .join(",");
            let Some(first) = seen.get(&key).copied().filter(|first| same(*first, step)) else {
                seen.insert(key, step);
                continue;
            };
            let dimension = &dimensions[group[0]];
            let (a, b) = (&dimension.values[first], &dimension.values[step]);
            let axes: Vec<&str> = group.iter().map(|index| dimensions[*index].name.as_str()).collect();
            let written = |value: &DimensionValue| match value.symbolic {
                true => CORES.to_owned(),
                false => value.shown.to_string(),
            };
            let problem = match (&a.setting, group.len()) {
                (Setting::Task(_) | Setting::Load(_) | Setting::Server(_), 1) => {
                    Problem::new(format!("two {}s are called `{}`", dimension.name, a.shown))
                        .help("give each its own `label = \"…\"`")
                }
                (_, 1) => Problem::new(format!("the axis `{}` has the value `{}` twice", dimension.name, written(b))),
                _ => Problem::new(format!("the zipped axes {} have the same values twice", list(&axes))),
            };
            let problem = problem.at(b.span.clone(), "the second one").at(a.span.clone(), "the first one");
            problems.push(match (&a.setting, a.symbolic != b.symbolic) {
                (Setting::Workers(count), true) => problem.help(format!("\"cores\" is {count} on this machine")),
                _ => problem,
            });
        }
    }
}

/// Whether two values of an axis are the same coordinate: equal in meaning; tables by label, as they may be equal on
/// purpose (an A/A comparison).
fn same_coordinate(a: &DimensionValue, b: &DimensionValue) -> bool {
    match (&a.setting, &b.setting) {
        (Setting::Task(_), Setting::Task(_))
        | (Setting::Load(_), Setting::Load(_))
        | (Setting::Server(_), Setting::Server(_)) => a.shown == b.shown,
        (a, b) => a == b,
    }
}

/// Equal for values that are the same coordinate.
fn coordinate_key(value: &DimensionValue) -> String {
    match &value.setting {
        Setting::SwitchInterval(time) | Setting::Io(time) | Setting::Cpu(CpuWork::Time(time)) => {
            time.as_nanos().to_string()
        }
        _ => value.shown.to_string(),
    }
}
