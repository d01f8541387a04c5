//! Durations as the matrix writes them: a decimal number and a unit, such as `10ms`, `1.5s` or `0us`.

use std::time::Duration;

/// The units and how many nanoseconds each has.
const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The units, for a report.
pub const UNITS_IN_WORDS: &str = "`ns`, `us`, `ms`, `s`, `min` or `h`";

/// The same syntax as a regular expression, for the JSON Schema.
pub const PATTERN: &str = r"^[0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|min|h)$";

/// Why a text is not a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotADuration {
    /// It does not begin with a number.
    NoNumber,
    /// A number without a unit.
    NoUnit,
    /// It begins with a minus sign.
    Negative,
    /// `m`, which some read as minutes and some as milliseconds.
    AmbiguousUnit,
    /// Something else stands where the unit should be.
    UnknownUnit,
    /// More than fits (over 500 years).
    TooLong,
    /// A part of a nanosecond.
    TooFine,
}

/// Reads a duration exactly: no rounding through floating point.
///
/// # Errors
/// The text is not a number followed by a unit, or not a whole number of nanoseconds.
pub fn parse(text: &str) -> Result<Duration, NotADuration> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    if text.starts_with(['-', '−']) {
        return Err(NotADuration::Negative);
    }
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() && !fraction.contains('.') => (whole, fraction),
        Some(_) => return Err(NotADuration::NoNumber),
        None => (number, ""),
    };
    if whole.is_empty() {
        return Err(NotADuration::NoNumber);
    }
    let scale = match UNITS.iter().find(|(name, _)| *name == unit) {
        Some((_, scale)) => u128::from(*scale),
        None if unit.is_empty() => return Err(NotADuration::NoUnit),
        None if unit == "m" => return Err(NotADuration::AmbiguousUnit),
        None => return Err(NotADuration::UnknownUnit),
    };
    let fraction = fraction.trim_end_matches('0');
    let digits: u128 = format!("{whole}{fraction}").parse().map_err(|_| NotADuration::TooLong)?;
    let divisor = u32::try_from(fraction.len()).ok().and_then(|places| 10_u128.checked_pow(places));
    let divisor = divisor.ok_or(NotADuration::TooFine)?;
    let scaled = digits.checked_mul(scale).ok_or(NotADuration::TooLong)?;
    if !scaled.is_multiple_of(divisor) {
        return Err(NotADuration::TooFine);
    }
    u64::try_from(scaled / divisor).map(Duration::from_nanos).map_err(|_| NotADuration::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_exactly() {
        for (text, nanos) in [
            ("10ms", 10_000_000),
            ("2400us", 2_400_000),
            ("2400µs", 2_400_000),
            ("1.5s", 1_500_000_000),
            ("0us", 0),
            ("0.1ms", 100_000),
            ("0.000000001s", 1),
            ("1.50min", 90_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_duration_says_why() {
        for (text, why) in [
            ("", NotADuration::NoNumber),
            ("ms", NotADuration::NoNumber),
            (".5s", NotADuration::NoNumber),
            ("1.s", NotADuration::NoNumber),
            ("1.2.3s", NotADuration::NoNumber),
            ("10", NotADuration::NoUnit),
            ("-1s", NotADuration::Negative),
            ("5m", NotADuration::AmbiguousUnit),
            ("5 ms", NotADuration::UnknownUnit),
            ("5ms ", NotADuration::UnknownUnit),
            ("5 parsecs", NotADuration::UnknownUnit),
            ("0.5ns", NotADuration::TooFine),
            ("99999999999999999999999999999999999999999h", NotADuration::TooLong),
            ("99999999999h", NotADuration::TooLong),
        ] {
            assert_eq!(parse(text), Err(why), "{text}");
        }
    }
}
