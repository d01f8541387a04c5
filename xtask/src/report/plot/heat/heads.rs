//! What stands above the columns of a map: across where all words stay whole, else all of them slanted.

use std::f64::consts::FRAC_1_SQRT_2;

use super::super::frame::Frame;
use super::super::lettering::{self, SMALL, STRONG};
use super::super::svg::{Anchor, hover, slanted, text};

/// Most lines of a head that stands across, and how high one is.
const MOST_LINES: usize = 3;
const LINE: f64 = 14.0;

/// Widest column.
const WIDEST: f64 = 110.0;

/// Longest slanted head, before it is cut.
const LONGEST: f64 = 170.0;

/// How far left of the middle of its column a slanted head begins, so that it stands above it.
const BACK: f64 = 4.0;

/// The heads of all columns, and how wide a column is.
pub(super) struct Heads<'a> {
    names: &'a [String],
    /// From one column to the next.
    pub step: f64,
    form: Form,
}

enum Form {
    /// The lines of each.
    Across(Vec<Vec<String>>),
    /// What each says.
    Slanted(Vec<String>),
}

impl<'a> Heads<'a> {
    /// Heads for columns that have so much room together; `None` where there are no columns.
    pub fn of(names: &'a [String], room: f64) -> Option<Self> {
        (!names.is_empty()).then_some(())?;
        let step = (room / names.len() as f64).min(WIDEST);
        let across = names.iter().map(|name| lettering::whole_words(name, STRONG * SMALL, step - 8.0, MOST_LINES));
        if let Some(lines) = across.collect() {
            return Some(Self { names, step, form: Form::Across(lines) });
        }
        let said: Vec<String> = names.iter().map(|name| lettering::shorten(name, STRONG * SMALL, LONGEST)).collect();
        // The last ones lean over the end of their columns, and must not leave the picture.
        let steps = said.iter().enumerate().map(|(index, name)| (room - reach(name) + BACK) / (index as f64 + 0.5));
        let step = steps.fold(step, f64::min);
        Some(Self { names, step, form: Form::Slanted(said) })
    }

    /// How wide all columns are together.
    pub fn width(&self) -> f64 {
        self.step * self.names.len() as f64
    }

    /// How high the heads are.
    pub fn height(&self) -> f64 {
        match &self.form {
            Form::Across(heads) => LINE * heads.iter().map(Vec::len).max().unwrap_or(0) as f64,
            Form::Slanted(heads) => heads.iter().map(|head| reach(head)).fold(LINE, f64::max),
        }
    }

    /// Draws them below `top`, the first column of which begins at `left`.
    pub fn draw(&self, frame: &mut Frame, [left, top]: [f64; 2]) {
        let bottom = top + self.height();
        for (index, name) in self.names.iter().enumerate() {
            let middle = left + (index as f64 + 0.5) * self.step;
            match &self.form {
                Form::Across(heads) => {
                    for (above, line) in heads[index].iter().rev().enumerate() {
                        let at = [middle, bottom - LINE * above as f64];
                        frame.add(hover(text("small strong ink", Anchor::Middle, at, line), name));
                    }
                }
                Form::Slanted(heads) => {
                    let at = [middle - BACK, bottom];
                    frame.add(hover(slanted("small strong ink", at, &heads[index]), name));
                }
            }
        }
    }
}

/// How far a slanted text goes to the right, and up, from where it begins; the height of its letters included.
fn reach(text: &str) -> f64 {
    (lettering::width(text, STRONG * SMALL) + SMALL) * FRAC_1_SQRT_2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_stand_across_where_their_words_have_room() {
        let names = names(&["sequential", "work-stealing", "offload-rayon"]);
        let heads = Heads::of(&names, 270.0).unwrap();
        let Form::Across(lines) = &heads.form else { panic!("slanted") };
        assert_eq!(lines, &[vec!["sequential"], vec!["work-", "stealing"], vec!["offload-", "rayon"]]);
        assert_eq!((heads.step, heads.height()), (90.0, 28.0));
    }

    #[test]
    fn names_are_slanted_and_whole_where_a_word_would_be_broken() {
        let models = "sequential threads processes async loops work-stealing rayon offload offload-rayon ractors subinterpreters";
        let names = names(&models.split(' ').collect::<Vec<_>>());
        let heads = Heads::of(&names, 590.0).unwrap();
        let Form::Slanted(said) = &heads.form else { panic!("across") };
        assert_eq!(said, &names);
        let last = 10.5 * heads.step - BACK + reach(&names[10]);
        assert!(last <= 590.0 + 0.01, "the last one ends at {last}");
        assert!(heads.step > 45.0, "{}", heads.step);
    }

    #[test]
    fn a_very_long_name_is_cut() {
        let names = names(&["x".repeat(80).as_str(), "short"]);
        let heads = Heads::of(&names, 500.0).unwrap();
        let Form::Slanted(said) = &heads.form else { panic!("across") };
        assert!(said[0].contains('…') && said[1] == "short", "{said:?}");
        assert!(heads.height() <= 140.0, "{}", heads.height());
    }

    #[test]
    fn without_columns_there_are_no_heads() {
        assert!(Heads::of(&[], 500.0).is_none());
    }
}
