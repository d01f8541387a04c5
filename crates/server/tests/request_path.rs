//! Both request paths over memory: the same bytes, whole and in pieces, get the same answers.

use server::{respond, respond_blocking};

/// How many inputs the last test makes.
const ROUNDS: usize = 3_000;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n";

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// What either path answers, in whatever pieces the bytes come.
fn answers(input: &str) -> String {
    let whole = text(respond(input.as_bytes(), usize::MAX));
    for piece in [1, 7, 100] {
        assert_eq!(text(respond(input.as_bytes(), piece)), whole, "in pieces of {piece}");
        assert_eq!(text(respond_blocking(input.as_bytes(), piece)), whole, "on a thread, in pieces of {piece}");
    }
    whole
}

#[test]
fn every_request_is_answered_with_its_number() {
    let input = "GET / HTTP/1.1\r\nhost: a\r\n\r\nGET /b HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(answers(input), format!("{OK}00000000{OK}00000001"));
}

#[test]
fn half_a_request_is_not_answered() {
    assert_eq!(answers("GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nho"), format!("{OK}00000000"));
    assert_eq!(answers(""), "");
}

#[test]
fn a_body_is_skipped() {
    let input = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhelloGET / HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(text(respond_blocking(input.as_bytes(), 3)), format!("{OK}00000000{OK}00000001"));
    assert_eq!(text(respond(input.as_bytes(), usize::MAX)), format!("{OK}00000000{OK}00000001"));
}

#[test]
fn an_answer_to_head_has_no_body() {
    assert_eq!(answers("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n"), OK);
}

#[test]
fn a_client_that_wants_to_close_is_told_so() {
    let answer = answers("GET / HTTP/1.1\r\nconnection: close\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    assert_eq!(answer, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 8\r\n\r\n00000000");
}

#[test]
fn too_many_fields_are_refused() {
    let input = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101));
    assert!(answers(&input).starts_with("HTTP/1.1 431 "));
}

/// Requests, cut and glued together with one byte changed here and there: enough to find a panic or a hang that is near.
/// What is far is for a fuzzer to find.
#[test]
fn nothing_that_comes_makes_either_path_panic_or_hang() {
    const PARTS: &[&str] = &[
        "GET / HTTP/1.1\r\n",
        "POST /x HTTP/1.1\r\n",
        "HEAD * HTTP/1.0\r\n",
        "content-length: 3\r\n",
        "content-length: 18446744073709551615\r\n",
        "transfer-encoding: chunked\r\n",
        "connection: upgrade\r\nupgrade: h2c\r\n",
        "connection: close\r\n",
        "expect: 100-continue\r\n",
        "\r\n",
        "abc",
        "3\r\nabc\r\n0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\n",
        " \0\t",
    ];
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..ROUNDS {
        let mut input: Vec<u8> = (0..1 + random(12)).flat_map(|_| PARTS[random(PARTS.len())].bytes()).collect();
        for _ in 0..random(3) {
            let place = random(input.len());
            input[place] = random(256) as u8;
        }
        let piece = 1 + random(40);
        let _ = respond(&input, piece);
        let _ = respond_blocking(&input, piece);
    }
}
