//! The head of a request, as far as a server that answers them all alike has to know it.

use std::mem::MaybeUninit;

use crate::limits::MAX_FIELDS;

/// What the head of a request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// How long the head is.
    pub bytes: usize,
    /// How long the body behind it is.
    pub body: u64,
    /// Whether the client wants to keep the connection.
    pub keep_alive: bool,
    /// Whether the answer has a body: not to `HEAD`.
    pub wants_body: bool,
}

/// Why a request is not answered: the status line's code and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused(pub &'static str);

/// Not HTTP/1.1.
const BAD: Refused = Refused("400 Bad Request");
/// Too many fields, or too many bytes.
pub const TOO_LARGE: Refused = Refused("431 Request Header Fields Too Large");
/// A body whose length nobody knows beforehand.
const NO_LENGTH: Refused = Refused("501 Not Implemented");

/// Reads a head from the start of `bytes`. `None` means that it is not whole yet.
///
/// # Errors
/// It can never become one that is answered.
pub fn parse(bytes: &[u8]) -> Result<Option<Head>, Refused> {
    let mut fields = [const { MaybeUninit::uninit() }; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut []);
    let length = match request.parse_with_uninit_headers(bytes, &mut fields) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(TOO_LARGE),
        Err(_) => return Err(BAD),
    };
    let mut body = None;
    let mut keep_alive = request.version == Some(1);
    for field in request.headers.iter() {
        if field.name.eq_ignore_ascii_case("content-length") {
            let length = length_of(field.value).ok_or(BAD)?;
            if body.is_some_and(|other| other != length) {
                return Err(BAD);
            }
            body = Some(length);
        } else if field.name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(NO_LENGTH);
        } else if field.name.eq_ignore_ascii_case("connection") {
            for option in field.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                if option.eq_ignore_ascii_case(b"close") {
                    keep_alive = false;
                } else if option.eq_ignore_ascii_case(b"keep-alive") {
                    keep_alive = true;
                }
            }
        }
    }
    Ok(Some(Head { bytes: length, body: body.unwrap_or(0), keep_alive, wants_body: request.method != Some("HEAD") }))
}

/// A length: digits only, as a sign or a list could be read in two ways.
fn length_of(value: &[u8]) -> Option<u64> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(bytes: &str) -> Result<Option<Head>, Refused> {
        parse(bytes.as_bytes())
    }

    #[test]
    fn a_whole_head_is_read_to_its_end() {
        let expected = Head { bytes: 27, body: 0, keep_alive: true, wants_body: true };
        assert_eq!(head("GET / HTTP/1.1\r\nhost: a\r\n\r\nrest"), Ok(Some(expected)));
        assert_eq!(head("GET / HTTP/1.1\r\nhost: a\r\n"), Ok(None));
    }

    #[test]
    fn who_closes_the_connection_depends_on_version_and_field() {
        let keeps = |text| head(text).unwrap().unwrap().keep_alive;
        assert!(!keeps("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n"));
        assert!(!keeps("GET / HTTP/1.0\r\n\r\n"));
        assert!(keeps("GET / HTTP/1.0\r\nconnection: upgrade, Keep-Alive\r\n\r\n"));
    }

    #[test]
    fn a_body_needs_one_plain_length() {
        assert_eq!(head("POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\n").unwrap().unwrap().body, 5);
        for field in ["content-length: +5", "content-length: 5\r\ncontent-length: 6", "content-length: 5, 5"] {
            assert_eq!(head(&format!("POST / HTTP/1.1\r\n{field}\r\n\r\n")), Err(BAD), "{field}");
        }
        assert_eq!(head("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n"), Err(NO_LENGTH));
    }

    #[test]
    fn too_many_fields_are_refused() {
        let fields = "a: b\r\n".repeat(MAX_FIELDS + 1);
        assert_eq!(head(&format!("GET / HTTP/1.1\r\n{fields}\r\n")), Err(TOO_LARGE));
    }
}
