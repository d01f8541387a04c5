//! Sizes as the matrix writes them: a whole number and a unit, such as `64KiB`, `1MB` or `500B`.

/// The units and how many bytes each has.
const UNITS: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// The units, for a report.
pub const UNITS_IN_WORDS: &str = "`B`, `kB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`";

/// The same syntax as a regular expression, for the JSON Schema.
pub const PATTERN: &str = "^[0-9]+(B|kB|MB|GB|KiB|MiB|GiB)$";

/// Why a text is not a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotASize {
    /// It does not begin with a whole number.
    NoNumber,
    /// A number without a unit.
    NoUnit,
    /// Something else stands where the unit should be; the unit that was probably meant, if there is one.
    UnknownUnit(Option<&'static str>),
    /// More than fits.
    TooLarge,
}

/// Reads a size, in bytes.
///
/// # Errors
/// The text is not a whole number followed by a unit.
pub fn parse(text: &str) -> Result<u64, NotASize> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    if number.is_empty() {
        return Err(NotASize::NoNumber);
    }
    let scale = match UNITS.iter().find(|(name, _)| *name == unit) {
        Some((_, scale)) => *scale,
        None if unit.is_empty() => return Err(NotASize::NoUnit),
        None => return Err(NotASize::UnknownUnit(meant(unit))),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(scale)).ok_or(NotASize::TooLarge)
}

/// `KB`, `mb` and `K` are common slips.
fn meant(unit: &str) -> Option<&'static str> {
    let unit = unit.trim();
    UNITS
        .iter()
        .map(|(name, _)| *name)
        .find(|name| name.eq_ignore_ascii_case(unit) || name.eq_ignore_ascii_case(&format!("{unit}B")))
}

/// A size as the matrix states it: a whole number of the largest unit that allows it.
#[must_use]
pub fn shown(bytes: u64) -> String {
    let fits = UNITS.iter().filter(|(_, scale)| bytes > 0 && bytes.is_multiple_of(*scale));
    let (name, scale) = fits.max_by_key(|(_, scale)| *scale).copied().unwrap_or(("B", 1));
    format!("{}{name}", bytes / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_exactly() {
        for (text, bytes) in
            [("0B", 0), ("500B", 500), ("1kB", 1000), ("64KiB", 65_536), ("1MB", 1_000_000), ("2GiB", 2_147_483_648)]
        {
            assert_eq!(parse(text), Ok(bytes), "{text}");
            assert_eq!(shown(bytes), text);
        }
    }

    #[test]
    fn what_is_not_a_size_says_why() {
        for (text, why) in [
            ("", NotASize::NoNumber),
            ("-1kB", NotASize::NoNumber),
            ("1000", NotASize::NoUnit),
            ("1KB", NotASize::UnknownUnit(Some("kB"))),
            ("1 kB", NotASize::UnknownUnit(Some("kB"))),
            ("4M", NotASize::UnknownUnit(Some("MB"))),
            ("1.5MB", NotASize::UnknownUnit(None)),
            ("1 parsec", NotASize::UnknownUnit(None)),
            ("99999999999999999999GB", NotASize::TooLarge),
            ("99999999999GiB", NotASize::TooLarge),
        ] {
            assert_eq!(parse(text), Err(why), "{text}");
        }
    }
}
