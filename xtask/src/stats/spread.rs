//! Median, smallest and largest of the runs of a cell.

use std::cmp::Ordering;

use super::summary::Spread;

/// A number that has a median.
pub trait Figure: Copy {
    /// The order of two of them. Figures are never NaN: nothing is divided by zero before it gets here.
    fn order(&self, other: &Self) -> Ordering;

    /// The mean of two, the first not above the second.
    #[must_use]
    fn between(low: Self, high: Self) -> Self;
}

impl Figure for u64 {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn between(low: Self, high: Self) -> Self {
        low.midpoint(high)
    }
}

impl Figure for f64 {
    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }

    fn between(low: Self, high: Self) -> Self {
        low.midpoint(high)
    }
}

/// The middle value; the mean of the middle two where their number is even; `None` where there is none.
#[must_use]
pub fn median<T: Figure>(values: &[T]) -> Option<T> {
    Some(Spread::of(values.to_vec())?.median)
}

impl<T: Figure> Spread<T> {
    /// The spread of these values, which stay in their order; `None` where there are none.
    #[must_use]
    pub fn of(values: Vec<T>) -> Option<Self> {
        let mut sorted = values.clone();
        sorted.sort_by(T::order);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { T::between(sorted[middle - 1], sorted[middle]) };
        Some(Self { median, min, max, values })
    }

    /// Smallest and largest, where there is more than one value: a single run says nothing about a range.
    #[must_use]
    pub fn range(&self) -> Option<(T, T)> {
        (self.values.len() > 1).then_some((self.min, self.max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_one_and_values_keep_their_order() {
        let spread = Spread::of(vec![30_u64, 10, 20]).unwrap();
        assert_eq!((spread.median, spread.min, spread.max), (20, 10, 30));
        assert_eq!(spread.values, [30, 10, 20]);
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(median(&[40_u64, 10, 20, 31]), Some(25));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[u64::MAX, u64::MAX]), Some(u64::MAX));
    }

    #[test]
    fn one_run_has_a_median_and_no_range() {
        let spread = Spread::of(vec![7_u64]).unwrap();
        assert_eq!((spread.median, spread.range()), (7, None));
        assert_eq!(Spread::of(vec![7_u64, 9]).unwrap().range(), Some((7, 9)));
    }

    #[test]
    fn no_runs_have_no_median() {
        assert_eq!(median::<u64>(&[]), None);
    }
}
