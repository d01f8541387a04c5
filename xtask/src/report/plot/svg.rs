//! Elements of a picture, over the tree of the `svg` crate: numbers rounded, texts clean, hover texts.

use svg::node::Node as _;
pub(super) use svg::node::element::Element;

/// Which side of its point a text stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// An element with a class, which may be empty.
pub(super) fn element(name: &str, class: &str) -> Element {
    let mut element = Element::new(name);
    if !class.is_empty() {
        element.assign("class", class);
    }
    element
}

/// A number of pixels, to a tenth. What is no number would break the picture, and is a mistake of ours.
pub(super) fn number(value: f64) -> String {
    debug_assert!(value.is_finite(), "a coordinate is {value}");
    let value = if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 };
    // There is no minus zero in a picture.
    if value == 0.0 { "0".to_owned() } else { value.to_string() }
}

/// Text as XML allows it: without control signs.
pub(super) fn clean(text: &str) -> String {
    let is_allowed = |sign: char| !sign.is_control() && !matches!(sign, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|sign| if is_allowed(sign) { sign } else { ' ' }).collect()
}

/// The element with attributes that are numbers of pixels.
pub(super) fn with<const N: usize>(mut element: Element, attributes: [(&str, f64); N]) -> Element {
    for (name, value) in attributes {
        element.assign(name, number(value));
    }
    element
}

pub(super) fn group(class: &str, children: impl IntoIterator<Item = Element>) -> Element {
    let mut group = element("g", class);
    children.into_iter().for_each(|child| group.append(child));
    group
}

pub(super) fn rect(class: &str, [x, y, width, height]: [f64; 4]) -> Element {
    with(element("rect", class), [("x", x), ("y", y), ("width", width), ("height", height)])
}

pub(super) fn line(class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> Element {
    with(element("line", class), [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)])
}

pub(super) fn path(class: &str, data: &str) -> Element {
    let mut path = element("path", class);
    path.assign("d", data);
    path
}

/// A line through points; breaks where there is none.
pub(super) fn polyline(class: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Element {
    let mut data = String::new();
    for [x, y] in points {
        data += &format!("{}{} {}", if data.is_empty() { "M" } else { "L" }, number(x), number(y));
    }
    path(class, &data)
}

/// A line of text; `y` is its base line.
pub(super) fn text(class: &str, anchor: Anchor, [x, y]: [f64; 2], content: &str) -> Element {
    let mut text = with(element("text", class), [("x", x), ("y", y)]);
    match anchor {
        Anchor::Start => {}
        Anchor::Middle => text.assign("text-anchor", "middle"),
        Anchor::End => text.assign("text-anchor", "end"),
    }
    text.append(svg::node::Text::new(clean(content)));
    text
}

/// A line of text that begins at its point and goes up by 45°.
pub(super) fn slanted(class: &str, at: [f64; 2], content: &str) -> Element {
    let mut text = text(class, Anchor::Start, at, content);
    text.assign("transform", format!("rotate(-45 {} {})", number(at[0]), number(at[1])));
    text
}

/// The element with a text that shows while the pointer is over it, and that screen readers can read.
pub(super) fn hover(mut element: Element, content: &str) -> Element {
    let mut title = Element::new("title");
    title.append(svg::node::Text::new(clean(content)));
    element.append(title);
    element
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_decimal_at_most() {
        assert_eq!([0.0, -0.04, 12.0, 3.26159, -2.25].map(number), ["0", "0", "12", "3.3", "-2.3"]);
    }

    #[test]
    fn markup_in_a_text_stays_text() {
        let drawn = hover(text("a", Anchor::End, [1.0, 2.0], "<b> & \u{1b}[31m|\"'"), "x < y").to_string();
        assert!(drawn.contains("&lt;b&gt; &amp;  [31m|\"'"), "{drawn}");
        assert!(drawn.contains("<title>x &lt; y</title>"), "{drawn}");
    }
}
