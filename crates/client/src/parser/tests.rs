//! What the parser takes for an answer and what it does not, however the bytes are cut.

use super::*;

/// What a parser made of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    status: u16,
    keep_alive: bool,
    value: Option<String>,
    body: String,
}

/// Feeds pieces one after another; `None` if the answer is not whole after the last.
fn feed(pieces: &[&[u8]], is_head: bool) -> Result<Option<Seen>, Malformed> {
    let mut parser = Parser::new(Some("X-Worker"));
    parser.start(is_head);
    let mut body = Vec::new();
    let mut done = false;
    for piece in pieces {
        done = parser.feed(piece, |part| body.extend_from_slice(part))?;
    }
    let seen = |parser: &Parser| Seen {
        status: parser.status(),
        keep_alive: parser.keep_alive(),
        value: parser.value().map(|value| String::from_utf8_lossy(value).into_owned()),
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    Ok(done.then(|| seen(&parser)))
}

/// Feeds an answer whole, cut in two at every byte, and byte by byte; all must come to the same.
fn every_way(answer: &str, is_head: bool) -> Result<Option<Seen>, Malformed> {
    let bytes = answer.as_bytes();
    let whole = feed(&[bytes], is_head);
    for cut in 1..bytes.len() {
        assert_eq!(feed(&[&bytes[..cut], &bytes[cut..]], is_head), whole, "cut after {cut} bytes of {answer:?}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(feed(&single, is_head), whole, "byte by byte: {answer:?}");
    whole
}

fn seen(status: u16, keep_alive: bool, value: Option<&str>, body: &str) -> Result<Option<Seen>, Malformed> {
    Ok(Some(Seen { status, keep_alive, value: value.map(Into::into), body: body.into() }))
}

#[test]
fn a_body_with_a_length_is_whole_at_its_last_byte() {
    let answer = "HTTP/1.1 200 OK\r\nServer: x\r\ncontent-LENGTH:  8 \r\nX-WORKER: \t w 1\r\n\r\n00c0ffee";
    assert_eq!(every_way(answer, false), seen(200, true, Some("w 1"), "00c0ffee"));
    assert_eq!(every_way(&answer[..answer.len() - 1], false), Ok(None));
}

#[test]
fn a_chunked_body_is_put_together_without_its_frame() {
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\n\
                  4\r\nWiki\r\n00A;name=\"value\"\r\npedia in \n\r\n0\r\nX-Sum: 1\r\n\r\n";
    assert_eq!(every_way(answer, false), seen(200, true, None, "Wikipedia in \n"));
}

#[test]
fn line_feeds_alone_end_lines_too() {
    assert_eq!(every_way("HTTP/1.1 200\nContent-Length: 2\n\nok", false), seen(200, true, None, "ok"));
    let chunked = "HTTP/1.1 200 \nTransfer-Encoding: chunked\n\n2\nok\n0\n\n";
    assert_eq!(every_way(chunked, false), seen(200, true, None, "ok"));
}

#[test]
fn interim_answers_are_skipped() {
    let answer = "HTTP/1.1 100 Continue\r\nX-Worker: a\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
                  HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\n!";
    assert_eq!(every_way(answer, false), seen(201, true, None, "!"));
    assert_eq!(every_way("HTTP/1.1 101 Switching Protocols\r\n\r\n", false), Err(Malformed::Upgrade));
}

#[test]
fn some_answers_have_no_body_whatever_their_header_says() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\n";
    assert_eq!(every_way(answer, true), seen(200, true, None, ""));
    assert_eq!(every_way("HTTP/1.1 204 No Content\r\n\r\n", false), seen(204, true, None, ""));
    assert_eq!(every_way("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false), seen(304, true, None, ""));
    assert_eq!(every_way("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false), seen(200, true, None, ""));
}

#[test]
fn a_connection_stays_unless_one_side_says_otherwise() {
    for (head, stays) in [
        ("HTTP/1.1 200 OK\r\n", true),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n", false),
        ("HTTP/1.1 200 OK\r\nconnection: Foo , CLOSE\r\nConnection: keep-alive\r\n", false),
        ("HTTP/1.0 200 OK\r\n", false),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", true),
    ] {
        let answer = format!("{head}Content-Length: 0\r\n\r\n");
        assert_eq!(every_way(&answer, false), seen(200, stays, None, ""), "{head}");
    }
}

#[test]
fn a_body_without_a_length_lasts_until_the_connection_ends() {
    let mut parser = Parser::new(None);
    parser.start(false);
    assert_eq!(parser.at_end(), AtEnd::InHead);
    assert_eq!(parser.feed(b"HTTP/1.1 200 OK\r\n\r\nall of it", |_| {}), Ok(false));
    assert_eq!(parser.at_end(), AtEnd::Whole);
    assert!(!parser.keep_alive());
}

#[test]
fn an_end_in_the_middle_is_told_from_one_in_the_head() {
    let mut parser = Parser::new(None);
    parser.start(false);
    assert_eq!(parser.feed(b"HTTP/1.1 200 OK\r\nContent-Le", |_| {}), Ok(false));
    assert_eq!(parser.at_end(), AtEnd::InHead);
    assert_eq!(parser.feed(b"ngth: 2\r\n\r\nx", |_| {}), Ok(false));
    assert_eq!(parser.at_end(), AtEnd::InBody);
}

#[test]
fn one_parser_reads_one_answer_after_another() {
    let mut parser = Parser::new(Some("x-worker"));
    for (answer, value) in [
        (&b"HTTP/1.1 200 OK\r\nX-Worker: a\r\nContent-Length: 1\r\n\r\nx"[..], Some(&b"a"[..])),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", None),
    ] {
        parser.start(false);
        assert_eq!(parser.feed(answer, |_| {}), Ok(true));
        assert_eq!(parser.value(), value);
    }
}

#[test]
fn what_is_not_http_is_malformed() {
    use Malformed::{Chunk, ContentLength, Control, Field, StatusLine, Surplus, TransferEncoding};
    for (answer, why) in [
        ("hello", StatusLine),
        ("HTTP/2 200 OK\r\n\r\n", StatusLine),
        ("HTTP/1.2 200 OK\r\n\r\n", StatusLine),
        ("HTTP/1.1 2000 OK\r\n\r\n", StatusLine),
        ("HTTP/1.1 099 OK\r\n\r\n", StatusLine),
        ("HTTP/1.1 -20 OK\r\n\r\n", StatusLine),
        ("HTTP/1.1 200 O\0K\r\n\r\n", Control),
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", StatusLine),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Field),
        ("HTTP/1.1 200 OK\r\nblank before : x\r\n\r\n", Field),
        ("HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", Field),
        ("HTTP/1.1 200 OK\r\n: x\r\n\r\n", Field),
        ("HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n", Control),
        ("HTTP/1.1 200 OK\r\nA: \x7f\r\n\r\n", Control),
        ("HTTP/1.1 200 OK\r\nContent-Length: +8\r\n\r\n", ContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", ContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 8, 8\r\n\r\n", ContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 8\r\nContent-Length: 9\r\n\r\n", ContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n", ContentLength),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", TransferEncoding),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", TransferEncoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", Chunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", Chunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", Chunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\rx", Chunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000000\r\n", Chunk),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", Surplus),
        ("HTTP/1.1 204 No Content\r\n\r\na", Surplus),
    ] {
        // Cut, an answer may be refused earlier, but it is never taken.
        assert_eq!(feed(&[answer.as_bytes()], false), Err(why), "{answer:?}");
        for cut in 1..answer.len() {
            let (one, two) = answer.as_bytes().split_at(cut);
            assert_eq!(feed(&[one, two], false), Err(why), "cut after {cut} bytes of {answer:?}");
        }
    }
}

#[test]
fn a_huge_header_is_refused_at_the_bound_and_not_kept() {
    let line = format!("X-Fill: {}\r\n", "y".repeat(1000));
    let mut parser = Parser::new(None);
    parser.start(false);
    let mut result = parser.feed(b"HTTP/1.1 200 OK\r\n", |_| {});
    let mut fed = 17;
    while result == Ok(false) {
        result = parser.feed(line.as_bytes(), |_| {});
        fed += line.len();
        assert!(parser.held_bytes() <= MAX_HEAD_BYTES + 1);
    }
    assert_eq!(result, Err(Malformed::HeadTooLarge));
    assert!(fed < MAX_HEAD_BYTES + 2 * line.len());

    let at_once = format!("HTTP/1.1 200 OK\r\n{}\r\n", line.repeat(100));
    assert_eq!(feed(&[at_once.as_bytes()], false), Err(Malformed::HeadTooLarge));
    let one_line = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(1 << 20));
    assert_eq!(feed(&[one_line.as_bytes()], false), Err(Malformed::HeadTooLarge));
}

#[test]
fn an_endless_trailer_or_extension_is_refused() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let trailer = format!("{head}0\r\n{}", "A: b\r\n".repeat(20_000));
    assert_eq!(feed(&[trailer.as_bytes()], false), Err(Malformed::HeadTooLarge));
    let extension = format!("{head}1;{}", "x".repeat(5000));
    assert_eq!(feed(&[extension.as_bytes()], false), Err(Malformed::Chunk));
}
