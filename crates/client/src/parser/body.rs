//! Finds the end of a body: by its length, by its chunks, or by the end of the connection.

use super::{MAX_HEAD_BYTES, Malformed};

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// After so many bytes.
    Length(u64),
    /// After a chunk of length 0 and its trailer.
    Chunked,
    /// With the connection.
    UntilEnd,
}

/// Longest extension of a chunk that is skipped, in bytes. Nobody sends any.
const MAX_EXTENSION_BYTES: u32 = 4096;

/// Where in a body the parser stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// So many bytes to come.
    Length(u64),
    /// Everything to come.
    UntilEnd,
    /// In the line with a chunk's length.
    ChunkLength { value: u64, digits: u8 },
    /// After the length, up to the end of its line.
    ChunkExtension { value: u64, skipped: u32, returned: bool },
    /// In a chunk, with so many bytes to come.
    ChunkData(u64),
    /// After a chunk: the end of a line.
    ChunkEnd { returned: bool },
    /// After the last chunk: lines up to an empty one.
    Trailer { line: u32, total: u32 },
}

impl Body {
    pub(super) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Length(length) => Self::Length(length),
            Framing::UntilEnd => Self::UntilEnd,
            Framing::Chunked => Self::ChunkLength { value: 0, digits: 0 },
        }
    }

    pub(super) fn lasts_until_the_end(self) -> bool {
        self == Self::UntilEnd
    }

    /// Takes in bytes: how many of them belong to the body, and whether it is whole.
    #[inline]
    pub(super) fn feed(&mut self, input: &[u8], sink: &mut impl FnMut(&[u8])) -> Result<(usize, bool), Malformed> {
        match self {
            Self::Length(rest) => {
                let taken = take(rest, input, sink);
                Ok((taken, *rest == 0))
            }
            Self::UntilEnd => {
                sink(input);
                Ok((input.len(), false))
            }
            _ => self.feed_chunks(input, sink),
        }
    }

    fn feed_chunks(&mut self, input: &[u8], sink: &mut impl FnMut(&[u8])) -> Result<(usize, bool), Malformed> {
        let mut at = 0;
        while at < input.len() {
            if let Self::ChunkData(rest) = self {
                at += take(rest, &input[at..], sink);
                if *rest == 0 {
                    *self = Self::ChunkEnd { returned: false };
                }
                continue;
            }
            let done = self.step(input[at])?;
            at += 1;
            if done {
                return Ok((at, true));
            }
        }
        Ok((at, false))
    }

    /// Takes in one byte between chunks. Returns whether the body is now whole.
    fn step(&mut self, byte: u8) -> Result<bool, Malformed> {
        *self = match (*self, byte) {
            // Sixteen digits would not fit where the last byte of a chunk is counted from the first.
            (Self::ChunkLength { value, digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') if digits < 15 => {
                Self::ChunkLength { value: value << 4 | u64::from(hex_digit(byte)), digits: digits + 1 }
            }
            (Self::ChunkLength { value, digits: 1.. }, b'\n') => Self::after_length(value),
            (Self::ChunkLength { value, digits: 1.. }, b'\r') => {
                Self::ChunkExtension { value, skipped: 0, returned: true }
            }
            (Self::ChunkLength { value, digits: 1.. }, b';' | b' ' | b'\t') => {
                Self::ChunkExtension { value, skipped: 0, returned: false }
            }
            (Self::ChunkExtension { value, .. }, b'\n') => Self::after_length(value),
            (Self::ChunkExtension { value, skipped, returned: false }, _) if skipped < MAX_EXTENSION_BYTES => {
                Self::ChunkExtension { value, skipped: skipped + 1, returned: byte == b'\r' }
            }
            (Self::ChunkEnd { returned: false }, b'\r') => Self::ChunkEnd { returned: true },
            (Self::ChunkEnd { .. }, b'\n') => Self::ChunkLength { value: 0, digits: 0 },
            (Self::Trailer { line: 0, .. }, b'\n') => return Ok(true),
            (Self::Trailer { total, .. }, b'\n') => Self::Trailer { line: 0, total: total + 1 },
            (Self::Trailer { total, .. }, _) if total as usize >= MAX_HEAD_BYTES => {
                return Err(Malformed::HeadTooLarge);
            }
            // A carriage return does not count, so that a line with nothing else is empty.
            (Self::Trailer { line, total }, b'\r') => Self::Trailer { line, total: total + 1 },
            (Self::Trailer { line, total }, _) => Self::Trailer { line: line + 1, total: total + 1 },
            _ => return Err(Malformed::Chunk),
        };
        Ok(false)
    }

    fn after_length(length: u64) -> Self {
        if length == 0 { Self::Trailer { line: 0, total: 0 } } else { Self::ChunkData(length) }
    }
}

/// Hands on what belongs to the part with `rest` bytes to come, and returns how much that was.
#[inline]
fn take(rest: &mut u64, input: &[u8], sink: &mut impl FnMut(&[u8])) -> usize {
    let count = usize::try_from(*rest).unwrap_or(usize::MAX).min(input.len());
    if count > 0 {
        sink(&input[..count]);
    }
    *rest -= count as u64;
    count
}

fn hex_digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        _ => byte - b'A' + 10,
    }
}
