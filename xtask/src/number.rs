//! Numbers, sizes and times for people (digits in groups, durations in two units at most) and for files.

use std::time::Duration;

/// A whole number with a comma between groups of three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "1 cell", "2 cells".
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// An estimated time, no more exact than an estimate is: `8 s`, `2 min 10 s`, `3 h 5 min`, `2 days`.
#[must_use]
pub fn roughly(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 {
        return format!("{:.0} ms", (seconds * 1000.0).max(1.0));
    }
    if seconds < 10.0 {
        return format!("{seconds:.1} s");
    }
    let seconds = time.as_secs();
    let two = |large: u64, large_unit: &str, small: u64, small_unit: &str| match small {
        0 => format!("{large} {large_unit}"),
        _ => format!("{large} {large_unit} {small} {small_unit}"),
    };
    match seconds {
        0..=59 => format!("{seconds} s"),
        60..=3599 => two(seconds / 60, "min", seconds % 60, "s"),
        3600..=86_399 => two(seconds / 3600, "h", seconds % 3600 / 60, "min"),
        _ => {
            let days = counted(seconds / 86_400, "day", "days");
            match seconds % 86_400 / 3600 {
                0 => days,
                hours => format!("{days} {hours} h"),
            }
        }
    }
}

/// A number that is not negative with this many significant digits, in full and with a decimal point: never in
/// scientific notation, whatever the locale. Digits in front of the point are not rounded away.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    // Rounding may carry into another digit (9.9996), so the exponent is taken after it.
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    let exponent: i32 = rounded.rsplit('e').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let decimals = i32::try_from(digits).unwrap_or(i32::MAX).saturating_sub(1).saturating_sub(exponent).max(0);
    format!("{value:.*}", usize::try_from(decimals).unwrap_or(0))
}

/// A speed ratio: two decimals as in `3.25`, fewer where it is large, more where it is small.
#[must_use]
pub fn ratio(value: f64) -> String {
    if (0.095..9.995).contains(&value) { format!("{value:.2}") } else { significant(value, 3) }
}

/// The ends of a ratio's interval: `1.91–2.01`, or with more digits where the two would look the same: `0.998–1.003`.
#[must_use]
pub fn ratio_interval(low: f64, high: f64) -> String {
    let (shown_low, shown_high) = (ratio(low), ratio(high));
    if shown_low != shown_high || low == high {
        return format!("{shown_low}–{shown_high}");
    }
    let digits = |value: f64| significant(value, if value < 1.0 { 3 } else { 4 });
    format!("{}–{}", digits(low), digits(high))
}

/// A size: `12.3 MiB`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = UNITS.len().min(1 + usize::try_from(bytes.max(1).ilog2() / 10).unwrap_or(0)) - 1;
    if power == 0 {
        return format!("{bytes} B");
    }
    let scale = 1024_f64.powi(i32::try_from(power).unwrap_or(0));
    format!("{} {}", significant(bytes as f64 / scale, 3), UNITS[power])
}

/// Nanoseconds of a duration; of one beyond the 584 years that fit, as many as fit.
#[must_use]
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_groups_of_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn the_ends_of_an_interval_differ_where_they_do() {
        assert_eq!(ratio_interval(1.9149, 2.0051), "1.91–2.01");
        assert_eq!(ratio_interval(0.9977, 1.0031), "0.998–1.003");
        assert_eq!(ratio_interval(1.0, 1.0), "1.00–1.00");
    }

    #[test]
    fn an_estimate_has_two_units_at_most() {
        let shown = [0.0, 0.25, 4.26, 59.9, 60.0, 130.4, 3600.0, 11_100.0, 180_000.0];
        let shown = shown.map(|seconds| roughly(Duration::from_secs_f64(seconds)));
        assert_eq!(shown, ["1 ms", "250 ms", "4.3 s", "59 s", "1 min", "2 min 10 s", "1 h", "3 h 5 min", "2 days 2 h"]);
    }
}
