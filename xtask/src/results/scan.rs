//! Picks single values out of a large JSON text without reading all of it.
//!
//! A thousand summaries are some hundred megabytes, of which a history needs a few. Text between two keys is skipped by a
//! search for bytes, which runs at memory speed in a debug build too.

use memchr::memmem;
use serde::de::DeserializeOwned;

/// Where the values of this key begin, wherever it stands, in the order of the text.
///
/// A string that quotes the key cannot be taken for it: JSON writes a quote within a string with a backslash in front,
/// so that `"key":` stands in no string.
pub fn places<'a>(json: &'a [u8], key: &str) -> impl Iterator<Item = usize> + use<'a> {
    let needle = format!("\"{key}\":");
    let finder = memmem::Finder::new(&needle).into_owned();
    let mut from = 0;
    std::iter::from_fn(move || {
        from += finder.find(&json[from..])? + finder.needle().len();
        Some(from)
    })
}

/// The value that the text begins with, and where it ends; `None` where it is no `T`.
pub fn value<T: DeserializeOwned>(json: &[u8]) -> Option<(T, usize)> {
    let mut values = serde_json::Deserializer::from_slice(json).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// The first value of this key; `None` where there is none, or it is no `T`.
pub fn first<T: DeserializeOwned>(json: &[u8], key: &str) -> Option<T> {
    Some(value(&json[places(json, key).next()?..])?.0)
}

/// The values of this key in the order of the text, without those that are no `T`.
pub fn values<'a, T: DeserializeOwned + 'a>(json: &'a [u8], key: &str) -> impl Iterator<Item = T> + use<'a, T> {
    places(json, key).filter_map(|at| Some(value(&json[at..])?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_any_depth_in_order() {
        let json = br#"{"a": 1, "b": {"a" : 9, "a":[2]}, "c": [{"a":  3}], "d": "\"a\": 4"}"#;
        assert_eq!(places(json, "a").count(), 3, "what a string quotes is no key");
        assert_eq!((first(json, "a"), first::<String>(json, "a")), (Some(1), None));
        assert_eq!(values::<u32>(json, "a").collect::<Vec<_>>(), [1, 3], "a list is no number");
    }

    #[test]
    fn a_value_is_told_with_its_end_and_a_torn_one_is_none() {
        assert_eq!(value::<Vec<u32>>(b" [1, 2], 3"), Some((vec![1, 2], 7)));
        assert_eq!(value::<Vec<u32>>(b"[1, 2"), None);
        assert_eq!(places(b"", "a").count(), 0);
    }
}
