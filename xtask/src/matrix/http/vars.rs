//! `vars`: what the placeholders of a server's command stand for. Each is an axis if it is an array.

use toml::de::DeValue;

use super::super::axis::AxisValue;
use super::super::entries::Entry;
use super::super::parse_scenario::dimension;
use super::super::problem::{Problem, Problems, list, quote};
use super::super::reader::{self, Value, found, unexpected};
use super::super::setting::Surroundings;
use super::super::vocabulary::http::{LOAD, VAR};
use super::super::written::Dimension;
use super::placeholder;

/// A dimension for each var, in the order of the file.
pub fn dimensions(entry: &Entry<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Vec<Dimension> {
    let Some(table) = entry.value.get_ref().as_table() else {
        problems.push(unexpected(entry.key, entry.value));
        return Vec::new();
    };
    let mut vars: Vec<_> = table.iter().collect();
    vars.sort_by_key(|(name, _)| name.span().start);
    let mut dimensions = Vec::new();
    for (name, value) in vars {
        let word = name.get_ref().as_ref();
        if let Some(problem) = refusal(word) {
            problems.push(problem.at(name.span(), "not the name of a var"));
            continue;
        }
        let entry = Entry { key: &VAR, key_span: name.span(), value };
        let Some(mut dimension) = dimension(&entry, around, problems) else { continue };
        word.clone_into(&mut dimension.name);
        if dimension.axis {
            dimension.values.iter().for_each(|value| check_shown(word, &value.shown, value.span.clone(), problems));
        }
        dimensions.push(dimension);
    }
    dimensions
}

/// Why a var cannot have this name.
fn refusal(name: &str) -> Option<Problem> {
    let axes: Vec<&str> = LOAD.keys.iter().filter(|key| key.axis).map(|key| key.name).collect();
    if placeholder::PORTS.contains(&name) {
        let help = "a free port is chosen for every start; `ports = 2` on the server asks for several";
        Some(Problem::new(format!("`{{{name}}}` is filled in by itself")).help(help))
    } else if axes.contains(&name) || name == "load" || name == "server" {
        let problem = Problem::new(format!("a var cannot be called `{name}`, as an axis is called that already"));
        Some(problem.help(format!("taken are {}, `load` and `server`", list(&axes))))
    } else if !placeholder::is_name(name) {
        let problem = Problem::new(format!("a var cannot be called {}", quote(name)));
        Some(problem.help("a name has letters, digits, `-` and `_`, and begins with a letter"))
    } else {
        None
    }
}

/// The values of an axis stand in ids.
fn check_shown(name: &str, shown: &AxisValue, span: std::ops::Range<usize>, problems: &mut Problems) {
    let AxisValue::Text(text) = shown else { return };
    if text.is_empty() || text.chars().any(|c| !reader::is_label_char(c)) {
        problems.push(
            Problem::new(format!("a value of the axis `{name}` cannot stand in an id: {}", quote(text)))
                .at(span, "expected one word, without any of `,` `=` `/` `*` `?` `[` `]` `#` or quotes")
                .help("where the command needs such a text, give several `server` tables, each with its own `label`"),
        );
    }
}

/// One value, as the command has it and as tables show it.
pub fn read(value: &Value<'_>, problems: &mut Problems) -> Option<(String, AxisValue)> {
    match value.get_ref() {
        DeValue::String(text) => Some((text.to_string(), text.as_ref().into())),
        DeValue::Integer(number) => {
            let number = i128::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string());
            let text = number.unwrap_or_default();
            let shown = text.parse().map_or_else(|_| AxisValue::Text(text.clone()), AxisValue::Number);
            Some((text, shown))
        }
        _ => {
            problems.push(
                Problem::new(format!("a var must be text or a whole number, not {}", found(value)))
                    .at(value.span(), "expected text in quotes, a whole number, or an array of them"),
            );
            None
        }
    }
}
