//! Typed access to the values of the file, with every mistake noted instead of the first one returned.
//!
//! What is allowed comes from the [`vocabulary`](super::vocabulary) alone.

use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::duration::{self, NotADuration};
use super::nearest::nearest;
use super::problem::{Problem, Problems, list, quote};
use super::vocabulary::{Key, Kind};

/// A value of the file with its place.
pub type Value<'d> = Spanned<DeValue<'d>>;

/// What a value is, to go after "found".
#[must_use]
pub fn found(value: &Value<'_>) -> String {
    match value.get_ref() {
        DeValue::String(text) => format!("the text {}", quote(text)),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {}", number.as_str()),
        DeValue::Boolean(flag) => format!("`{flag}`"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "an array".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// A value that is not what its key accepts.
#[must_use]
pub fn unexpected(key: &Key, value: &Value<'_>) -> Problem {
    Problem::new(format!("`{}` must be {}, not {}", key.name, key.kind.noun(), found(value)))
        .at(value.span(), format!("expected {}", key.kind.expectation()))
}

/// The text of a value.
pub fn text<'v>(key: &Key, value: &'v Value<'_>, problems: &mut Problems) -> Option<&'v str> {
    let text = value.get_ref().as_str();
    if text.is_none() {
        problems.push(unexpected(key, value));
    }
    text
}

/// A name or a label.
pub fn name(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<String> {
    const LONGEST: usize = 100;
    let name = text(key, value, problems)?;
    let strict = matches!(key.kind, Kind::Name);
    let wrong = |c: char| {
        if strict { !(c.is_ascii_alphanumeric() || "-_.".contains(c)) } else { !is_label_char(c) }
    };
    let problem = if name.is_empty() {
        Problem::new(format!("`{}` is empty", key.name))
    } else if let Some(c) = name.chars().find(|c| wrong(*c)) {
        Problem::new(format!("`{}` contains {}, which ids cannot", key.name, character(c)))
    } else if name.chars().nth(LONGEST).is_some() {
        Problem::new(format!("`{}` is longer than {LONGEST} characters", key.name))
    } else if name.chars().all(|c| c == '.') {
        Problem::new(format!("`{}` consists of dots only", key.name))
    } else {
        return Some(name.to_owned());
    };
    problems.push(problem.at(value.span(), format!("expected {}", key.kind.expectation())));
    None
}

/// Whether a label may contain this character: ids must stay readable, unambiguous and safe to match with a glob.
pub fn is_label_char(c: char) -> bool {
    !(c.is_whitespace() || c.is_control() || LABEL_EXCLUDES.contains(c))
}

/// What labels cannot contain, besides white space and control characters. `#` marks the [twins](crate::engine::twins)
/// of cells.
pub const LABEL_EXCLUDES: &str = ",=/\\*?[]{}!#\"'`";

fn character(c: char) -> String {
    match c {
        ' ' => "a space".into(),
        _ if c.is_control() || c.is_whitespace() => format!("the character U+{:04X}", u32::from(c)),
        _ => format!("`{c}`"),
    }
}

/// A whole number within its key's bounds.
pub fn count(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<u64> {
    let (min, max) = match key.kind {
        Kind::Count { min, max } => (min, max),
        Kind::Workers { max } => (1, max),
        _ => unreachable!("`{}` is not a count in the vocabulary", key.name),
    };
    let DeValue::Integer(integer) = value.get_ref() else {
        let mut problem = unexpected(key, value);
        if let Some(number) = value.get_ref().as_str().filter(|text| text.parse::<u64>().is_ok()) {
            problem = problem.help(format!("write {number} without the quotes"));
        }
        problems.push(problem);
        return None;
    };
    // A number with more digits than 128 bits hold is out of bounds all the same.
    let number = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
    let number = number.and_then(|number| u64::try_from(number).ok()).filter(|number| (min..=max).contains(number));
    if number.is_none() {
        problems.push(
            Problem::new(format!("`{}` is out of bounds: {integer}", key.name))
                .at(value.span(), format!("expected {}", key.kind.expectation())),
        );
    }
    number
}

/// A duration within its key's bounds.
pub fn time(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<Duration> {
    let Kind::Time { min, max } = key.kind else { unreachable!("`{}` is not a duration in the vocabulary", key.name) };
    let Some(text) = value.get_ref().as_str() else {
        let mut problem = unexpected(key, value);
        if let DeValue::Integer(number) = value.get_ref() {
            let unit = if max > Duration::from_secs(3600) { "s" } else { "ms" };
            problem = problem.help(format!("write it with its unit and in quotes, such as \"{number}{unit}\""));
        }
        problems.push(problem);
        return None;
    };
    let shown = quote(text);
    let units = format!("a duration is a number followed at once by {}", duration::UNITS_IN_WORDS);
    let (why, help) = match duration::parse(text) {
        Ok(duration) if (min..=max).contains(&duration) => return Some(duration),
        Ok(_) | Err(NotADuration::TooLong) => (format!("`{}` is out of bounds: {shown}", key.name), None),
        Err(NotADuration::Negative) => (format!("`{}` is negative: {shown}", key.name), None),
        Err(NotADuration::TooFine) => (format!("`{}` is finer than a nanosecond: {shown}", key.name), None),
        Err(NotADuration::NoUnit) => (format!("`{}` has no unit: {shown}", key.name), Some(units)),
        Err(NotADuration::AmbiguousUnit) => {
            let help = "write `min` for minutes, `ms` for milliseconds".into();
            (format!("the unit `m` of `{}` is ambiguous: {shown}", key.name), Some(help))
        }
        Err(NotADuration::NoNumber | NotADuration::UnknownUnit) => {
            (format!("`{}` is not a duration: {shown}", key.name), Some(units))
        }
    };
    let problem = Problem::new(why).at(value.span(), format!("expected {}", key.kind.expectation()));
    problems.push(match help {
        Some(help) => problem.help(help),
        None => problem,
    });
    None
}

/// One of the words that the key accepts.
pub fn word(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<&'static str> {
    let Kind::Word(words) = key.kind else { unreachable!("`{}` is not a word in the vocabulary", key.name) };
    let text = text(key, value, problems)?;
    let all = words.all();
    let known = all.iter().map(|(word, _)| *word).find(|word| *word == text);
    if known.is_none() {
        let names: Vec<_> = all.iter().map(|(word, _)| *word).collect();
        let mut problem = Problem::new(format!("unknown {}: {}", key.name, quote(text)))
            .at(value.span(), format!("not {}", words.what()));
        if let Some(meant) = nearest(text, names.iter().copied()) {
            problem = problem.help(format!("did you mean \"{meant}\"?"));
        }
        problems.push(problem.help(format!("{} is one of {}", words.what(), list(&names))));
    }
    known
}

/// `true` or `false`.
pub fn flag(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<bool> {
    let flag = value.get_ref().as_bool();
    if flag.is_none() {
        problems.push(unexpected(key, value));
    }
    flag
}

/// A program and its arguments.
pub fn command(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let words: Option<Vec<_>> = value
        .get_ref()
        .as_array()
        .and_then(|array| array.iter().map(|word| word.get_ref().as_str().map(str::to_owned)).collect());
    match words {
        Some(words) if words.first().is_some_and(|program| !program.is_empty()) => Some(words),
        Some(_) => {
            problems.push(
                Problem::new(format!("`{}` names no program", key.name))
                    .at(value.span(), format!("expected {}", key.kind.expectation())),
            );
            None
        }
        None => {
            let mut problem = unexpected(key, value);
            if let Some(line) = value.get_ref().as_str() {
                let words: Vec<_> = line.split_whitespace().map(|word| format!("\"{word}\"")).collect();
                problem = problem.help(format!("no shell is involved; write [{}]", words.join(", ")));
            }
            problems.push(problem);
            None
        }
    }
}

/// A table of texts, in the order of the file.
pub fn texts(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<Vec<(String, String)>> {
    let Some(table) = value.get_ref().as_table() else {
        problems.push(unexpected(key, value));
        return None;
    };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let mut texts = Vec::new();
    for (name, value) in entries {
        match value.get_ref().as_str() {
            Some(text) => texts.push((name.get_ref().to_string(), text.to_owned())),
            None => problems.push(
                Problem::new(format!("`{}` of `{}` is text, not {}", name.get_ref(), key.name, found(value)))
                    .at(value.span(), "expected text in quotes"),
            ),
        }
    }
    Some(texts)
}
