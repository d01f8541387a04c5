//! A `[[batch]]` or `[[http]]` table → [`Question`].

use toml::de::DeTable;

use super::choice::{compare, excludes};
use super::entries::{Entries, Entry};
use super::http::{self, labelled, vars};
use super::parse::{keys, schedule};
use super::plan::{Need, Schedule};
use super::problem::{Problem, Problems, Span, list};
use super::reader::{self, Value, unexpected};
use super::setting::{self, Setting, Surroundings};
use super::vocabulary::http::HTTP;
use super::vocabulary::tables::BATCH;
use super::vocabulary::{Kind, Table};
use super::written::{Dimension, DimensionValue, Question, Subject};
use super::zip::{check_repeats, groups};

/// What `--quick` asks for at most, where a scenario's `quick` table says nothing else.
const QUICK: (u32, u32) = (1, 3);

impl Subject {
    /// What the vocabulary says about the scenarios of this kind.
    fn table(self) -> &'static Table {
        match self {
            Self::Batch => &BATCH,
            Self::Http => &HTTP,
        }
    }
}

/// Reads a scenario. `None` if it has a mistake; its name is noted all the same.
pub fn scenario<'d>(
    subject: Subject,
    (table, span): (&'d DeTable<'d>, Span),
    defaults: Schedule,
    quick: bool,
    around: &Surroundings<'_>,
    names: &mut Vec<(String, Span)>,
    problems: &mut Problems,
) -> Option<Question> {
    let before = problems.len();
    let words = subject.table();
    let written = Entries::read(words.header, &keys(words), span, table, problems);
    written.require(words.header, &keys(words), problems);
    written.require_one_of(words.header, words.one_of, http::WHICH_SERVER, problems);
    let overlay = quick_entries(&written, words, problems);
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

    let needs = entries.get("needs").and_then(|entry| reader::names(entry.key, entry.value, problems));

    let mut dimensions: Vec<Dimension> =
        entries.iter().flat_map(|entry| dimensions_of(entry, around, problems)).collect();
    if subject == Subject::Http {
        http::check(&entries, &dimensions, schedule.timeout, problems);
    }
    // A wrong axis would be reported a second time by everything that names it.
    if problems.len() > before {
        return None;
    }
    let groups = groups(entries.get("zip"), &dimensions, problems);
    check_repeats(&dimensions, &groups, problems);
    add_runtimes(&mut dimensions, &groups, around);
    let compare = compare(&entries, &dimensions, around, problems);
    let lenient = quick && overlay.is_some_and(|overlay| overlay.get("exclude").is_none());
    let excludes = excludes(entries.get("exclude"), &dimensions, lenient, around, problems);
    if problems.len() > before {
        return None;
    }
    Some(Question {
        subject,
        name: name?,
        name_span,
        asks: question.map(str::to_owned),
        include_setup: include_setup.unwrap_or(false),
        needs: needs.unwrap_or_default().iter().map(|name| Need::named(name)).collect(),
        schedule,
        dimensions,
        groups,
        compare,
        excludes,
    })
}

/// Adds the runtimes of the command line to the axis of runtimes, where there is one that stands alone: one that is
/// zipped with another axis has as many values as that.
fn add_runtimes(dimensions: &mut [Dimension], groups: &[Vec<usize>], around: &Surroundings<'_>) {
    let alone = groups.iter().filter_map(|group| if let [index] = group[..] { Some(index) } else { None });
    let Some(index) = alone.into_iter().find(|index| matches!(dimensions[*index].key.kind, Kind::Runtime)) else {
        return;
    };
    let axis = &mut dimensions[index];
    for name in around.added {
        let setting = Setting::Runtime(name.clone());
        if axis.values.iter().all(|value| value.setting != setting) {
            let (shown, span) = (name.as_str().into(), axis.span.clone());
            axis.values.push(DimensionValue { setting, shown, symbolic: false, span });
        }
    }
}

/// The entries of the `quick` table.
fn quick_entries<'d>(entries: &Entries<'d>, words: &'static Table, problems: &mut Problems) -> Option<Entries<'d>> {
    let entry = entries.get("quick")?;
    let Some(table) = entry.value.get_ref().as_table() else {
        problems.push(unexpected(entry.key, entry.value));
        return None;
    };
    let entries = Entries::read("`quick`", &keys(words), entry.value.span(), table, problems);
    for entry in entries.iter().filter(|entry| !entry.key.quick) {
        let may: Vec<&str> = words.keys.iter().filter(|key| key.quick).map(|key| key.name).collect();
        problems.push(
            Problem::new(format!("`quick` cannot change `{}`", entry.key.name))
                .at(entry.key_span.clone(), "it is the same under --quick")
                .help(format!("it can change {}", list(&may))),
        );
    }
    Some(entries)
}

/// What a key says that may be an axis. Some keys are tables with axes inside.
fn dimensions_of(entry: &Entry<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Vec<Dimension> {
    match entry.key.kind {
        Kind::Labelled { .. } => labelled::dimensions(entry, around, problems),
        Kind::Vars => vars::dimensions(entry, around, problems),
        Kind::Address { .. } => dimension(entry, around, problems).into_iter().collect(),
        _ if entry.key.axis => dimension(entry, around, problems).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The value or values of a key that may be an axis. `None` if one is wrong.
pub fn dimension(entry: &Entry<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Option<Dimension> {
    let read = |value: &Value<'_>, problems: &mut Problems| {
        let (setting, shown) = setting::read(entry.key, value, around, problems)?;
        let symbolic = matches!(setting, Setting::Workers(_)) && value.get_ref().is_str();
        Some(DimensionValue { setting, shown, symbolic, span: value.span() })
    };
    let array = entry.value.get_ref().as_array();
    let values: Vec<Option<DimensionValue>> = match array {
        Some(array) if array.is_empty() => {
            let problem = Problem::new(format!("the axis `{}` has no value", entry.key.name))
                .at(entry.value.span(), "expected at least one value");
            problems.push(match entry.key.default {
                Some(default) => problem.help(format!("without the key it is {default}")),
                None => problem,
            });
            return None;
        }
        Some(array) => array.iter().map(|value| read(value, problems)).collect(),
        None => vec![read(entry.value, problems)],
    };
    Some(Dimension {
        name: entry.key.name.to_owned(),
        key: entry.key,
        span: entry.value.span(),
        axis: array.is_some(),
        values: values.into_iter().collect::<Option<_>>()?,
    })
}
