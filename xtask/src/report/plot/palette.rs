//! The colours of a picture in light and in dark, and the style sheet that holds them.
//!
//! Series have the hues of Okabe and Ito's palette for all kinds of colour vision ("Color Universal Design", 2008), made
//! darker on white and lighter on black until each has a contrast of 3 to 1 with its ground (WCAG 2.2, 1.4.11). They are told
//! apart without colour too: by marker and by dashes, see [`series`](super::series).
//!
//! Pictures bring their own ground, as a code host shows them on a page whose colours they cannot know.

/// A colour on a light ground and on a dark one.
pub(super) type Shades = [&'static str; 2];

/// The ground.
pub(super) const PAPER: Shades = ["#ffffff", "#0d1117"];
/// Text, and what is as important.
pub(super) const INK: Shades = ["#1f2328", "#e6edf3"];
/// Text that is read second.
pub(super) const MUTED: Shades = ["#59636e", "#9aa4af"];
/// Lines to hold figures against.
const GRID: Shades = ["#e2e6ea", "#252c35"];
/// Frames and axes.
const AXIS: Shades = ["#9aa4af", "#59636e"];
/// The noise floor.
const BAND: Shades = ["#dde3ea", "#2a323c"];

/// What has no place in the palette is ink.
pub(super) const SERIES: [Shades; 10] = [
    ["#57606a", "#b6c0ca"], // grey
    ["#0072b2", "#4aa8f0"], // blue
    ["#b06d00", "#e69f00"], // orange
    ["#b0508f", "#e08fc0"], // reddish purple
    ["#00855f", "#2fc79a"], // bluish green
    ["#d55e00", "#ff8552"], // vermillion
    ["#2c8fc9", "#9bdcff"], // sky blue
    ["#857400", "#f0e442"], // yellow
    ["#6e4aa8", "#b79cf0"], // violet
    ["#9c1f2e", "#ff9aa2"], // dark red
];

/// Grounds of a heat map, from much slower to much faster; the middle one is "as fast". Ink can be read on all of them.
pub(super) const HEAT: [Shades; 9] = [
    ["#e0913a", "#8a4b00"],
    ["#f0b36b", "#6e3d05"],
    ["#f9d2a4", "#523008"],
    ["#fce9d3", "#36250f"],
    ["#f3f4f6", "#1c222b"],
    ["#dcebf6", "#14293d"],
    ["#b5d6ee", "#163a5c"],
    ["#86bce3", "#1a4c7c"],
    ["#5a9fd4", "#1f5f9e"],
];

/// The class of the root element. Every rule of the style sheet is below it, so a page that holds the picture is untouched.
pub(super) const ROOT: &str = "parallax-plot";

/// The text of the style sheet. Several pictures on one page may each bring it: it is the same.
pub(in crate::report) fn style_sheet() -> String {
    let root = format!(".{ROOT}");
    let mut text = format!(
        "{root}{{font-family:system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;font-size:12px}}\
         {root} .small{{font-size:11px}}{root} .strong{{font-weight:600}}{root} .head{{font-size:14px;font-weight:600}}\
         {root} .thin{{fill:none;stroke-width:1}}{root} .mid{{fill:none;stroke-width:1.7}}\
         {root} .median{{fill:none;stroke-width:2}}{root} .dash{{stroke-dasharray:6 4}}{root} .long{{stroke-dasharray:12 3 3 3}}{root} .dot{{stroke-dasharray:1.5 3}}\
         {root} .hollow{{fill:none;stroke-width:1.2}}{root} .run{{fill-opacity:.62}}\n"
    );
    for (shade, media) in ["", "screen and (prefers-color-scheme:dark)"].into_iter().enumerate() {
        let rules = rules(&root, shade);
        text += &if media.is_empty() { rules } else { format!("@media {media}{{{rules}}}\n") };
    }
    text
}

fn rules(root: &str, shade: usize) -> String {
    let mut text = String::new();
    for (class, shades) in [("ink", INK), ("muted", MUTED)] {
        text += &format!("{root} .{class}{{fill:{}}}", shades[shade]);
    }
    for (class, shades) in [("paper", PAPER), ("band", BAND)] {
        text += &format!("{root} .{class}{{fill:{}}}", shades[shade]);
    }
    for (class, shades) in [("grid", GRID), ("axis", AXIS), ("stroke", INK), ("soft", MUTED)] {
        text += &format!("{root} .{class}{{stroke:{}}}", shades[shade]);
    }
    for (index, shades) in SERIES.iter().enumerate() {
        let colour = shades[shade];
        // A line says `l`, a marker `m`: the one has no fill, the other no stroke unless it is hollow.
        text += &format!("{root} .l{index}{{stroke:{colour}}}{root} .m{index}{{fill:{colour}}}");
    }
    for (index, shades) in HEAT.iter().enumerate() {
        text += &format!("{root} .h{index}{{fill:{}}}", shades[shade]);
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, WCAG 2.2.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn contrast_is_as_the_guidelines_define_it() {
        assert_eq!(contrast("#000000", "#ffffff").round(), 21.0);
    }

    #[test]
    fn marks_stand_out_from_the_ground_in_light_and_in_dark() {
        for shades in SERIES {
            for (colour, paper) in shades.into_iter().zip(PAPER) {
                assert!(contrast(colour, paper) >= 3.0, "{colour} on {paper}: {:.2}", contrast(colour, paper));
            }
        }
    }

    #[test]
    fn text_can_be_read_wherever_it_stands() {
        let grounds = HEAT.into_iter().chain([PAPER, BAND]).map(|ground| (INK, ground)).chain([(MUTED, PAPER)]);
        for (text, ground) in grounds {
            for shade in [0, 1] {
                let contrast = contrast(text[shade], ground[shade]);
                assert!(contrast >= 4.5, "{} on {}: {contrast:.2}", text[shade], ground[shade]);
            }
        }
    }

    #[test]
    fn every_rule_is_below_the_root() {
        let sheet = style_sheet();
        let selectors = sheet.split(['{', '}', '\n']).filter(|part| part.contains('.') && !part.contains(':'));
        for selector in selectors.filter(|selector| !selector.is_empty()) {
            assert!(selector.starts_with(".parallax-plot"), "{selector}");
        }
        assert!(!sheet.contains(['<', '>', '&']), "markup in the style sheet");
    }
}
