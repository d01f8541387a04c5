//! HTTP/1.1 on a thread that waits for its bytes.

use std::{
    io::{self, ErrorKind},
    time::{Duration, Instant},
};

use super::head::{self, Head, Refused, TOO_LARGE};
use crate::limits::{HEAD_TIME, MAX_BODY_BYTES, MAX_HEAD_BYTES};

/// How much is read at first.
const FIRST_READ_BYTES: usize = 1024;

/// What a conversation is held over.
pub trait Wire {
    /// Reads what is there, or waits until something is. 0 is the end.
    ///
    /// # Errors
    /// The connection is broken, or the patience is at its end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes all.
    ///
    /// # Errors
    /// The connection is broken, or the client takes nothing.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Sets how long a read may take; `None` is for ever.
    ///
    /// # Errors
    /// The system does not want to.
    fn set_patience(&mut self, patience: Option<Duration>) -> io::Result<()>;
}

/// Answers requests until the client ends the connection or is refused, or `is_closing` holds after an answer. `answer` is
/// given the number of the request, from 0 on.
///
/// # Errors
/// The connection broke.
pub fn converse(
    wire: impl Wire,
    mut answer: impl FnMut(u64) -> [u8; 8],
    is_closing: impl Fn() -> bool,
) -> io::Result<()> {
    let mut reader = Reader { wire, buffer: Vec::new(), filled: 0 };
    let mut number = 0;
    loop {
        match reader.head() {
            Ok(Some(head)) => {
                let keep = head.keep_alive && head.body <= MAX_BODY_BYTES && reader.skip(head.body)?;
                let body = answer(number);
                // Asked last, because the stop may have come meanwhile.
                let keep = keep && !is_closing();
                reader.wire.write_all(&response(&head, body, keep))?;
                number += 1;
                if !keep {
                    return Ok(());
                }
            }
            Ok(None) => return Ok(()),
            Err(Unanswered::Broken(error)) => return Err(error),
            Err(Unanswered::Refused(Refused(status))) => {
                let response = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
                return reader.wire.write_all(response.as_bytes());
            }
        }
    }
}

fn response(head: &Head, body: [u8; 8], keep: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(96);
    bytes.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    if !keep {
        bytes.extend_from_slice(b"connection: close\r\n");
    }
    bytes.extend_from_slice(b"content-length: 8\r\n\r\n");
    if head.wants_body {
        bytes.extend_from_slice(&body);
    }
    bytes
}

/// Why there is no head.
enum Unanswered {
    Broken(io::Error),
    Refused(Refused),
}

impl From<io::Error> for Unanswered {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// Reads heads and bodies from a wire.
struct Reader<W> {
    wire: W,
    buffer: Vec<u8>,
    filled: usize,
}

impl<W: Wire> Reader<W> {
    /// Waits for the next head, at most [`HEAD_TIME`] from its first byte on, and takes it out of the buffer. `None` means
    /// that the client sent its last whole one.
    fn head(&mut self) -> Result<Option<Head>, Unanswered> {
        let mut began: Option<Instant> = None;
        loop {
            if self.filled > 0 {
                match head::parse(&self.buffer[..self.filled]) {
                    Ok(Some(head)) => {
                        self.take(head.bytes);
                        if began.is_some() {
                            self.wire.set_patience(None)?;
                        }
                        return Ok(Some(head));
                    }
                    Ok(None) if self.filled == MAX_HEAD_BYTES => return Err(Unanswered::Refused(TOO_LARGE)),
                    Ok(None) => {}
                    Err(refused) => return Err(Unanswered::Refused(refused)),
                }
                let passed = began.get_or_insert_with(Instant::now).elapsed();
                let left = HEAD_TIME.saturating_sub(passed);
                if left.is_zero() {
                    return Err(io::Error::from(ErrorKind::TimedOut).into());
                }
                self.wire.set_patience(Some(left))?;
            }
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    /// Skips a body. Returns whether all of it came.
    fn skip(&mut self, mut bytes: u64) -> io::Result<bool> {
        if bytes == 0 {
            return Ok(true);
        }
        let began = Instant::now();
        loop {
            let here = bytes.min(self.filled as u64);
            self.take(here as usize);
            bytes -= here;
            if bytes == 0 {
                self.wire.set_patience(None)?;
                return Ok(true);
            }
            let left = HEAD_TIME.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.wire.set_patience(Some(left))?;
            if self.fill()? == 0 {
                return Ok(false);
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        if self.filled == self.buffer.len() {
            self.buffer.resize((self.filled * 2).clamp(FIRST_READ_BYTES, MAX_HEAD_BYTES), 0);
        }
        let read = loop {
            match self.wire.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.filled += read;
        Ok(read)
    }

    fn take(&mut self, bytes: usize) {
        self.buffer.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
    }
}
