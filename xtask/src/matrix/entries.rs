//! Which keys a table of the file has.

use toml::de::DeTable;

use super::nearest::nearest;
use super::problem::{Problem, Problems, Span, list, quote};
use super::reader::Value;
use super::vocabulary::Key;
use super::vocabulary::tables::home_of;

/// A known key of a table, with its value.
#[derive(Debug, Clone)]
pub struct Entry<'d> {
    /// What the vocabulary says about the key.
    pub key: &'static Key,
    /// Where the key stands.
    pub key_span: Span,
    /// Its value.
    pub value: &'d Value<'d>,
}

/// The known keys of a table, in the order of the file.
#[derive(Debug, Clone)]
pub struct Entries<'d> {
    /// Where the table begins: its header, or its braces.
    pub span: Span,
    entries: Vec<Entry<'d>>,
    /// Keys that were probably meant by unknown ones: calling them missing as well would be noise.
    meant: Vec<&'static str>,
}

impl<'d> Entries<'d> {
    /// The entries of a table that may have these keys. Unknown ones are mistakes; what is missing is the caller's to
    /// say, as another table may complete this one.
    pub fn read(
        name: &str,
        keys: &[&'static Key],
        span: Span,
        table: &'d DeTable<'d>,
        problems: &mut Problems,
    ) -> Self {
        let mut entries = Vec::with_capacity(table.len());
        let mut meant = Vec::new();
        for (key, value) in table {
            let word = key.get_ref().as_ref();
            if let Some(known) = keys.iter().find(|known| known.name == word) {
                entries.push(Entry { key: known, key_span: key.span(), value });
            } else {
                meant.extend(nearest(word, keys.iter().map(|key| key.name)));
                let problem =
                    Problem::new(format!("{name} has no key {}", quote_key(word))).at(key.span(), "unknown key");
                problems.push(match home_of(word, name) {
                    Some(home) => problem.help(format!("`{word}` is a {home}")),
                    None => problem.did_you_mean(word, "keys", keys.iter().map(|key| key.name)),
                });
            }
        }
        entries.sort_by_key(|entry| entry.key_span.start);
        Self { span, entries, meant }
    }

    /// Notes keys of which exactly one may be there and none or several are. `help` is for the first case.
    pub fn require_one_of(&self, name: &str, one_of: &[&str], help: &str, problems: &mut Problems) {
        if one_of.is_empty() {
            return;
        }
        let names = one_of.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        let given: Vec<_> = self.entries.iter().filter(|entry| one_of.contains(&entry.key.name)).collect();
        match given.as_slice() {
            [_] => {}
            [] if one_of.iter().any(|name| !self.is_missing(name)) => {}
            [] => problems.push(
                Problem::new(format!("{name} needs {names}"))
                    .at(self.span.clone(), "one of them is missing")
                    .help(help),
            ),
            [first, second, ..] => problems.push(
                Problem::new(format!("{name} takes {names}, one of them"))
                    .at(second.key_span.clone(), format!("`{}` besides", second.key.name))
                    .at(first.key_span.clone(), format!("`{}` is here already", first.key.name)),
            ),
        }
    }

    /// Notes every required key that is missing.
    pub fn require(&self, name: &str, keys: &[&'static Key], problems: &mut Problems) {
        let missing: Vec<_> = keys.iter().filter(|key| key.required && self.is_missing(key.name)).collect();
        if missing.is_empty() {
            return;
        }
        let names: Vec<&str> = missing.iter().map(|key| key.name).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        let problem = Problem::new(format!("{name} needs {}", list(&names)))
            .at(self.span.clone(), format!("{} {verb} missing", list(&names)));
        problems.push(missing.iter().fold(problem, |problem, key| {
            problem.help(format!("`{}`: {} Expected {}.", key.name, key.doc, key.kind.expectation()))
        }));
    }

    /// Whether the table has neither this key nor one that was probably meant to be it.
    #[must_use]
    pub fn is_missing(&self, name: &str) -> bool {
        self.get(name).is_none() && !self.meant.contains(&name)
    }

    /// The entry with this key.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry<'d>> {
        self.entries.iter().find(|entry| entry.key.name == name)
    }

    /// The entries, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Entry<'d>> {
        self.entries.iter()
    }

    /// These entries with the values of others in their place; keys that only the others have come last.
    #[must_use]
    pub fn overlaid(&self, others: &Self) -> Self {
        let mut result = self.clone();
        for other in &others.entries {
            match result.entries.iter_mut().find(|entry| entry.key.name == other.key.name) {
                Some(entry) => *entry = other.clone(),
                None => result.entries.push(other.clone()),
            }
        }
        result
    }
}

fn quote_key(word: &str) -> String {
    if word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')) && !word.is_empty() {
        format!("`{word}`")
    } else {
        quote(word)
    }
}
