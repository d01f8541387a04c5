//! The bytes of a request, made once before the run. Nothing is sent here.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use protocol::HttpRequest;

use crate::parser::is_token;

/// A request as it goes onto the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Request line, header and body.
    pub bytes: Vec<u8>,
    /// Whether its answer has no body whatever its header says.
    pub is_head: bool,
}

/// Renders a request for this `Host`, an address such as `127.0.0.1:8080`. A `Host` field of the request wins.
///
/// # Errors
/// The request could not be sent as it is: a method that is no token, a path with blanks, a field that would break out
/// of its line, or a field that the client itself must write.
pub fn render(request: &HttpRequest, host: &str) -> Result<Rendered> {
    let HttpRequest { method, path, headers, body } = request;
    ensure!(is_token(method.as_bytes()), "{method:?} is not an HTTP method; write one such as GET or POST");
    ensure!(
        method != "CONNECT",
        "the client cannot measure CONNECT: what follows is no HTTP; use GET or another method with an answer"
    );
    ensure!(
        (path.starts_with('/') || path == "*") && path.bytes().all(|byte| byte.is_ascii_graphic()),
        "{path:?} is not a request path: it starts with a slash and has neither blanks nor characters beyond ASCII; \
         write them as %20 and the like"
    );

    let mut text = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        let _ = write!(text, "Host: {host}\r\n");
    }
    for (name, value) in headers {
        ensure!(is_token(name.as_bytes()), "{name:?} is not the name of a header field");
        ensure!(
            !value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t'),
            "the value of header field {name} has a control character: {value:?}"
        );
        ensure!(
            !["content-length", "transfer-encoding"].iter().any(|own| name.eq_ignore_ascii_case(own)),
            "header field {name} is written by the client, which knows the body's length; leave it out"
        );
        let _ = write!(text, "{name}: {value}\r\n");
    }
    if body.is_some() || ["POST", "PUT", "PATCH"].contains(&method.as_str()) {
        let _ = write!(text, "Content-Length: {}\r\n", body.as_ref().map_or(0, String::len));
    }
    text.push_str("\r\n");
    text.push_str(body.as_deref().unwrap_or_default());
    Ok(Rendered { bytes: text.into_bytes(), is_head: method == "HEAD" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> HttpRequest {
        HttpRequest {
            method: method.into(),
            path: path.into(),
            headers: headers.iter().map(|&(name, value)| (name.into(), value.into())).collect(),
            body: body.map(Into::into),
        }
    }

    fn text(request: &HttpRequest) -> String {
        String::from_utf8(render(request, "127.0.0.1:80").unwrap().bytes).unwrap()
    }

    #[test]
    fn a_get_has_a_host_and_no_length() {
        assert_eq!(text(&request("GET", "/a?b=1", &[], None)), "GET /a?b=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n");
    }

    #[test]
    fn a_body_has_its_length_and_an_own_host_wins() {
        assert_eq!(
            text(&request("POST", "/", &[("HOST", "example"), ("X-Y", "z")], Some("hé"))),
            "POST / HTTP/1.1\r\nHOST: example\r\nX-Y: z\r\nContent-Length: 3\r\n\r\nhé"
        );
    }

    #[test]
    fn what_would_break_out_of_its_place_is_refused() {
        for (bad, word) in [
            (request("GE T", "/", &[], None), "method"),
            (request("CONNECT", "/", &[], None), "CONNECT"),
            (request("GET", "/a b", &[], None), "path"),
            (request("GET", "a", &[], None), "path"),
            (request("GET", "/", &[("a:b", "c")], None), "name"),
            (request("GET", "/", &[("a", "b\r\nc: d")], None), "control"),
            (request("GET", "/", &[("content-length", "4")], None), "Content-Length".to_lowercase().as_str()),
        ] {
            let error = render(&bad, "h").unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
