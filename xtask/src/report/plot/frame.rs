//! What surrounds every picture: ground, heading, description, notes, and small parts that several pictures share.

use svg::node::Node as _;

use super::lettering::{self, SIZE, SMALL};
use super::palette;
use super::series::{Mark, Series};
use super::svg::{Anchor, Element, element, group, line, number, path, rect, text};
use crate::number::grouped;

/// Width of all pictures: about that of a page on a code host.
pub(super) const WIDTH: f64 = 840.0;

/// Room between the edge and everything else.
pub(super) const MARGIN: f64 = 16.0;

/// Where the first thing below the heading may begin.
pub(super) const TOP: f64 = 52.0;

/// A picture that is being drawn.
pub(super) struct Frame {
    /// In front of every id.
    prefix: String,
    title: String,
    subtitle: String,
    alt: String,
    content: Vec<Element>,
    notes: Vec<String>,
}

impl Frame {
    /// A picture with a heading, a line below it that says how to read it, and a description in words.
    pub fn new(prefix: &str, title: &str, subtitle: &str, alt: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            title: title.to_owned(),
            subtitle: subtitle.to_owned(),
            alt: alt.to_owned(),
            content: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Draws on top of what is there.
    pub fn add(&mut self, element: Element) {
        self.content.push(element);
    }

    /// A line below the picture.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// A line below the picture that says how many things are not drawn, where some are not.
    pub fn left_out(&mut self, drawn: usize, all: usize, what: &str) {
        if all > drawn {
            let [rest, all] = [all - drawn, all].map(|number| grouped(number as u64));
            self.note(format!("{rest} of {all} {what} are not drawn; the table has all."));
        }
    }

    /// The text of the picture, of which `bottom` is the lower end of what was drawn.
    pub fn finish(self, bottom: f64) -> String {
        let room = WIDTH - 2.0 * MARGIN;
        let notes: Vec<String> = self.notes.iter().flat_map(|note| lettering::lines(note, SMALL, room, 4)).collect();
        let height = (bottom + 15.0 * notes.len() as f64 + if notes.is_empty() { 12.0 } else { 20.0 }).ceil();
        let id = |what: &str| format!("{}-{what}", self.prefix);
        let mut root = element("svg", palette::ROOT);
        for (name, value) in [
            ("xmlns", "http://www.w3.org/2000/svg".to_owned()),
            ("viewBox", format!("0 0 {} {}", number(WIDTH), number(height))),
            ("width", number(WIDTH)),
            ("height", number(height)),
            ("role", "img".to_owned()),
            ("aria-labelledby", format!("{} {}", id("title"), id("desc"))),
        ] {
            root.assign(name, value);
        }
        for (name, content) in [("title", &self.title), ("desc", &self.alt)] {
            let mut said = element(name, "");
            said.assign("id", id(name));
            said.append(svg::node::Text::new(super::svg::clean(content)));
            root.append(said);
        }
        let mut style = element("style", "");
        style.append(svg::node::Text::new(palette::style_sheet()));
        root.append(style);
        root.append(rect("paper", [0.0, 0.0, WIDTH, height]));
        root.append(text(
            "head ink",
            Anchor::Start,
            [MARGIN, 25.0],
            &lettering::cut(&self.title, 14.0 * lettering::STRONG, room),
        ));
        root.append(text("small muted", Anchor::Start, [MARGIN, 42.0], &lettering::cut(&self.subtitle, SMALL, room)));
        self.content.into_iter().for_each(|element| root.append(element));
        for (index, note) in notes.iter().enumerate() {
            let at = [MARGIN, bottom + 18.0 + 15.0 * index as f64];
            root.append(text("small muted", Anchor::Start, at, note));
        }
        format!("{root}\n")
    }
}

/// An entry of a legend.
pub(super) struct Entry {
    /// How the series looks.
    pub series: Series,
    /// Its name.
    pub name: String,
    /// Whether it is a line.
    pub is_line: bool,
}

/// A legend in as many lines as it takes, and how high it is.
pub(super) fn legend(entries: &[Entry], [x, y]: [f64; 2], room: f64) -> (Element, f64) {
    const SWATCH: f64 = 26.0;
    const LINE: f64 = 18.0;
    let (mut at, mut top) = (x, y);
    let mut parts = Vec::new();
    for entry in entries {
        let name = lettering::shorten(&entry.name, SIZE, room.min(360.0) - SWATCH);
        let width = SWATCH + lettering::width(&name, SIZE) + 14.0;
        if at > x && at + width > x + room {
            (at, top) = (x, top + LINE);
        }
        let middle = [at + 10.0, top + 8.0];
        if entry.is_line {
            parts.push(line(&entry.series.line(), [at, middle[1]], [at + 20.0, middle[1]]));
        }
        parts.push(entry.series.marker(middle, 3.6, Mark::Figure, &entry.name));
        parts.push(text("ink", Anchor::Start, [at + SWATCH, top + 12.0], &name));
        at += width;
    }
    let height = if entries.is_empty() { 0.0 } else { top + LINE - y };
    (group("", parts), height)
}

/// A whisker: a line between two figures with an end at each.
pub(super) fn whisker(class: &str, [from, to]: [f64; 2], y: f64, end: f64) -> Element {
    let (from, to, top, bottom) = (number(from), number(to), number(y - end), number(y + end));
    path(class, &format!("M{from} {top}V{bottom}M{from} {}H{to}M{to} {top}V{bottom}", number(y)))
}
