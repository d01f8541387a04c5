//! Reads a head: the status line and the header fields that say where the body ends and whether the connection stays.

use super::body::Framing;
use super::{Malformed, Wanted};

/// What a head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) keep_alive: bool,
    pub(super) framing: Framing,
}

/// Reads a head that `bytes` begin with. Returns it with its length, or `None` if its end is not there yet.
#[inline]
pub(super) fn parse(bytes: &[u8], wanted: &mut Wanted<'_>) -> Result<Option<(Head, usize)>, Malformed> {
    let Some(first) = line_feed(bytes) else { return Ok(None) };
    let line = without_return(&bytes[..first]);
    let mut returns = first - line.len();
    let (minor, status) = status_line(line)?;
    let mut fields = Fields::default();
    let mut at = first + 1;
    while let Some(length) = line_feed(&bytes[at..]) {
        let line = without_return(&bytes[at..at + length]);
        returns += length - line.len();
        at += length + 1;
        if line.is_empty() {
            check_controls(&bytes[..at], returns)?;
            let keep_alive = fields.connection.unwrap_or(minor == 1);
            return Ok(Some((Head { status, keep_alive, framing: fields.framing(minor)? }, at)));
        }
        fields.take(line, wanted)?;
    }
    Ok(None)
}

/// Where the next line feed is.
#[inline]
fn line_feed(bytes: &[u8]) -> Option<usize> {
    memchr::memchr(b'\n', bytes)
}

/// The line without the carriage return at its end. A line feed alone ends a line too (RFC 9112, 2.2).
#[inline]
fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Reads `HTTP/1.1 200 OK`, of which the reason may be missing: the minor version and the status.
#[inline]
fn status_line(line: &[u8]) -> Result<(u8, u16), Malformed> {
    let [b'H', b'T', b'T', b'P', b'/', b'1', b'.', minor @ (b'0' | b'1'), b' ', a, b, c, rest @ ..] = line else {
        return Err(Malformed::StatusLine);
    };
    if !matches!(rest, [] | [b' ', ..]) {
        return Err(Malformed::StatusLine);
    }
    let digit = |byte: u8| if byte.is_ascii_digit() { Ok(u16::from(byte - b'0')) } else { Err(Malformed::StatusLine) };
    let status = digit(*a)? * 100 + digit(*b)? * 10 + digit(*c)?;
    if !(100..600).contains(&status) {
        return Err(Malformed::StatusLine);
    }
    Ok((minor - b'0', status))
}

/// The fields that matter.
#[derive(Debug, Default)]
struct Fields {
    length: Option<u64>,
    coding: Option<bool>,
    connection: Option<bool>,
}

impl Fields {
    /// Takes in a line of the header.
    #[inline]
    fn take(&mut self, line: &[u8], wanted: &mut Wanted<'_>) -> Result<(), Malformed> {
        // A folded line begins with a blank and is refused here: RFC 9112, 5.2 has retired it.
        let colon = line.iter().position(|&byte| !TOKEN[usize::from(byte)]).ok_or(Malformed::Field)?;
        if colon == 0 || line[colon] != b':' {
            return Err(Malformed::Field);
        }
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        // The length tells most fields apart before any byte is compared.
        match name.len() {
            14 if name.eq_ignore_ascii_case(b"content-length") => self.content_length(value.trim_ascii())?,
            10 if name.eq_ignore_ascii_case(b"connection") => self.connection(value),
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => self.transfer_encoding(value.trim_ascii())?,
            _ => {}
        }
        if let Some(wanted_name) = wanted.name
            && name.eq_ignore_ascii_case(wanted_name)
        {
            wanted.value.clear();
            wanted.value.extend_from_slice(value.trim_ascii());
        }
        Ok(())
    }

    fn content_length(&mut self, value: &[u8]) -> Result<(), Malformed> {
        if value.is_empty() {
            return Err(Malformed::ContentLength);
        }
        let mut length: u64 = 0;
        for byte in value {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return Err(Malformed::ContentLength);
            }
            length = length
                .checked_mul(10)
                .and_then(|length| length.checked_add(u64::from(digit)))
                .ok_or(Malformed::ContentLength)?;
        }
        match self.length.replace(length) {
            Some(before) if before != length => Err(Malformed::ContentLength),
            _ => Ok(()),
        }
    }

    fn connection(&mut self, value: &[u8]) {
        for option in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            if option.eq_ignore_ascii_case(b"close") {
                self.connection = Some(false);
            } else if option.eq_ignore_ascii_case(b"keep-alive") {
                // `close` wins over it, wherever it stands.
                self.connection = self.connection.or(Some(true));
            }
        }
    }

    fn transfer_encoding(&mut self, value: &[u8]) -> Result<(), Malformed> {
        // The client asks for no other coding, and chunked twice is no coding at all.
        if self.coding.is_some() || !value.eq_ignore_ascii_case(b"chunked") {
            return Err(Malformed::TransferEncoding);
        }
        self.coding = Some(true);
        Ok(())
    }

    /// Where the body ends. A transfer coding wins over a length (RFC 9112, 6.3).
    #[inline]
    fn framing(&self, minor: u8) -> Result<Framing, Malformed> {
        match (self.coding, self.length) {
            (Some(_), _) if minor == 0 => Err(Malformed::TransferEncoding),
            (Some(_), _) => Ok(Framing::Chunked),
            (None, Some(length)) => Ok(Framing::Length(length)),
            (None, None) => Ok(Framing::UntilEnd),
        }
    }
}

/// Whether these bytes can still become a status line; otherwise nobody needs to wait for its end.
pub(super) fn check_beginning(bytes: &[u8]) -> Result<(), Malformed> {
    let right = b"HTTP/1.";
    let common = right.len().min(bytes.len());
    if bytes[..common] == right[..common] { Ok(()) } else { Err(Malformed::StatusLine) }
}

/// Where the head ends whose empty line begins at or after `from`.
pub(super) fn find_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(next) = line_feed(&bytes[at..]) {
        at += next + 1;
        match bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// Whether this is a token, of which methods and names of fields are made (RFC 9110, 5.6.2).
#[inline]
#[must_use]
pub fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| TOKEN[usize::from(byte)])
}

/// Refuses a head with control characters other than tabs and ends of lines, of which `returns` begin with a carriage
/// return.
///
/// One pass over the whole head without an early exit, so that the compiler can look at many bytes at once.
#[inline]
fn check_controls(head: &[u8], returns: usize) -> Result<(), Malformed> {
    let (mut controls, mut found) = (false, 0);
    // A count of one byte, which fits more often into a register, must not run over.
    for part in head.chunks(255) {
        let mut found_here = 0u8;
        for &byte in part {
            found_here += u8::from(byte == b'\r');
            controls |= (byte < b' ') & !matches!(byte, b'\t' | b'\n' | b'\r') | (byte == 0x7f);
        }
        found += usize::from(found_here);
    }
    if controls || found != returns { Err(Malformed::Control) } else { Ok(()) }
}

/// The bytes that a token may have.
const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let value = byte as u8;
        table[byte] = value.is_ascii_alphanumeric()
            || matches!(
                value,
                b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~'
            );
        byte += 1;
    }
    table
};
