//! What a server may send to the load generator: the parser neither panics nor keeps much, and how the bytes are cut into
//! pieces makes no difference.

#![no_main]

use client::parser::{MAX_HEAD_BYTES, Parser};
use libfuzzer_sys::fuzz_target;

/// What the parser makes of these bytes in pieces of this size: one answer, or why it is none.
fn parsed(input: &[u8], piece: usize, is_head: bool) -> (Result<bool, String>, Vec<u8>, Option<u16>) {
    let mut parser = Parser::new(Some("x-worker"));
    parser.start(is_head);
    let mut body = Vec::new();
    let mut outcome = Ok(false);
    for bytes in input.chunks(piece) {
        match parser.feed(bytes, |part| body.extend_from_slice(part)) {
            Ok(false) => assert!(parser.held_bytes() <= MAX_HEAD_BYTES + piece),
            // What follows a whole answer is another piece's business: with large pieces it is seen, with small ones not.
            Ok(true) => {
                outcome = Ok(true);
                break;
            }
            Err(error) => {
                outcome = Err(error.to_string());
                break;
            }
        }
    }
    let status = matches!(outcome, Ok(true)).then(|| parser.status());
    (outcome, body, status)
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, input)) = data.split_first() else { return };
    let is_head = first & 1 == 1;
    let whole = parsed(input, input.len().max(1), is_head);
    for piece in [1, 2, 7, 64] {
        let cut = parsed(input, piece, is_head);
        match (&whole.0, &cut.0) {
            // The surplus behind an answer is an error only where it comes together with the answer.
            (Err(_), Ok(true)) => assert!(input.len() > piece),
            (Ok(_), _) => assert_eq!(whole, cut, "in pieces of {piece}"),
            (Err(_), _) => assert!(cut.0.is_err() || input.len() > piece, "in pieces of {piece}"),
        }
    }
});
