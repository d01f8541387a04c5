//! Placeholders in the command of a server: `{name}`.
//!
//! Commands are full of braces that mean something else: `nginx -g 'events {}'`, `sh -c 'echo ${HOME}'`. A placeholder is
//! therefore one name between braces, without a space and not after a dollar sign; everything else is left alone.

use std::ops::Range;

/// Placeholders that are filled in when the server is started.
pub const PORTS: [&str; 2] = ["port", "ports"];

/// The placeholders of a text: where each stands, braces included, and its name.
pub fn find(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.match_indices('{').filter_map(move |(start, _)| {
        let name = &text[start + 1..];
        let name = &name[..name.find('}')?];
        let placeholder = is_name(name) && !text[..start].ends_with('$');
        placeholder.then_some((start..start + name.len() + 2, name))
    })
}

/// Whether a placeholder can have this name.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// The text with every placeholder replaced that `value_of` knows.
#[must_use]
pub fn fill<'v>(text: &str, value_of: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut done = 0;
    for (range, name) in find(text) {
        if let Some(value) = value_of(name) {
            filled.push_str(&text[done..range.start]);
            filled.push_str(value);
            done = range.end;
        }
    }
    filled.push_str(&text[done..]);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        find(text).map(|(_, name)| name).collect()
    }

    #[test]
    fn a_placeholder_is_one_name_in_braces() {
        assert_eq!(names("-t{threads}:{max-threads} --bind=127.0.0.1:{port}"), ["threads", "max-threads", "port"]);
        assert_eq!(names("events {} http { server { listen {port}; } }"), ["port"]);
    }

    #[test]
    fn other_braces_are_left_alone() {
        for text in ["{}", "{ port }", "${HOME}", "{1}", "{a b}", "{a", "{{", r#"{"json": 1}"#] {
            assert_eq!(names(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_is_known_is_filled_in() {
        let value_of = |name: &str| (name == "n").then_some("4");
        assert_eq!(fill("{n}-{port}-{n}{n} {x} ${n}", value_of), "4-{port}-44 {x} ${n}");
    }
}
