//! An incremental parser of HTTP/1.1 answers, as pure state: bytes in, one answer out. It knows no socket and no clock.
//!
//! An answer that arrives whole is parsed where it lies, without a copy. A head that arrives in pieces is gathered up to
//! a bound and parsed once, when its end is there. Bodies stream by and are never kept. `head` reads a head, `body`
//! finds a body's end.

mod body;
mod head;

use std::fmt;

use body::{Body, Framing};
pub use head::is_token;

/// Largest head, and largest trailer of a chunked body, in bytes. Browsers and servers allow 8 to 256 KiB.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Why bytes are not an answer in HTTP/1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// The first line is no status line.
    StatusLine,
    /// A line of the header is no field.
    Field,
    /// The head has a control character in a line.
    Control,
    /// The head, or a trailer, is larger than [`MAX_HEAD_BYTES`].
    HeadTooLarge,
    /// `Content-Length` is no number, or there are two that differ.
    ContentLength,
    /// A transfer coding that nobody asked for.
    TransferEncoding,
    /// A chunk has no length, or does not end where it says.
    Chunk,
    /// `101 Switching Protocols`, which nobody asked for.
    Upgrade,
    /// Bytes after the end of the answer, though no other request was sent.
    Surplus,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StatusLine => "the first line is not an HTTP/1.1 status line",
            Self::Field => "a header line is not a field",
            Self::Control => "there is a control character in the header",
            Self::HeadTooLarge => "the header is larger than 64 KiB",
            Self::ContentLength => "Content-Length is not one number",
            Self::TransferEncoding => "the transfer coding is not chunked",
            Self::Chunk => "a chunk of the body has no valid length or end",
            Self::Upgrade => "the server changed the protocol, which nobody asked for",
            Self::Surplus => "there are bytes after the end of the answer",
        })
    }
}

impl std::error::Error for Malformed {}

/// What the end of the connection means for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// The answer is whole: its body lasts until the connection ends.
    Whole,
    /// It ended before the body began.
    InHead,
    /// It ended before the body did.
    InBody,
}

/// Where a parser stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Head,
    Body(Body),
    Done,
}

/// The parser of one connection's answers, one after another. [`start`](Self::start) begins the next one.
#[derive(Debug, Clone)]
pub struct Parser {
    phase: Phase,
    is_head: bool,
    status: u16,
    keep_alive: bool,
    /// Bytes of a head that did not arrive in one piece.
    gathered: Vec<u8>,
    /// The field whose value is kept, in lower case.
    wanted: Option<Box<[u8]>>,
    /// That value; empty where the field is missing.
    value: Vec<u8>,
}

impl Parser {
    /// A parser that keeps the value of one header field, if it is given one.
    #[must_use]
    pub fn new(wanted_field: Option<&str>) -> Self {
        Self {
            phase: Phase::Head,
            is_head: false,
            status: 0,
            keep_alive: true,
            gathered: Vec::new(),
            wanted: wanted_field.map(|name| name.to_ascii_lowercase().into_bytes().into_boxed_slice()),
            value: Vec::new(),
        }
    }

    /// Begins the next answer. That to a `HEAD` request has no body.
    #[inline]
    pub fn start(&mut self, is_head: bool) {
        self.phase = Phase::Head;
        self.is_head = is_head;
        self.gathered.clear();
        self.value.clear();
    }

    /// Takes in bytes, hands the body to `body` piece by piece, and says whether the answer is now whole.
    ///
    /// # Errors
    /// The bytes are no answer in HTTP/1.1, or go on after its end.
    #[inline]
    pub fn feed(&mut self, mut input: &[u8], mut body: impl FnMut(&[u8])) -> Result<bool, Malformed> {
        loop {
            match &mut self.phase {
                Phase::Head => match self.feed_head(input)? {
                    Some(taken) => input = &input[taken..],
                    None => return Ok(false),
                },
                Phase::Body(state) => {
                    let (taken, done) = state.feed(input, &mut body)?;
                    input = &input[taken..];
                    if !done {
                        return Ok(false);
                    }
                    self.phase = Phase::Done;
                }
                Phase::Done if input.is_empty() => return Ok(true),
                Phase::Done => return Err(Malformed::Surplus),
            }
        }
    }

    /// Takes in bytes of a head. Returns how many of them belonged to it once it is whole.
    #[inline]
    fn feed_head(&mut self, input: &[u8]) -> Result<Option<usize>, Malformed> {
        if !self.gathered.is_empty() {
            return self.gather(input);
        }
        let mut field = Wanted { name: self.wanted.as_deref(), value: &mut self.value };
        match head::parse(input, &mut field)? {
            Some((head, taken)) if taken <= MAX_HEAD_BYTES => self.begin_body(head).map(|()| Some(taken)),
            Some(_) => Err(Malformed::HeadTooLarge),
            None => {
                self.value.clear();
                self.gather(input)
            }
        }
    }

    /// The slow path: gathers pieces of a head until its end is there.
    #[cold]
    fn gather(&mut self, input: &[u8]) -> Result<Option<usize>, Malformed> {
        let before = self.gathered.len();
        // One byte more than allowed is enough to know that there is too much.
        let room = MAX_HEAD_BYTES + 1 - before;
        self.gathered.extend_from_slice(&input[..input.len().min(room)]);
        head::check_beginning(&self.gathered)?;
        // The end may have begun in the piece before: a line feed, carriage return, line feed.
        let Some(end) = head::find_end(&self.gathered, before.saturating_sub(3)) else {
            return if self.gathered.len() > MAX_HEAD_BYTES { Err(Malformed::HeadTooLarge) } else { Ok(None) };
        };
        if end > MAX_HEAD_BYTES {
            return Err(Malformed::HeadTooLarge);
        }
        let mut field = Wanted { name: self.wanted.as_deref(), value: &mut self.value };
        let (head, taken) = head::parse(&self.gathered[..end], &mut field)?.ok_or(Malformed::Field)?;
        debug_assert_eq!(taken, end, "both look for the same end");
        self.gathered.clear();
        self.begin_body(head).map(|()| Some(end - before))
    }

    /// Goes on after a head: to the body, or past an interim answer to the next head.
    #[inline]
    fn begin_body(&mut self, head: head::Head) -> Result<(), Malformed> {
        if head.status < 200 {
            self.value.clear();
            // It changes the meaning of everything that follows.
            return if head.status == 101 { Err(Malformed::Upgrade) } else { Ok(()) };
        }
        self.status = head.status;
        self.keep_alive = head.keep_alive;
        let framing = if self.is_head || matches!(head.status, 204 | 304) { Framing::Length(0) } else { head.framing };
        // Without a length the end of the connection is the end of the body.
        self.keep_alive &= framing != Framing::UntilEnd;
        self.phase = if framing == Framing::Length(0) { Phase::Done } else { Phase::Body(Body::new(framing)) };
        Ok(())
    }

    /// What it means that the connection ends now, before the answer was whole.
    #[must_use]
    pub fn at_end(&self) -> AtEnd {
        match self.phase {
            Phase::Head => AtEnd::InHead,
            Phase::Body(body) if body.lasts_until_the_end() => AtEnd::Whole,
            Phase::Body(_) => AtEnd::InBody,
            Phase::Done => AtEnd::Whole,
        }
    }

    /// The status of the answer.
    #[inline]
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the connection can carry another request.
    #[inline]
    #[must_use]
    pub fn keep_alive(&self) -> bool {
        self.keep_alive
    }

    /// The value of the field that [`new`](Self::new) was given, if the answer had it.
    #[must_use]
    pub fn value(&self) -> Option<&[u8]> {
        (!self.value.is_empty()).then_some(&self.value)
    }

    /// How many bytes the parser holds on to; never more than a little above [`MAX_HEAD_BYTES`].
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.gathered.len() + self.value.len()
    }
}

/// Where the value of one header field goes.
struct Wanted<'a> {
    name: Option<&'a [u8]>,
    value: &'a mut Vec<u8>,
}

#[cfg(test)]
mod tests;
