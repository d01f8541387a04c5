//! An HTTP/1.1 answer, taken in piece by piece; of its body only the length is kept. It knows no socket.

use std::mem;

use anyhow::{Context, Result, bail, ensure};

/// The longest head that is read.
const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 100;

/// An answer of which more is to come.
#[derive(Debug, Default)]
pub struct Answer {
    /// What has come and is not understood yet: a part of the head, or of a chunk's size line.
    pending: Vec<u8>,
    state: State,
    body_bytes: u64,
    reusable: bool,
}

/// An answer that is complete.
#[derive(Debug, PartialEq, Eq)]
pub struct Whole {
    /// Length of the body, without what chunks add to it.
    pub body_bytes: u64,
    /// Whether another request may be sent on the connection.
    pub reusable: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Head,
    /// So many bytes of the body are to come.
    Length(u64),
    /// The line with the size of the next chunk.
    ChunkSize,
    /// So many bytes of a chunk and its line end.
    Chunk(u64),
    /// Lines after the last chunk, up to an empty one.
    Trailer,
    UntilEnd,
}

impl Answer {
    /// Whether nothing has come yet.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && matches!(self.state, State::Head)
    }

    /// Takes in the next bytes. The answer is whole when there is one.
    ///
    /// # Errors
    /// It is no answer, or its status is not 200.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Option<Whole>> {
        let mut all = mem::take(&mut self.pending);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        loop {
            match &mut self.state {
                State::UntilEnd => {
                    self.body_bytes += rest.len() as u64;
                    return Ok(None);
                }
                State::Length(left) | State::Chunk(left) if *left > rest.len() as u64 => {
                    *left -= rest.len() as u64;
                    return Ok(None);
                }
                State::Length(left) => {
                    ensure!(rest.len() as u64 == *left, "more bytes came than the answer has");
                    return Ok(Some(self.whole()));
                }
                State::Chunk(left) => {
                    rest = &rest[*left as usize..];
                    self.state = State::ChunkSize;
                }
                State::Head | State::ChunkSize | State::Trailer => match self.line(rest)? {
                    Line::Taken(length) => rest = &rest[length..],
                    Line::End => return Ok(Some(self.whole())),
                    Line::Incomplete => {
                        ensure!(rest.len() <= MAX_HEAD_BYTES, "its head has more than {MAX_HEAD_BYTES} bytes");
                        self.pending = rest.to_vec();
                        return Ok(None);
                    }
                },
            }
        }
    }

    /// The connection has been closed. The answer is whole if that was its end.
    pub fn end(&mut self) -> Option<Whole> {
        matches!(self.state, State::UntilEnd).then(|| Whole { body_bytes: self.body_bytes, reusable: false })
    }

    fn whole(&self) -> Whole {
        Whole { body_bytes: self.body_bytes, reusable: self.reusable }
    }

    /// Reads a head, the size of a chunk, or a line of a trailer.
    fn line(&mut self, pending: &[u8]) -> Result<Line> {
        match self.state {
            State::Head => self.head(pending),
            State::ChunkSize => {
                let parsed = httparse::parse_chunk_size(pending).ok().context("a chunk's size is no number")?;
                let httparse::Status::Complete((length, size)) = parsed else { return Ok(Line::Incomplete) };
                self.body_bytes += size;
                self.state = if size == 0 { State::Trailer } else { State::Chunk(size.saturating_add(2)) };
                Ok(Line::Taken(length))
            }
            _ => match pending.iter().position(|&byte| byte == b'\n') {
                None => Ok(Line::Incomplete),
                Some(0) => Ok(Line::End),
                Some(1) if pending[0] == b'\r' => Ok(Line::End),
                Some(position) => Ok(Line::Taken(position + 1)),
            },
        }
    }

    fn head(&mut self, pending: &[u8]) -> Result<Line> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(length) = head.parse(pending).context("that is no HTTP")? else {
            return Ok(Line::Incomplete);
        };
        let status = head.code.context("it has no status")?;
        if (100..200).contains(&status) && status != 101 {
            // Only the announcement of the answer.
            return Ok(Line::Taken(length));
        }
        if status != 200 {
            bail!("its status is {status}, and 200 was expected");
        }
        self.reusable = head.version == Some(1);
        let mut body = None;
        for header in &*head.headers {
            let value = str::from_utf8(header.value).context("a header is no text")?.trim();
            if header.name.eq_ignore_ascii_case("content-length") && body.is_none() {
                body = Some(State::Length(value.parse().context("its Content-Length is no number")?));
            } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
                ensure!(value.eq_ignore_ascii_case("chunked"), "its Transfer-Encoding is {value}");
                body = Some(State::ChunkSize);
            } else if header.name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case("close") {
                self.reusable = false;
            }
        }
        self.state = body.unwrap_or(State::UntilEnd);
        if let State::Length(bytes) = self.state {
            self.body_bytes = bytes;
        }
        Ok(Line::Taken(length))
    }
}

enum Line {
    Incomplete,
    /// So many bytes are understood.
    Taken(usize),
    /// The answer ends here.
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer, fed in pieces of `size` bytes.
    fn fed(answer: &str, size: usize) -> Result<Option<Whole>> {
        let mut reader = Answer::default();
        for piece in answer.as_bytes().chunks(size) {
            if let Some(whole) = reader.feed(piece)? {
                return Ok(Some(whole));
            }
        }
        Ok(reader.end())
    }

    fn in_all_pieces(answer: &str) -> Option<Whole> {
        let whole = fed(answer, answer.len()).unwrap();
        for size in 1..answer.len() {
            assert_eq!(fed(answer, size).unwrap(), whole, "in pieces of {size} bytes");
        }
        whole
    }

    #[test]
    fn a_body_has_the_length_that_its_head_says() {
        let whole = in_all_pieces("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        assert_eq!(whole, Some(Whole { body_bytes: 5, reusable: true }));
        let whole = in_all_pieces("HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(whole, Some(Whole { body_bytes: 0, reusable: false }));
    }

    #[test]
    fn chunks_are_added_up() {
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nc;x=y\r\n hello again\r\n0\r\nA: b\r\n\r\n";
        assert_eq!(in_all_pieces(answer), Some(Whole { body_bytes: 17, reusable: true }));
    }

    #[test]
    fn a_body_without_length_ends_with_the_connection() {
        assert_eq!(in_all_pieces("HTTP/1.0 200 OK\r\n\r\nhello"), Some(Whole { body_bytes: 5, reusable: false }));
    }

    #[test]
    fn an_announcement_is_not_the_answer() {
        let answer = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
        assert_eq!(in_all_pieces(answer), Some(Whole { body_bytes: 1, reusable: true }));
    }

    #[test]
    fn an_answer_that_breaks_off_is_never_whole() {
        assert_eq!(in_all_pieces("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello"), None);
        assert_eq!(in_all_pieces("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), None);
        assert_eq!(in_all_pieces("HTTP/1.1 200 OK\r\nContent-Le"), None);
    }

    #[test]
    fn what_is_no_good_answer_is_refused_with_the_reason() {
        let reason = |answer: &str| format!("{:#}", fed(answer, answer.len()).unwrap_err());
        assert_eq!(reason("HTTP/1.1 500 Internal Server Error\r\n\r\n"), "its status is 500, and 200 was expected");
        assert!(reason("\u{1}\u{2}garbage\r\n\r\n").starts_with("that is no HTTP"));
        assert!(
            reason("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n").starts_with("its Content-Length is no number")
        );
        assert!(reason("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n").contains("chunk's size"));
        assert_eq!(reason("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxx"), "more bytes came than the answer has");
        let endless = format!("HTTP/1.1 200 OK\r\nA: {}", "x".repeat(70_000));
        assert_eq!(reason(&endless), "its head has more than 65536 bytes");
    }
}
