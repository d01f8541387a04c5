//! Picks single values out of a large JSON text without reading all of it.
//!
//! A thousand summaries are some hundred megabytes, of which a history needs a few. Text between two keys is skipped by a
//! search for bytes, which runs at memory speed in a debug build too.

use memchr::memmem;
use serde::de::DeserializeOwned;

/// The values of this key, wherever it stands, in the order of the text; `None` for one that is no `T`.
///
/// A string that quotes the key cannot be taken for it: JSON writes a quote within a string with a backslash in front,
/// so that `"key":` stands in no string.
pub fn values<'a, T: DeserializeOwned + 'a>(json: &'a [u8], key: &str) -> impl Iterator<Item = Option<T>> + use<'a, T> {
    let needle = format!("\"{key}\":");
    let finder = memmem::Finder::new(&needle).into_owned();
    let mut from = 0;
    std::iter::from_fn(move || {
        from += finder.find(&json[from..])? + finder.needle().len();
        Some(value(&json[from..]))
    })
}

/// The value that the text begins with.
fn value<T: DeserializeOwned>(json: &[u8]) -> Option<T> {
    serde_json::Deserializer::from_slice(json).into_iter::<T>().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_any_depth_in_order() {
        let json = br#"{"a": 1, "b": {"a" : 9, "a":[2]}, "c": [{"a":  3}], "d": "\"a\": 4"}"#;
        let found: Vec<Option<u32>> = values(json, "a").collect();
        assert_eq!(found, [Some(1), None, Some(3)], "a list is no number, and what a string quotes is no key");
    }

    #[test]
    fn a_torn_value_is_none() {
        assert_eq!(values::<Vec<u32>>(br#"{"a": [1, 2"#, "a").collect::<Vec<_>>(), [None]);
        assert_eq!(values::<u32>(b"", "a").count(), 0);
    }
}
