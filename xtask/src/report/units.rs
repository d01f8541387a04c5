//! Times and sizes with the unit that suits them.

use super::format::significant;
pub use crate::number::bytes;
use crate::stats::summary::Spread;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeUnit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl TimeUnit {
    /// How it is written behind a number.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "µs",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    /// How many nanoseconds it has.
    #[must_use]
    pub fn nanoseconds(self) -> f64 {
        match self {
            Self::Ns => 1.0,
            Self::Us => 1e3,
            Self::Ms => 1e6,
            Self::S => 1e9,
        }
    }

    /// The largest unit of which this is at least one.
    #[must_use]
    pub fn of(ns: u64) -> Self {
        match ns {
            0..1_000 => Self::Ns,
            1_000..1_000_000 => Self::Us,
            1_000_000..1_000_000_000 => Self::Ms,
            1_000_000_000.. => Self::S,
        }
    }

    /// The unit in which all of these can be read and compared at a glance: that of the largest, unless the smallest
    /// would be less than a hundredth of it.
    #[must_use]
    pub fn for_all(values: impl IntoIterator<Item = u64>) -> Option<Self> {
        let (mut least, mut most) = (u64::MAX, 0);
        for value in values.into_iter().filter(|&value| value > 0) {
            (least, most) = (least.min(value), most.max(value));
        }
        let unit = Self::of(most);
        (most > 0 && as_float(least) >= unit.nanoseconds() / 100.0).then_some(unit)
    }

    /// The number in this unit: four significant digits, three below one. Nanoseconds are whole.
    fn number(self, ns: u64, digits: usize) -> String {
        let value = as_float(ns) / self.nanoseconds();
        match self {
            Self::Ns => ns.to_string(),
            _ if value < 1.0 => significant(value, digits.min(3)),
            _ => significant(value, digits),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days, and four digits are shown")]
fn as_float(ns: u64) -> f64 {
    ns as f64
}

/// A time: `1.629 s`. In its own unit where the column has none.
#[must_use]
pub fn time(ns: u64, column: Option<TimeUnit>) -> String {
    let unit = column.unwrap_or_else(|| TimeUnit::of(ns));
    format!("{} {}", unit.number(ns, 4), unit.name())
}

/// Smallest and largest: `1.61–1.66`, in the unit that [`time`] uses for the median; `None` where there is one run.
fn bare_range(spread: &Spread<u64>, column: Option<TimeUnit>) -> Option<(String, TimeUnit)> {
    let (min, max) = spread.range()?;
    let unit = column.unwrap_or_else(|| TimeUnit::of(spread.median));
    Some((format!("{}–{}", unit.number(min, 3), unit.number(max, 3)), unit))
}

/// Smallest and largest: `1.61–1.66 s`; `None` where there is one run.
#[must_use]
pub fn range(spread: &Spread<u64>, column: Option<TimeUnit>) -> Option<String> {
    bare_range(spread, column).map(|(text, unit)| format!("{text} {}", unit.name()))
}

/// Median with smallest and largest: `1.629 s (1.61–1.66)`.
#[must_use]
pub fn time_with_range(spread: &Spread<u64>, column: Option<TimeUnit>) -> String {
    let median = time(spread.median, column);
    match bare_range(spread, column) {
        Some((range, _)) => format!("{median} ({range})"),
        None => median,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_the_unit_that_suits_it() {
        let cases = [
            (0, "0 ns"),
            (850, "850 ns"),
            (1_500, "1.500 µs"),
            (999_999, "1000 µs"),
            (10_080_000, "10.08 ms"),
            (1_628_900_000, "1.629 s"),
            (74_000_000_000, "74.00 s"),
        ];
        for (ns, text) in cases {
            assert_eq!(time(ns, None), text);
        }
    }

    #[test]
    fn a_column_keeps_one_unit_where_the_range_allows() {
        assert_eq!(TimeUnit::for_all([55_800_000, 1_628_900_000]), Some(TimeUnit::S));
        assert_eq!(time(55_800_000, Some(TimeUnit::S)), "0.0558 s");
        assert_eq!(TimeUnit::for_all([55_800, 1_628_900_000]), None);
        assert_eq!(TimeUnit::for_all([0, 0]), None);
        assert_eq!(TimeUnit::for_all([]), None);
    }

    #[test]
    fn a_range_has_the_medians_unit_and_one_run_has_none() {
        let spread = Spread::of(vec![1_610_000_000, 1_629_000_000, 1_660_000_000]).unwrap();
        assert_eq!(time_with_range(&spread, None), "1.629 s (1.61–1.66)");
        assert_eq!(range(&spread, Some(TimeUnit::Ms)).unwrap(), "1610–1660 ms");
        let once = Spread::of(vec![1_610_000_000]).unwrap();
        assert_eq!((time_with_range(&once, None).as_str(), range(&once, None)), ("1.610 s", None));
    }

    #[test]
    fn sizes_are_in_powers_of_1024() {
        assert_eq!(
            [0, 1023, 1024, 12_897_485, 3 << 30].map(bytes),
            ["0 B", "1023 B", "1.00 KiB", "12.3 MiB", "3.00 GiB"]
        );
    }
}
