//! From figures to pixels: scales, and the places worth a tick.

/// How figures are spread over pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Spacing {
    /// The same difference is the same distance.
    Linear,
    /// The same ratio is the same distance.
    Logarithmic,
}

/// Maps figures to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    spacing: Spacing,
    /// The figures at both ends.
    figures: [f64; 2],
    /// The pixels at both ends.
    pixels: [f64; 2],
}

/// Figures further apart than this many times are spread by their ratio.
const LINEAR_UP_TO: f64 = 20.0;

impl Scale {
    /// From 0 to a little beyond the largest figure.
    pub fn linear(most: f64, pixels: [f64; 2]) -> Self {
        let most = if most.is_finite() && most > 0.0 { most * 1.04 } else { 1.0 };
        Self { spacing: Spacing::Linear, figures: [0.0, most], pixels }
    }

    /// From the smallest figure above 0 to the largest, by ratio, with a little room at both ends.
    pub fn logarithmic(figures: impl IntoIterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let (least, most) = range(figures).unwrap_or((1.0, 10.0));
        // One figure alone still has a scale to stand on.
        let room = (most / least).powf(0.04).max(1.05);
        Self { spacing: Spacing::Logarithmic, figures: [least / room, most * room], pixels }
    }

    /// From 0, or by ratio where the figures are too far apart to be seen side by side.
    pub fn fitting(figures: impl Iterator<Item = f64> + Clone, pixels: [f64; 2]) -> Self {
        match range(figures.clone()) {
            Some((least, most)) if most > least * LINEAR_UP_TO => Self::logarithmic(figures, pixels),
            Some((_, most)) => Self::linear(most, pixels),
            None => Self::linear(1.0, pixels),
        }
    }

    /// Where a figure is; what lies beyond an end is at that end.
    pub fn at(&self, figure: f64) -> f64 {
        let [from, to] = self.figures;
        let share = match self.spacing {
            Spacing::Linear => (figure - from) / (to - from),
            Spacing::Logarithmic => (figure.max(from) / from).ln() / (to / from).ln(),
        };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.pixels[0] + share * (self.pixels[1] - self.pixels[0])
    }

    /// Whether the same ratio is the same distance.
    pub fn is_logarithmic(&self) -> bool {
        self.spacing == Spacing::Logarithmic
    }

    /// The figure at the far end.
    pub fn most(&self) -> f64 {
        self.figures[1]
    }

    /// Round figures within the scale, `most` at most.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let [from, to] = self.figures;
        let most = most.max(2);
        match self.spacing {
            Spacing::Linear => {
                let step = round_step(to / most as f64);
                (0..=most).map(|index| index as f64 * step).filter(|tick| *tick <= to * 1.000_001).collect()
            }
            Spacing::Logarithmic => {
                // The finest steps that do not give too many.
                const STEPS: [&[f64]; 5] = [
                    &[1.0, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
                    &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
                    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
                    &[1.0, 2.0, 5.0],
                    &[1.0, 3.0],
                ];
                let candidates = STEPS.iter().map(|steps| decades(from, to, steps, 1));
                let wide = (1..40).map(|stride| decades(from, to, &[1.0], stride));
                candidates.chain(wide).find(|ticks| ticks.len() <= most).unwrap_or_default()
            }
        }
    }
}

/// Smallest and largest of the figures that are numbers above 0.
pub(super) fn range(figures: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let known = figures.into_iter().filter(|figure| figure.is_finite() && *figure > 0.0);
    known.fold(None, |range: Option<(f64, f64)>, figure| {
        let (least, most) = range.unwrap_or((figure, figure));
        Some((least.min(figure), most.max(figure)))
    })
}

/// 1, 2, 2.5 or 5 times a power of ten, and no smaller than asked.
fn round_step(at_least: f64) -> f64 {
    let power = 10_f64.powf(at_least.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= at_least * 0.999_999).unwrap_or(at_least)
}

/// These multiples of every `stride`th power of ten, as far as they lie between two figures.
fn decades(from: f64, to: f64, steps: &[f64], stride: usize) -> Vec<f64> {
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let powers = (first..=last).filter(|power| power.rem_euclid(stride as i32) == 0).map(|power| 10_f64.powi(power));
    let all = powers.flat_map(|power| steps.iter().map(move |step| step * power));
    all.filter(|tick| (from..=to).contains(tick)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_scale_begins_at_zero() {
        let scale = Scale::linear(100.0, [10.0, 114.0]);
        assert_eq!([0.0, 50.0, 100.0].map(|figure| scale.at(figure).round()), [10.0, 60.0, 110.0]);
        assert_eq!(scale.ticks(6), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
    }

    #[test]
    fn figures_far_apart_are_spread_by_ratio() {
        let near = [50.0, 90.0];
        let far = [1.0, 100.0];
        assert!(!Scale::fitting(near.into_iter(), [0.0, 1.0]).is_logarithmic());
        let scale = Scale::fitting(far.into_iter(), [0.0, 100.0]);
        assert_eq!(scale.at(10.0).round(), 50.0);
        assert_eq!(scale.ticks(7), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
    }

    #[test]
    fn ratios_around_one_have_ticks_around_one() {
        let ticks = Scale::logarithmic([0.9, 1.0, 1.3], [0.0, 100.0]).ticks(6);
        assert_eq!(ticks, [0.9, 1.0, 1.1, 1.2, 1.3]);
    }

    #[test]
    fn nothing_to_draw_is_no_reason_for_what_is_no_number() {
        for scale in [
            Scale::fitting(std::iter::empty(), [0.0, 9.0]),
            Scale::logarithmic([f64::NAN, -1.0, 0.0], [0.0, 9.0]),
            Scale::logarithmic([7.0], [0.0, 9.0]),
            Scale::linear(f64::INFINITY, [0.0, 9.0]),
        ] {
            for figure in [0.0, -1.0, 7.0, f64::NAN, f64::INFINITY] {
                assert!((0.0..=9.0).contains(&scale.at(figure)), "{scale:?} {figure}");
            }
            assert!(!scale.ticks(5).is_empty(), "{scale:?}");
        }
    }

    #[test]
    fn many_decades_have_few_ticks() {
        let ticks = Scale::logarithmic([1.0, 1e12], [0.0, 1.0]).ticks(6);
        assert!((3..=6).contains(&ticks.len()), "{ticks:?}");
    }
}
