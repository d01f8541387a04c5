//! The names of results' folders: `2026-11-30T171522Z-3f9c2a1`.

/// Whether a name is built like `2026-11-30T171522Z-3f9c2a1` or `2026-11-30T171522Z-3f9c2a1-2`.
#[must_use]
pub fn is_result(name: &str) -> bool {
    parts(name).is_some()
}

/// The names of results among these, newest first. They begin with the start in UTC, so that their order is that of
/// time; a number behind one is a number, so that the tenth run of a second follows the ninth.
#[must_use]
pub fn newest_first(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().filter(|name| is_result(name)).collect();
    names.sort_by(|a, b| parts(b).cmp(&parts(a)));
    names
}

/// `2026-11-30T171522Z-…` → `2026-11-30 17:15:22`; any other name stays as it is.
#[must_use]
pub fn date(name: &str) -> String {
    if is_result(name) {
        format!("{} {}:{}:{}", &name[..10], &name[11..13], &name[13..15], &name[15..17])
    } else {
        name.to_owned()
    }
}

/// The first seven digits of the machine's fingerprint, which the name of a result has; nothing for any other name.
#[must_use]
pub fn machine(name: &str) -> &str {
    if is_result(name) { &name[SHAPE.len() - 7..SHAPE.len()] } else { "" }
}

const SHAPE: &str = "0000-00-00T000000Z-fffffff";

/// Start and machine, and the number of the result among those that share them.
fn parts(name: &str) -> Option<(&str, u32)> {
    let (start, number) = name.split_at_checked(SHAPE.len())?;
    let fits = SHAPE.bytes().zip(start.bytes()).all(|(want, is)| match want {
        b'0' => is.is_ascii_digit(),
        b'f' => is.is_ascii_hexdigit(),
        _ => want == is,
    });
    let number = if number.is_empty() { 1 } else { number.strip_prefix('-')?.parse().ok()? };
    fits.then_some((start, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_told_by_the_shape_of_its_name() {
        for name in ["2026-11-30T171522Z-3f9c2a1", "2026-11-30T171522Z-3f9c2a1-2"] {
            assert!(is_result(name), "{name}");
        }
        let others = [
            "README.md",
            "published",
            "2026-11-30T171522Z",
            "2026-11-30T171522Z-3f9c2a1x",
            "2026-11-30T171522Z-3f9c2ä",
        ];
        for name in others {
            assert!(!is_result(name), "{name}");
        }
    }

    #[test]
    fn the_tenth_run_of_a_second_is_newer_than_the_ninth() {
        let names = ["2026-11-30T171522Z-3f9c2a1", "2026-11-30T171522Z-3f9c2a1-10", "2026-11-30T171522Z-3f9c2a1-9"];
        let sorted = newest_first(names.map(str::to_owned).into_iter().chain(["README.md".to_owned()]));
        assert_eq!(sorted, [names[1], names[2], names[0]]);
    }

    #[test]
    fn a_date_is_read_off_a_name() {
        assert_eq!(date("2026-11-30T171522Z-3f9c2a1-2"), "2026-11-30 17:15:22");
        assert_eq!(date("published/articles"), "published/articles");
    }
}
