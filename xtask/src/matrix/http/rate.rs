//! `rate`: requests a second, or a share of what the server can do.

use toml::de::DeValue;

use super::super::axis::AxisValue;
use super::super::plan::Rate;
use super::super::problem::{Problem, Problems, quote};
use super::super::reader::{Value, unexpected};
use super::super::vocabulary::Key;

/// Requests a second that nobody can ask for on one machine.
const MOST: f64 = 10_000_000.0;
/// The largest share: ten times what the server can do.
const LARGEST_SHARE: f64 = 10.0;

/// Reads a rate, and how tables and ids show it.
pub fn read(key: &Key, value: &Value<'_>, problems: &mut Problems) -> Option<(Rate, AxisValue)> {
    let in_bounds = |rate: f64, most: f64| rate > 0.0 && rate <= most;
    let out_of_bounds = |shown: &str| {
        Problem::new(format!("`{}` is out of bounds: {shown}", key.name))
            .at(value.span(), format!("expected {}", key.kind.expectation()))
    };
    match value.get_ref() {
        DeValue::Integer(number) => {
            let count = i128::from_str_radix(number.as_str(), number.radix()).ok().and_then(|n| u32::try_from(n).ok());
            match count.filter(|count| in_bounds(f64::from(*count), MOST)) {
                Some(count) => return Some((Rate::PerSecond(count.into()), AxisValue::Number(count.into()))),
                None => problems.push(out_of_bounds(number.as_str())),
            }
        }
        DeValue::Float(number) => {
            let rate: f64 = number.as_str().replace('_', "").parse().unwrap_or(f64::NAN);
            if in_bounds(rate, MOST) {
                return Some((Rate::PerSecond(rate), AxisValue::Text(rate.to_string())));
            }
            problems.push(out_of_bounds(number.as_str()));
        }
        DeValue::String(text) => {
            let percent = text.strip_suffix('%').filter(|number| number.starts_with(|c: char| c.is_ascii_digit()));
            let Some(percent) = percent.and_then(|number| number.parse::<f64>().ok()) else {
                let mut problem = Problem::new(format!("`{}` is not a share: {}", key.name, quote(text)))
                    .at(value.span(), format!("expected {}", key.kind.expectation()));
                let number = text.split(['/', ' ']).next().unwrap_or_default();
                if number.parse::<f64>().is_ok_and(f64::is_finite) {
                    problem = problem.help(format!(
                        "{number} requests a second is {number} without quotes; \"{number}%\" is a share"
                    ));
                }
                problems.push(problem);
                return None;
            };
            if in_bounds(percent / 100.0, LARGEST_SHARE) {
                return Some((Rate::OfCapacity(percent / 100.0), AxisValue::Text(format!("{percent}%"))));
            }
            problems.push(out_of_bounds(&quote(text)).help("a share is above 0% and at most 1000%"));
        }
        _ => problems.push(unexpected(key, value)),
    }
    None
}
