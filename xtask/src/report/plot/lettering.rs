//! How much room a text takes, and what is done where there is less.
//!
//! A picture is drawn without knowing the font that it will be seen in, so widths are estimates on the safe side: those of
//! DejaVu Sans, the widest font that is commonly found where a page asks for `sans-serif`.

use unicode_width::UnicodeWidthChar;

/// Height of ordinary text in pixels.
pub(super) const SIZE: f64 = 12.0;

/// Height of small text: axes, notes.
pub(super) const SMALL: f64 = 11.0;

/// How much wider letters are in strong type.
pub(super) const STRONG: f64 = 1.07;

/// A text that was measured fits into its own width, whatever order its widths are added in.
const ROUNDING: f64 = 0.01;

/// Width of a text of this size, in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// Width of a sign, of a text that is one high.
fn advance(sign: char) -> f64 {
    match sign {
        'i' | 'j' | 'l' | 'I' | '\'' | '|' | '.' | ',' | ':' | ';' | ' ' | '·' => 0.36,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' | '!' | '"' => 0.45,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '→' | '—' => 1.0,
        '=' | '<' | '>' | '+' | '×' | '≥' | '≤' | '≈' | '▲' | '▼' | '◆' | '&' => 0.84,
        sign if sign.is_uppercase() => 0.78,
        sign => match sign.width() {
            None | Some(0) => 0.0,
            Some(1) => 0.64,
            Some(_) => 1.1,
        },
    }
}

/// The text in as many lines as allowed, none wider than the room, broken between words where that is possible. What does
/// not fit is cut, with an ellipsis for it.
pub(super) fn lines(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let text = super::svg::clean(text);
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && lines.len() < most {
        if lines.len() + 1 == most {
            lines.push(cut(rest, size, room));
            break;
        }
        let end = fitting(rest, size, room);
        let end = if end == rest.len() { end } else { word_break(rest, end) };
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines
}

/// The text in as many lines as allowed, if no word has to be broken or cut for that.
pub(super) fn whole_words(text: &str, size: f64, room: f64, most: usize) -> Option<Vec<String>> {
    let lines = lines(text, size, room, most);
    let text = super::svg::clean(text);
    let are_whole = lines.iter().flat_map(|line| words(line)).eq(words(&text));
    are_whole.then_some(lines)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_break).filter(|word| !word.is_empty())
}

/// Whether a new line may begin behind it.
fn is_break(sign: char) -> bool {
    matches!(sign, ' ' | ',' | '-' | '/' | '_')
}

/// The text on one line, cut where it is wider than the room.
pub(super) fn cut(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room + ROUNDING {
        return text.to_owned();
    }
    let end = fitting(text, size, room - width("…", size));
    format!("{}…", text[..end].trim_end())
}

/// A name on one line, without its middle where it is wider than the room: names that begin alike often differ in their ends.
pub(super) fn shorten(name: &str, size: f64, room: f64) -> String {
    if width(name, size) <= room + ROUNDING {
        return name.to_owned();
    }
    let each = (room - width("…", size)) / 2.0;
    let start = &name[..fitting(name, size, each)];
    let mut rest = 0.0;
    let fits = name.char_indices().rev().take_while(|(_, sign)| {
        rest += advance(*sign) * size;
        rest <= each + ROUNDING
    });
    let end = &name[fits.last().map_or(name.len(), |(index, _)| index).max(start.len())..];
    // A mark without the sign that it stands on would stand on the ellipsis.
    let end = end.trim_start_matches(|sign| advance(sign) == 0.0);
    format!("{}…{}", start.trim_end(), end.trim_start())
}

/// A name in as many lines as allowed, without its middle where it does not fit.
pub(super) fn name_lines(name: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let whole = lines(name, size, room, most + 1);
    if whole.len() <= most {
        return whole;
    }
    // Lines break between words, so they are not filled to their ends.
    lines(&shorten(name, size, 0.8 * room * most as f64), size, room, most)
}

/// How many bytes of the text fit into the room: at least its first sign.
fn fitting(text: &str, size: f64, room: f64) -> usize {
    let mut taken = 0.0;
    for (index, sign) in text.char_indices() {
        taken += advance(sign) * size;
        if taken > room + ROUNDING && index > 0 {
            return index;
        }
    }
    text.len()
}

/// The last place up to `end` behind which a new line may begin; `end` where there is none.
fn word_break(text: &str, end: usize) -> usize {
    let mut breaks = text[..end].char_indices().filter(|(_, sign)| is_break(*sign));
    breaks.next_back().map(|(index, sign)| index + sign.len_utf8()).filter(|&index| index > end / 3).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays_as_it_is() {
        assert_eq!(lines("threads", SIZE, 100.0, 2), ["threads"]);
        assert_eq!(lines("", SIZE, 100.0, 2), [""; 0]);
    }

    #[test]
    fn a_long_text_breaks_between_words_and_is_cut_at_last() {
        let text = "a-name-that-goes-on and on and on without any end in sight at all";
        let lines = lines(text, SIZE, 120.0, 2);
        assert_eq!(lines, ["a-name-that-", "goes-on and on…"]);
        assert!(lines.iter().all(|line| width(line, SIZE) <= 120.0));
    }

    #[test]
    fn a_word_without_end_is_broken_anywhere() {
        let lines = lines(&"x".repeat(80), SIZE, 200.0, 9);
        assert_eq!(lines.concat(), "x".repeat(80));
        assert!(lines.iter().all(|line| width(line, SIZE) <= 200.0));
    }

    #[test]
    fn of_a_long_name_start_and_end_stay() {
        let name = |lock: &str| format!("task = 資料庫查詢與非常長的名稱超過四十個字元, lock = {lock}");
        let (gil, none) = (name("gil"), name("none"));
        assert_eq!(shorten(&gil, SIZE, 230.0), "task = 資料庫查…字元, lock = gil");
        assert!(width(&shorten(&gil, SIZE, 230.0), SIZE) <= 230.0);
        assert_ne!(name_lines(&gil, SIZE, 130.0, 2), name_lines(&none, SIZE, 130.0, 2));
        assert!(name_lines(&none, SIZE, 130.0, 2).iter().all(|line| width(line, SIZE) <= 130.0));
        assert_eq!(shorten("threads", SIZE, 200.0), "threads");
        assert_eq!(shorten(&"e\u{301}".repeat(9), SIZE, 30.0), "e\u{301}…e\u{301}");
    }

    #[test]
    fn words_stay_whole_or_there_are_no_lines() {
        let room = width("stealing", SIZE);
        assert_eq!(whole_words("work-stealing", SIZE, room, 2).unwrap(), ["work-", "stealing"]);
        assert_eq!(whole_words("work-stealing", SIZE, room, 1), None, "one line is not enough");
        assert_eq!(whole_words("work-stealing", SIZE, room - 5.0, 2), None, "a word would be broken");
        assert_eq!(whole_words("a-stealing", SIZE, room, 9), None, "so near to the end no new line begins");
    }

    #[test]
    fn wide_signs_take_more_room() {
        assert!(width("並列", SIZE) > width("ab", SIZE));
        assert_eq!(width("e\u{301}", SIZE), width("e", SIZE));
    }
}
