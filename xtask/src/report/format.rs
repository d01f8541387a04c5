//! How a number without a unit looks.

use crate::number::grouped;
pub use crate::number::{ratio, significant};
use crate::stats::summary::{Bound, Ratio};

/// What is not known, or does not apply.
pub const UNKNOWN: &str = "–";

/// The text, or the sign for what is not known.
#[must_use]
pub fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The same with a sign in front where the load generator held one side back.
#[must_use]
pub fn ratio_of(of: &Ratio) -> String {
    let sign = match of.bound {
        None => "",
        Some(Bound::AtLeast) => "≥",
        Some(Bound::AtMost) => "≤",
    };
    format!("{sign}{}", ratio(of.value))
}

/// A number of requests a second: whole and in groups from 1,000 on, four digits below.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, and above 0")]
pub fn per_second(value: f64) -> String {
    if value < 999.95 { significant(value, 4) } else { grouped(value.round() as u64) }
}

/// What each worker did: `250/250/250/250`; where they are many, `8×250`, or smallest and largest as `8×240–262`.
#[must_use]
pub fn by_worker(done: &[u64]) -> String {
    const MOST: usize = 4;
    match (done.iter().min(), done.iter().max()) {
        (Some(least), Some(most)) if done.len() > MOST && least == most => format!("{}×{most}", done.len()),
        (Some(least), Some(most)) if done.len() > MOST => format!("{}×{least}–{most}", done.len()),
        (Some(_), Some(_)) => done.iter().map(u64::to_string).collect::<Vec<_>>().join("/"),
        _ => UNKNOWN.to_owned(),
    }
}

/// Cores really used: one decimal, two below one. What is known and tiny is not shown as 0.
#[must_use]
pub fn cores(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v < 0.005 => "<0.01".to_owned(),
        v if v < 0.995 => format!("{v:.2}"),
        v => format!("{v:.1}"),
    }
}

/// A footnote's mark: small raised digits.
#[must_use]
pub fn superscript(number: usize) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.to_string().bytes().filter_map(|digit| DIGITS.get(usize::from(digit - b'0'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_are_counted_from_the_first_that_is_not_zero() {
        let cases = [
            (1.6289, 4, "1.629"),
            (0.0558, 3, "0.0558"),
            (0.834, 3, "0.834"),
            (9.9996, 4, "10.00"),
            (156.63, 4, "156.6"),
            (22_035.4, 4, "22035"),
            (0.000_012_34, 3, "0.0000123"),
            (0.0, 3, "0"),
        ];
        for (value, digits, text) in cases {
            assert_eq!(significant(value, digits), text);
        }
    }

    #[test]
    fn a_ratio_has_two_decimals_as_the_articles_print_it() {
        let cases =
            [(0.95, "0.95"), (3.1, "3.10"), (1.0, "1.00"), (12.34, "12.3"), (1234.5, "1234"), (0.0123, "0.0123")];
        for (value, text) in cases {
            assert_eq!(ratio(value), text);
        }
    }

    #[test]
    fn few_cores_are_not_no_cores() {
        let cases = [(0.0, "0"), (0.001, "<0.01"), (0.05, "0.05"), (0.996, "1.0"), (1.96, "2.0"), (15.04, "15.0")];
        for (value, text) in cases {
            assert_eq!(cores(value), text);
        }
    }

    #[test]
    fn marks_are_raised() {
        assert_eq!([1, 10, 234].map(superscript), ["¹", "¹⁰", "²³⁴"]);
    }

    #[test]
    fn a_ratio_of_a_lower_bound_says_so() {
        let bound = |bound| ratio_of(&Ratio { value: 3.251, low: None, high: None, confidence: None, bound });
        assert_eq!([None, Some(Bound::AtLeast), Some(Bound::AtMost)].map(bound), ["3.25", "≥3.25", "≤3.25"]);
    }

    #[test]
    fn requests_a_second_are_whole_from_a_thousand_on() {
        let cases = [(0.5, "0.5000"), (409.71, "409.7"), (999.96, "1,000"), (1_350.9, "1,351"), (22_035.4, "22,035")];
        for (value, text) in cases {
            assert_eq!(per_second(value), text);
        }
    }

    #[test]
    fn many_workers_take_no_more_room_than_four() {
        assert_eq!(by_worker(&[1_000]), "1000");
        assert_eq!(by_worker(&[0, 0, 0, 256]), "0/0/0/256");
        assert_eq!(by_worker(&[250; 16]), "16×250");
        assert_eq!(by_worker(&[240, 250, 250, 250, 262]), "5×240–262");
        assert_eq!(by_worker(&[]), "–");
    }
}
