//! Bytes of a worker's pipes → lines, in bounded memory. No pipe is read here.

use std::collections::VecDeque;

/// The longest line that is taken for an answer.
pub const LONGEST_LINE: usize = 1 << 20;
/// How many lines of stderr are kept.
const TAIL_LINES: usize = 20;
/// How many bytes of each of them.
const TAIL_LINE_BYTES: usize = 400;
/// How much of an unfinished line a report shows, in characters.
const EXCERPT_CHARS: usize = 120;

/// A line was longer than [`LONGEST_LINE`].
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

/// The lines of stdout.
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// So far there is no line feed.
    scanned: usize,
}

impl Lines {
    /// Takes in what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole line, without its line feed.
    pub fn next_line(&mut self) -> Option<Result<String, TooLong>> {
        let Some(end) = self.bytes[self.scanned..].iter().position(|&byte| byte == b'\n') else {
            self.scanned = self.bytes.len();
            return self.is_full().then_some(Err(TooLong));
        };
        let end = self.scanned + end;
        let line = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        self.bytes.drain(..=end);
        self.scanned = 0;
        Some(if line.len() > LONGEST_LINE { Err(TooLong) } else { Ok(line) })
    }

    /// Whether an unfinished line is already too long, so that reading on is of no use.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.scanned > LONGEST_LINE
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Forgets the bytes if they are many.
    pub fn discard_excess(&mut self) {
        if self.bytes.len() > LONGEST_LINE {
            self.bytes.clear();
            self.scanned = 0;
        }
    }

    /// What is left, shortened for a report.
    #[must_use]
    pub fn excerpt(&self) -> String {
        let start = &self.bytes[..self.bytes.len().min(4 * EXCERPT_CHARS)];
        String::from_utf8_lossy(start).trim_end().chars().take(EXCERPT_CHARS).collect()
    }
}

/// The last lines of stderr.
#[derive(Debug, Default)]
pub struct Tail {
    lines: VecDeque<String>,
    current: Vec<u8>,
    cut: bool,
}

impl Tail {
    /// Takes in what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        // The search of the standard library is fast in a debug build too.
        if !bytes.contains(&b'\n') {
            return self.extend(bytes);
        }
        let mut rest = bytes;
        // Of a flood only the end is looked at: the line feed before the last lines, if there are more than those.
        let feeds = bytes.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
        if let Some((index, _)) = feeds.take(TAIL_LINES + 1).nth(TAIL_LINES) {
            self.current.clear();
            self.cut = false;
            rest = &bytes[index + 1..];
        }
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.extend(&rest[..end]);
            self.finish_line();
            rest = &rest[end + 1..];
        }
        self.extend(rest);
    }

    /// The lines that are kept, the unfinished one included.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let unfinished = (!self.current.is_empty()).then(|| self.text());
        let skip = usize::from(unfinished.is_some() && self.lines.len() == TAIL_LINES);
        self.lines.iter().skip(skip).cloned().chain(unfinished).collect()
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = TAIL_LINE_BYTES - self.current.len();
        self.current.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.cut |= bytes.len() > room;
    }

    fn finish_line(&mut self) {
        if self.lines.len() == TAIL_LINES {
            self.lines.pop_front();
        }
        let line = self.text();
        self.lines.push_back(line);
        self.current.clear();
        self.cut = false;
    }

    /// The current line without what could move a terminal's cursor or change its colours.
    fn text(&self) -> String {
        let mut text: String = String::from_utf8_lossy(&self.current)
            .chars()
            .map(|c| if c == '\t' { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        if self.cut {
            text.push('…');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_come_in_pieces() {
        let mut lines = Lines::default();
        lines.push(b"on");
        assert_eq!(lines.next_line(), None);
        lines.push(b"e\ntwo\nthr");
        assert_eq!(lines.next_line(), Some(Ok("one".into())));
        assert_eq!(lines.next_line(), Some(Ok("two".into())));
        assert_eq!(lines.next_line(), None);
        assert_eq!(lines.excerpt(), "thr");
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        let mut lines = Lines::default();
        for _ in 0..=16 {
            assert!(!lines.is_full());
            lines.push(&[b'x'; LONGEST_LINE / 16]);
            if let Some(line) = lines.next_line() {
                assert_eq!(line, Err(TooLong));
            }
        }
        assert!(lines.is_full());
        assert_eq!(lines.excerpt(), "x".repeat(120));
    }

    #[test]
    fn a_line_that_is_too_long_does_not_pass_because_it_ended() {
        let mut lines = Lines::default();
        lines.push(&[b'x'; LONGEST_LINE + 1]);
        lines.push(b"\n");
        assert_eq!(lines.next_line(), Some(Err(TooLong)));
    }

    #[test]
    fn the_last_lines_are_kept() {
        let mut tail = Tail::default();
        for n in 0..100 {
            tail.push(format!("line {n}\n").as_bytes());
        }
        tail.push(b"unfinished");
        let lines = tail.lines();
        assert_eq!(lines.len(), 20);
        assert_eq!((lines[0].as_str(), lines[19].as_str()), ("line 81", "unfinished"));
    }

    #[test]
    fn the_last_lines_of_a_flood_are_those_that_came_last() {
        let flood: String = (0..1000).map(|n| format!("line {n}\n")).collect();
        let mut tail = Tail::default();
        tail.push(b"half a line, ");
        tail.push(flood.as_bytes());
        let lines = tail.lines();
        assert_eq!(lines.len(), 20);
        assert_eq!((lines[0].as_str(), lines[19].as_str()), ("line 980", "line 999"));
    }

    #[test]
    fn a_flood_of_one_line_is_cut() {
        let mut tail = Tail::default();
        for _ in 0..1000 {
            tail.push(&[b'x'; 1000]);
        }
        assert!(tail.current.capacity() < 10_000);
        assert_eq!(tail.lines(), [format!("{}…", "x".repeat(400))]);
    }

    #[test]
    fn what_could_move_the_cursor_is_left_out() {
        let mut tail = Tail::default();
        tail.push(b"\x1b[31mred\tand\x07 loud\r\n");
        assert_eq!(tail.lines(), ["[31mred and loud"]);
    }
}
