//! The nearest valid word to one that is not valid.

/// The candidate that a person most likely meant, if any is near enough to be worth a guess.
#[must_use]
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word = normal(word);
    // A slip of the pen costs one edit in three letters; transposing two letters is one edit.
    let most = word.chars().count().div_ceil(3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let other = normal(candidate);
            let edits = strsim::damerau_levenshtein(&word, &other);
            // `thread-pool` for `threads`, `gil-lock` for `gil`: the beginning is right.
            let prefix = word.len() >= 3 && other.len() >= 3 && (word.starts_with(&other) || other.starts_with(&word));
            (if prefix { edits.min(most) } else { edits }, candidate)
        })
        .filter(|(edits, _)| *edits <= most)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Case, and which of `-`, `_` and space joins two words, are no reason not to know a word.
fn normal(word: &str) -> String {
    word.to_lowercase().replace(['_', ' '], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODELS: [&str; 4] = ["sequential", "threads", "work-stealing", "async"];

    #[test]
    fn a_slip_of_the_pen_is_understood() {
        for (word, meant) in [
            ("thread", "threads"),
            ("htreads", "threads"),
            ("Threads", "threads"),
            ("work_stealing", "work-stealing"),
            ("asnyc", "async"),
            ("asyncio", "async"),
        ] {
            assert_eq!(nearest(word, MODELS), Some(meant), "{word}");
        }
    }

    #[test]
    fn a_word_that_is_far_from_all_gets_no_guess() {
        assert_eq!(nearest("goroutines", MODELS), None);
        assert_eq!(nearest("", MODELS), None);
    }
}
