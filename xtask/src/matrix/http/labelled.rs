//! `load` and `server`: a table, or an array of tables with a label each.

use super::super::entries::{Entries, Entry};
use super::super::parse::keys;
use super::super::parse_scenario::dimension;
use super::super::problem::{Problem, Problems};
use super::super::reader::unexpected;
use super::super::setting::Surroundings;
use super::super::vocabulary::{Key, Kind, Table};
use super::super::written::Dimension;

/// The table that a key of this kind has.
fn table_of(key: &Key) -> &'static Table {
    let Kind::Labelled { table, .. } = key.kind else { unreachable!("`{}` is no table in the vocabulary", key.name) };
    table
}

/// The dimensions that the key stands for: itself, and the axes inside a single table.
pub fn dimensions(entry: &Entry<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Vec<Dimension> {
    let words = table_of(entry.key);
    if let Some(array) = entry.value.get_ref().as_array() {
        // An axis inside one of several tables would be an axis of some cells only.
        for value in array.iter() {
            let Some(table) = value.get_ref().as_table() else {
                problems.push(unexpected(entry.key, value));
                continue;
            };
            for (key, inner) in table {
                let axis = words.key(key.get_ref()).is_some_and(|key| key.axis);
                if axis && inner.get_ref().is_array() {
                    problems.push(
                        Problem::new(format!(
                            "`{}` must be one value where `{}` is an array",
                            key.get_ref(),
                            words.name()
                        ))
                        .at(inner.span(), "this would be an axis of some cells only")
                        .help(format!("either one `{}` table with arrays inside, or an array of tables", words.name())),
                    );
                }
            }
        }
        return dimension(entry, around, problems).into_iter().collect();
    }
    let Some(table) = entry.value.get_ref().as_table() else {
        problems.push(unexpected(entry.key, entry.value));
        return Vec::new();
    };
    let mut dimensions: Vec<Dimension> = dimension(entry, around, problems).into_iter().collect();
    let inner = Entries::read(words.header, &keys(words), entry.value.span(), table, problems);
    let inner = inner.iter().filter(|entry| entry.key.axis);
    dimensions.extend(inner.filter_map(|entry| dimension(entry, around, problems)));
    dimensions
}

impl Table {
    /// The table's name without the signs that the reference sets it in.
    fn name(&self) -> &'static str {
        self.header.trim_matches('`')
    }
}
