//! A series of numbers in one line of text.

/// Signs of rising height; in ASCII, of rising weight.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', '-', ':', '=', '+', '*', '#'];

/// A line that rises and falls with the values, of which the newest `most` are shown.
///
/// The lowest value has the lowest sign and the highest the highest, but a range of less than a tenth of the values is not
/// blown up: a series that hardly moves looks like one.
#[must_use]
pub fn sparkline(values: &[f64], most: usize, ascii: bool) -> String {
    let signs = if ascii { ASCII } else { BLOCKS };
    let shown = &values[values.len().saturating_sub(most)..];
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = low.midpoint(high);
    let range = (high - low).max(middle.abs() * 0.1).max(f64::MIN_POSITIVE);
    let bottom = middle - range / 2.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 7 by construction")]
    let sign = |value: &f64| signs[(((value - bottom) / range * 7.0).round() as usize).min(7)];
    shown.iter().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_rises_and_falls_with_the_values() {
        assert_eq!(sparkline(&[1.0, 2.0, 3.0, 8.0, 1.0], 30, false), "▁▂▃█▁");
        assert_eq!(sparkline(&[1.0, 2.0, 3.0, 8.0, 1.0], 30, true), "_.-#_");
    }

    #[test]
    fn a_series_that_hardly_moves_is_flat() {
        assert_eq!(sparkline(&[1.95, 1.96, 1.95], 30, false), "▄▅▄");
        assert_eq!(sparkline(&[2.0], 30, false), "▅");
        assert_eq!(sparkline(&[], 30, false), "");
    }

    #[test]
    fn the_newest_are_shown() {
        assert_eq!(sparkline(&[9.0, 1.0, 2.0], 2, false), "▁█");
    }
}
