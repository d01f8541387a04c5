//! Reads a result back.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::environment::{self, Environment};
use super::record::Record;
use super::{salvage, sample_file};
use crate::stats::summary::{self, Summary};

/// What a sample file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Its records in order, the header left out.
    pub records: Vec<Record>,
    /// A sentence for a person where the last line is torn: the run was killed, or is still running.
    pub torn: Option<String>,
}

/// Reads `samples.jsonl`.
///
/// # Errors
/// It cannot be read, is of a newer version, or has a line other than the last that is no record.
pub fn samples(path: &Path) -> anyhow::Result<Samples> {
    let content = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    parse(&content, path)
}

/// Reads the content of a sample file; `path` is for messages.
///
/// # Errors
/// As for [`samples`].
pub fn parse(content: &[u8], path: &Path) -> anyhow::Result<Samples> {
    let mut lines: Vec<&[u8]> = content.split(|&byte| byte == b'\n').collect();
    // Behind the last line feed is nothing, or the beginning of a line.
    let rest = lines.pop().unwrap_or_default();
    let torn = (!rest.is_empty()).then(|| salvage::torn(path, rest.len()));
    let Some((header, lines)) = lines.split_first() else {
        bail!("`{}` has no whole line: nothing was measured.", path.display());
    };
    check_schema(header, sample_file::SCHEMA, path)?;
    let record = |(index, line): (usize, &&[u8])| {
        serde_json::from_slice(line)
            .with_context(|| format!("`{}`, line {}: not a record of a sample file", path.display(), index + 2))
    };
    Ok(Samples { records: lines.iter().enumerate().map(record).collect::<anyhow::Result<_>>()?, torn })
}

/// Reads `summary.json`.
///
/// # Errors
/// It cannot be read, is of a newer version, or is no summary.
pub fn summary(path: &Path) -> anyhow::Result<Summary> {
    document(path, summary::SCHEMA)
}

/// Reads `environment.json`.
///
/// # Errors
/// It cannot be read, is of a newer version, or is no environment.
pub fn environment(path: &Path) -> anyhow::Result<Environment> {
    document(path, environment::SCHEMA)
}

fn document<T: DeserializeOwned>(path: &Path, known: u32) -> anyhow::Result<T> {
    let content = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    parse_document(&content, known, path)
}

/// A document of a schema up to `known`, from its content; `path` is for messages.
///
/// # Errors
/// It is of a newer version, or is no such document.
pub fn parse_document<T: DeserializeOwned>(content: &[u8], known: u32, path: &Path) -> anyhow::Result<T> {
    // Documents of our own begin with their version: reading all of it just for that takes as long as reading it.
    match super::scan::first::<u32>(content, "schema") {
        Some(schema) if schema <= known => {}
        _ => check_schema(content, known, path)?,
    }
    serde_json::from_slice(content)
        .with_context(|| format!("`{}` says that it is of schema {known} and does not read as one", path.display()))
}

/// Only the version: a newer document may differ in everything else.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

pub(super) fn check_schema(json: &[u8], known: u32, path: &Path) -> anyhow::Result<()> {
    let Version { schema } = serde_json::from_slice(json)
        .with_context(|| format!("`{}` does not say of which schema it is", path.display()))?;
    if schema > known {
        bail!(
            "`{}` is of schema {schema}; this version of Parallax reads up to {known}. Use the version that wrote it, \
             or a newer one.",
            path.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "{\"record\":\"header\",\"schema\":1}\n";
    const VOIDED: &str = "{\"record\":\"voided\",\"cell\":\"c\",\"round\":1,\"reason\":\"suspended\"}\n";

    fn parse_text(text: &str) -> anyhow::Result<Samples> {
        parse(text.as_bytes(), Path::new("samples.jsonl"))
    }

    fn message(result: anyhow::Result<Samples>) -> String {
        format!("{:#}", result.unwrap_err())
    }

    #[test]
    fn records_are_read_in_order_without_the_header() {
        let samples = parse_text(&[HEADER, VOIDED, VOIDED].concat()).unwrap();
        assert_eq!((samples.records.len(), samples.torn), (2, None));
    }

    #[test]
    fn a_torn_last_line_is_left_out_and_told() {
        let samples = parse_text(&[HEADER, VOIDED, "{\"record\":\"voi"].concat()).unwrap();
        assert_eq!(samples.records.len(), 1);
        let torn = samples.torn.unwrap();
        assert!(torn.contains("`samples.jsonl`: the last line is torn and is left out (14 bytes)"), "{torn}");
    }

    #[test]
    fn a_bad_line_before_the_last_is_named_by_its_number() {
        let error = message(parse_text(&[HEADER, VOIDED, "{\"record\":\"dance\"}\n", VOIDED].concat()));
        assert!(error.contains("`samples.jsonl`, line 3"), "{error}");
        assert!(error.contains("dance"), "{error}");
    }

    #[test]
    fn a_newer_schema_is_refused_with_both_numbers() {
        let error = message(parse_text("{\"record\":\"header\",\"schema\":7}\n"));
        assert!(error.contains("is of schema 7; this version of Parallax reads up to 1"), "{error}");
    }

    #[test]
    fn an_empty_file_says_that_nothing_was_measured() {
        assert!(message(parse_text("")).contains("nothing was measured"));
    }

    #[test]
    fn a_summary_of_a_newer_schema_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        fs::write(&path, r#"{"schema":2,"all":"different"}"#).unwrap();
        let error = format!("{:#}", summary(&path).unwrap_err());
        assert!(error.contains("is of schema 2"), "{error}");
        fs::write(&path, r#"{"schema":1}"#).unwrap();
        let error = format!("{:#}", summary(&path).unwrap_err());
        assert!(error.contains("missing field"), "{error}");
        fs::write(&path, "[]").unwrap();
        assert!(summary(&path).is_err());
    }
}
