//! Names of files, and prefixes of ids, from names of scenarios, which may have any sign in them.

use sha2::{Digest, Sha256};

use super::Kind;
use crate::number::hex;

/// Longest part of a file's name that is taken from the scenario's.
const MOST: usize = 48;

/// A word of a-z, 0-9, `-`, `_` and `.` for a scenario: its name where that is such a word, and otherwise what can be kept of
/// it with a few digits of its hash, so that no two scenarios share one, also where a file system ignores case.
pub(super) fn slug(scenario: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || matches!(sign, '-' | '_' | '.');
    let starts_well = scenario.starts_with(|sign: char| sign.is_ascii_alphanumeric());
    if starts_well && scenario.len() <= MOST && scenario.chars().all(is_plain) {
        return scenario.to_owned();
    }
    let kept =
        scenario.chars().map(|sign| sign.to_ascii_lowercase()).map(|sign| if is_plain(sign) { sign } else { '-' });
    let kept: String = kept.collect();
    let words: Vec<&str> = kept.split(['-', '.']).filter(|word| !word.is_empty()).collect();
    let kept: String = words.join("-").chars().take(MOST).collect();
    let hash = hex(&Sha256::digest(scenario)[..3]);
    match kept.trim_matches(['-', '_']) {
        "" => format!("scenario-{hash}"),
        kept => format!("{kept}-{hash}"),
    }
}

/// The name of a picture's file.
pub(super) fn file(scenario: &str, kind: Kind) -> String {
    format!("{}.{}.svg", slug(scenario), kind.name())
}

/// Whether a file has a name as pictures of ours have them.
#[must_use]
pub fn is_ours(file: &str) -> bool {
    let kind = file.strip_suffix(".svg").and_then(|rest| rest.rsplit_once('.')).map(|(_, kind)| kind);
    Kind::ALL.iter().any(|known| kind == Some(known.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_stays_as_it_is() {
        assert_eq!(file("http-cpu-sweep", Kind::Runs), "http-cpu-sweep.runs.svg");
    }

    #[test]
    fn any_name_makes_a_file_name_that_no_system_minds() {
        let long = "x".repeat(80);
        let names = ["Ab", "ab c", "../etc", "a/b", "<b>&\"|", "並列", "עברית", "", "CON?", ".hidden", long.as_str()];
        let slugs: Vec<String> = names.iter().map(|name| slug(name)).collect();
        let is_safe = |slug: &String| {
            slug.starts_with(|sign: char| sign.is_ascii_alphanumeric())
                && slug.chars().all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || "-_.".contains(sign))
                && slug.len() <= 60
        };
        assert!(slugs.iter().all(is_safe), "{slugs:?}");
        let mut different = slugs.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), names.len(), "{slugs:?}");
    }

    #[test]
    fn names_that_differ_in_case_alone_stay_apart() {
        assert_ne!(slug("Threads"), slug("threads"));
    }

    #[test]
    fn our_files_are_told_from_others() {
        assert!(is_ours("a.b.runs.svg"));
        assert!(!is_ours("logo.svg") && !is_ours("runs.svg") && !is_ours("a.runs.png"));
    }
}
