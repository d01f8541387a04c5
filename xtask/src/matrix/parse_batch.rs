//! A `[[batch]]` table → [`Batch`].

use toml::de::DeTable;

use super::parse::{keys, schedule};
use super::plan::Schedule;
use super::problem::{Problem, Problems, Span, list, quote};
use super::reader::{self, Entries, Entry, Value, found, unexpected};
use super::setting::{self, Setting, Surroundings};
use super::vocabulary::Key;
use super::vocabulary::tables::BATCH;
use super::written::{Batch, Compare, Dimension, DimensionValue, Exclude};

/// What `--quick` asks for at most, where a scenario's `quick` table says nothing else.
const QUICK: (u32, u32) = (1, 3);

/// Reads a scenario. `None` if it has a mistake; its name is noted all the same.
pub fn batch<'d>(
    table: &'d DeTable<'d>,
    span: Span,
    defaults: Schedule,
    quick: bool,
    around: &Surroundings<'_>,
    names: &mut Vec<(String, Span)>,
    problems: &mut Problems,
) -> Option<Batch> {
    let before = problems.len();
    let written = Entries::read(BATCH.header, &keys(&BATCH), span, table, problems);
    written.require(BATCH.header, &keys(&BATCH), problems);
    let overlay = quick_entries(&written, problems);
    let entries = match &overlay {
        Some(overlay) if quick => written.overlaid(overlay),
        _ => written.clone(),
    };

    let mut schedule_of = |entries: &Entries<'_>, otherwise| schedule(entries, otherwise, problems);
    let mut schedule = schedule_of(&written, defaults);
    if quick {
        schedule.warmups = schedule.warmups.min(QUICK.0);
        schedule.runs = schedule.runs.min(QUICK.1);
        schedule = overlay.as_ref().map_or(schedule, |overlay| schedule_of(overlay, schedule));
    }
    let name = entries.get("name");
    let name_span = name.map(|entry| entry.value.span()).unwrap_or_default();
    let name = name.and_then(|entry| reader::name(entry.key, entry.value, problems));
    names.extend(name.clone().map(|name| (name, name_span.clone())));
    let question = entries.get("question").and_then(|entry| reader::text(entry.key, entry.value, problems));
    let include_setup = entries.get("include_setup").and_then(|entry| reader::flag(entry.key, entry.value, problems));

    let dimensions: Vec<Dimension> =
        entries.iter().filter(|entry| entry.key.axis).filter_map(|entry| dimension(entry, around, problems)).collect();
    // A wrong axis would be reported a second time by everything that names it.
    if problems.len() > before {
        return None;
    }
    let groups = groups(entries.get("zip"), &dimensions, problems);
    check_repeats(&dimensions, &groups, problems);
    let compare = compare(&entries, &dimensions, around, problems);
    let lenient = quick && overlay.is_some_and(|overlay| overlay.get("exclude").is_none());
    let excludes = excludes(entries.get("exclude"), &dimensions, lenient, around, problems);
    if problems.len() > before {
        return None;
    }
    Some(Batch {
        name: name?,
        name_span,
        question: question.map(str::to_owned),
        include_setup: include_setup.unwrap_or(false),
        schedule,
        dimensions,
        groups,
        compare,
        excludes,
    })
}

/// The entries of the `quick` table.
fn quick_entries<'d>(entries: &Entries<'d>, problems: &mut Problems) -> Option<Entries<'d>> {
    let entry = entries.get("quick")?;
    let Some(table) = entry.value.get_ref().as_table() else {
        problems.push(unexpected(entry.key, entry.value));
        return None;
    };
    let keys: Vec<&'static Key> = BATCH.keys.iter().filter(|key| key.quick).collect();
    Some(Entries::read("`quick`", &keys, entry.value.span(), table, problems))
}

/// The value or values of a key that may be an axis. `None` if one is wrong.
fn dimension(entry: &Entry<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Option<Dimension> {
    let read = |value: &Value<'_>, problems: &mut Problems| {
        let (setting, shown) = setting::read(entry.key, value, around, problems)?;
        let symbolic = matches!(setting, Setting::Workers(_)) && value.get_ref().is_str();
        Some(DimensionValue { setting, shown, symbolic, span: value.span() })
    };
    let array = entry.value.get_ref().as_array();
    let values: Vec<Option<DimensionValue>> = match array {
        Some(array) if array.is_empty() => {
            problems.push(
                Problem::new(format!("the axis `{}` has no value", entry.key.name))
                    .at(entry.value.span(), "expected at least one value")
                    .help("leave the key out to get its default"),
            );
            return None;
        }
        Some(array) => array.iter().map(|value| read(value, problems)).collect(),
        None => vec![read(entry.value, problems)],
    };
    Some(Dimension {
        name: entry.key.name,
        span: entry.value.span(),
        axis: array.is_some(),
        values: values.into_iter().collect::<Option<_>>()?,
    })
}

/// The axis with this name, as an index. Notes when there is none.
fn axis(name: &str, span: Span, by: &str, dimensions: &[Dimension], problems: &mut Problems) -> Option<usize> {
    let found = dimensions.iter().position(|dimension| dimension.name == name);
    if let Some(index) = found.filter(|index| dimensions[*index].axis) {
        return Some(index);
    }
    let axes: Vec<&str> =
        dimensions.iter().filter(|dimension| dimension.axis).map(|dimension| dimension.name).collect();
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

/// The axes, zipped ones together.
fn groups(zip: Option<&Entry<'_>>, dimensions: &[Dimension], problems: &mut Problems) -> Vec<Vec<usize>> {
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
                let (name, count) = (dimensions[index].name, dimensions[index].values.len());
                format!("`{name}` has {}", super::number::counted(count as u64, "value", "values"))
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
fn check_repeats(dimensions: &[Dimension], groups: &[Vec<usize>], problems: &mut Problems) {
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
        let mut seen: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
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
            let axes: Vec<&str> = group.iter().map(|index| dimensions[*index].name).collect();
            let problem = match (&a.setting, group.len()) {
                (Setting::Task(_), 1) => Problem::new(format!("two tasks are called `{}`", a.shown))
                    .help("give each its own `label = \"…\"`"),
                (_, 1) => Problem::new(format!("the axis `{}` has the value {} twice", dimension.name, b.shown)),
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

/// Whether two values of an axis are the same coordinate: equal in meaning; tasks by label, as they may be equal on
/// purpose (an A/A comparison).
fn same_coordinate(a: &DimensionValue, b: &DimensionValue) -> bool {
    match (&a.setting, &b.setting) {
        (Setting::Task(_), Setting::Task(_)) => a.shown == b.shown,
        (a, b) => a == b,
    }
}

/// Equal for values that are the same coordinate.
fn coordinate_key(value: &DimensionValue) -> String {
    match &value.setting {
        Setting::SwitchInterval(time) => time.as_nanos().to_string(),
        _ => value.shown.to_string(),
    }
}

/// The compared axis and its baseline.
fn compare(
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
        let shown: Vec<String> = dimension.values.iter().map(|value| value.shown.to_string()).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        let problem =
            Problem::new(format!("{by} matches no cell: no value of `{}` is {}", dimension.name, found(value)))
                .at(value.span(), "no cell has it")
                .at(dimension.span.clone(), "the values of the axis");
        problems.push(match super::nearest::nearest(value.get_ref().as_str().unwrap_or(""), shown.iter().copied()) {
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
    let key = BATCH.keys.iter().find(|key| key.name == dimension.name).expect("a dimension is a key");
    let equal: Box<dyn Fn(&DimensionValue) -> bool> = if matches!(dimension.values[0].setting, Setting::Task(_)) {
        let Some(label) = value.get_ref().as_str() else {
            problems.push(
                Problem::new(format!("a task is named by its label here, not by {}", found(value)))
                    .at(value.span(), "expected the label of a task in quotes"),
            );
            return None;
        };
        Box::new(move |candidate| matches!(&candidate.shown, super::axis::AxisValue::Text(text) if text == label))
    } else {
        let (setting, _) = setting::read(key, value, around, problems)?;
        Box::new(move |candidate| candidate.setting == setting)
    };
    let values = dimension.values.iter().enumerate();
    Some(values.filter(|(_, candidate)| equal(candidate)).map(|(index, _)| index).collect())
}

/// The combinations that are left out.
fn excludes(
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
