//! Text that somebody else wrote: names, ids, sentences, what a worker printed.
//!
//! `maud` escapes whatever is spliced in, so no text can become markup. Here it is also isolated, so that a name in a script
//! that runs from right to left leaves its neighbours where they are, and freed of control signs.

use maud::{Markup, Render, html};

/// A text from outside, as text.
pub(in crate::report) struct Words<'a>(pub &'a str);

impl Render for Words<'_> {
    fn render(&self) -> Markup {
        html! { bdi { (clean(self.0)) } }
    }
}

/// The text without control signs, which no page may hold; for attributes, which cannot be isolated.
pub(in crate::report) fn clean(text: &str) -> String {
    let is_allowed = |sign: char| matches!(sign, '\n' | '\t') || !sign.is_control();
    text.chars().map(|sign| if is_allowed(sign) { sign } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup_and_keeps_its_direction_to_itself() {
        let said = html! { b title=(clean("a\"b\u{7}")) { (Words("<i>&|\u{5d0}\u{1b}[1m")) } };
        assert_eq!(said.into_string(), "<b title=\"a&quot;b \"><bdi>&lt;i&gt;&amp;|\u{5d0} [1m</bdi></b>");
    }
}
