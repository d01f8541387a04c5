//! Reads what is whole in a sample file, and says what is not: for people who look at a result, not for a run that is
//! to be continued (that is [`read`](super::read), which is strict).

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::bail;

use super::read::check_schema;
use super::record::{Record, SampleRecord};
use super::sample_file::SCHEMA;
use crate::number::counted;

/// What could be read of a sample file.
#[derive(Debug, Clone, PartialEq)]
pub struct Salvaged {
    /// The records that are whole, in order, each once; the header is left out.
    pub records: Vec<Record>,
    /// Sentences for a person: what was left out and why.
    pub notes: Vec<String>,
}

/// Lines named one by one before they are only counted.
const NAMED: usize = 3;

/// Reads the content of a sample file; `path` is for messages.
///
/// # Errors
/// It is of a newer version, or has no whole first line.
pub fn salvage(content: &[u8], path: &Path) -> anyhow::Result<Salvaged> {
    let mut lines: Vec<&[u8]> = content.split(|&byte| byte == b'\n').collect();
    let rest = lines.pop().unwrap_or_default();
    let Some((header, lines)) = lines.split_first() else {
        bail!("`{}` has no whole line: nothing was measured.", path.display());
    };
    check_schema(header, SCHEMA, path)?;
    let mut notes = Vec::new();
    let mut records = Vec::new();
    let mut seen = HashSet::new();
    let (mut bad, mut twice) = (0, 0);
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()) {
        // A sample has the time of its start in it: an equal line is a copy.
        if !seen.insert(*line) {
            twice += 1;
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(record) => records.push(record),
            Err(error) => {
                bad += 1;
                if bad <= NAMED {
                    notes.push(format!("`{}`, line {} is left out: {error}.", path.display(), index + 2));
                }
            }
        }
    }
    if bad > NAMED {
        let more = counted((bad - NAMED) as u64, "more line is", "more lines are");
        notes.push(format!("`{}`: {more} no records and left out.", path.display()));
    }
    if twice > 0 {
        let lines = counted(twice, "line stands", "lines stand");
        notes.push(format!("`{}`: {lines} there twice and count once.", path.display()));
    }
    if !rest.is_empty() {
        notes.push(torn(path, rest.len()));
    }
    notes.extend(made_twice(&records, path));
    Ok(Salvaged { records, notes })
}

/// What is said of counted runs that stand there more than once and were not made again for a reason: a hand has been at them.
/// The last of them counts.
fn made_twice(records: &[Record], path: &Path) -> Option<String> {
    let mut last: HashMap<(&str, u32), &SampleRecord> = HashMap::new();
    let mut twice: Vec<(&str, u32)> = Vec::new();
    for record in records {
        match record {
            Record::Sample(sample) if !sample.warmup => {
                let run = (sample.cell.as_str(), sample.round);
                if last.insert(run, sample).is_some_and(|earlier| earlier.disturbed.is_none()) {
                    twice.push(run);
                }
            }
            // A cell that failed may be measured again from its first round on.
            Record::Failure { cell, .. } => last.retain(|(of, _), _| of != cell),
            _ => {}
        }
    }
    let (cell, round) = twice.first()?;
    let runs = counted(twice.len() as u64, "run stands", "runs stand");
    let path = path.display();
    Some(format!(
        "`{path}`: {runs} there twice with other figures (round {round} of `{cell}`), of which the last counts."
    ))
}

/// What is said of a last line without an end.
pub(super) fn torn(path: &Path, bytes: usize) -> String {
    format!(
        "`{}`: the last line is torn and is left out ({bytes} bytes): the run was killed while it wrote.",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fixtures::sample;

    fn line(record: &Record) -> String {
        serde_json::to_string(record).unwrap() + "\n"
    }

    fn file() -> String {
        let header = line(&Record::Header { schema: SCHEMA });
        let records = [sample("s/a", 1, 100), sample("s/a", 2, 110), sample("s/b", 1, 90)];
        [header].into_iter().chain(records.iter().map(line)).collect()
    }

    fn salvaged(text: &str) -> Salvaged {
        salvage(text.as_bytes(), Path::new("samples.jsonl")).unwrap()
    }

    #[test]
    fn a_file_cut_at_any_byte_gives_what_is_whole_and_says_what_is_not() {
        let whole = file();
        let all = salvaged(&whole);
        assert_eq!((all.records.len(), all.notes.len()), (3, 0));
        for end in 0..whole.len() {
            let cut = &whole.as_bytes()[..end];
            let lines = cut.iter().filter(|&&byte| byte == b'\n').count();
            let read = salvage(cut, Path::new("samples.jsonl"));
            let Some(records) = lines.checked_sub(1) else {
                let error = read.unwrap_err().to_string();
                assert_eq!(error, "`samples.jsonl` has no whole line: nothing was measured.", "{end}");
                continue;
            };
            let read = read.unwrap();
            assert_eq!(read.records, all.records[..records], "{end}");
            let is_torn = cut.last() != Some(&b'\n');
            assert_eq!(read.notes.len(), usize::from(is_torn), "{end}: {:?}", read.notes);
            assert!(read.notes.iter().all(|note| note.contains("the last line is torn")), "{end}");
        }
    }

    #[test]
    fn numbers_that_no_run_can_have_are_left_out_with_their_line() {
        for (from, to, why) in [
            ("\"elapsed_ns\":110", "\"elapsed_ns\":-110", "invalid value: integer `-110`"),
            ("\"elapsed_ns\":110", "\"elapsed_ns\":NaN", "expected value"),
            ("\"elapsed_ns\":110", "\"elapsed_ns\":null", "invalid type: null"),
            ("\"elapsed_ns\":110", "\"elapsed_ns\":1e999", "number out of range"),
        ] {
            let text = file();
            assert!(text.contains(from), "{text}");
            let read = salvaged(&text.replace(from, to));
            assert_eq!(read.records.len(), 2, "{to}");
            assert_eq!(read.notes.len(), 1, "{to}");
            assert!(read.notes[0].starts_with("`samples.jsonl`, line 3 is left out: "), "{}", read.notes[0]);
            assert!(read.notes[0].contains(why), "{}", read.notes[0]);
        }
    }

    #[test]
    fn a_copied_line_counts_once() {
        let text = file();
        let second = text.lines().nth(1).unwrap();
        let read = salvaged(&format!("{text}{second}\n{second}\n"));
        assert_eq!(read.records.len(), 3);
        assert_eq!(read.notes, ["`samples.jsonl`: 2 lines stand there twice and count once."]);
    }

    #[test]
    fn a_round_with_two_figures_is_told_unless_it_was_made_again_for_a_reason() {
        let second = file().replace("\"elapsed_ns\":110", "\"elapsed_ns\":55");
        let second = second.lines().nth(2).unwrap();
        let read = salvaged(&format!("{}{second}\n", file()));
        assert_eq!(read.records.len(), 4);
        assert_eq!(
            read.notes,
            [
                "`samples.jsonl`: 1 run stands there twice with other figures (round 2 of `s/a`), of which the last counts."
            ]
        );
        let failed =
            r#"{"record":"failure","cell":"s/a","round":2,"warmup":false,"failure":{"kind":"died","reason":"x"}}"#;
        assert_eq!(salvaged(&format!("{}{failed}\n{second}\n", file())).notes, [""; 0]);
        let first = file().lines().nth(2).unwrap().to_owned();
        let disturbed = first.replacen('{', "{\"disturbed\":\"4 % was stolen\",", 1);
        assert_eq!(salvaged(&format!("{}{second}\n", file().replace(&first, &disturbed))).notes, [""; 0]);
    }

    #[test]
    fn many_bad_lines_are_counted() {
        let read = salvaged(&(file() + "junk\nmore junk\n{}\n[]\n\u{0}\n"));
        assert_eq!(read.records.len(), 3);
        assert_eq!(read.notes.len(), 4);
        assert_eq!(read.notes[3], "`samples.jsonl`: 2 more lines are no records and left out.");
    }

    #[test]
    fn a_newer_schema_is_refused_with_what_to_do() {
        let text = "{\"record\":\"header\",\"schema\":7}\n{\"record\":\"dance\"}\n";
        let error = salvage(text.as_bytes(), Path::new("samples.jsonl")).unwrap_err().to_string();
        assert_eq!(
            error,
            "`samples.jsonl` is of schema 7; this version of Parallax reads up to 1. Use the version that wrote it, or a \
             newer one."
        );
    }
}
