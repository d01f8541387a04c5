//! What a client may send to the server: neither request path panics or waits for ever, and how the bytes are cut into
//! pieces makes no difference to the requests that are answered.

#![no_main]

use libfuzzer_sys::fuzz_target;
use server::{respond, respond_blocking};

fuzz_target!(|data: &[u8]| {
    let paths: [fn(&[u8], usize) -> Vec<u8>; 2] = [respond, respond_blocking];
    for path in paths {
        let whole = answered(path(data, data.len().max(1)));
        for piece in [1, 13] {
            assert_eq!(whole, answered(path(data, piece)), "in pieces of {piece}");
        }
    }
});

/// The answers without the refusal at their end: half a head that is no head is refused at once when it comes in one
/// piece, and is only the end of the connection when it trickles in.
fn answered(mut answers: Vec<u8>) -> String {
    const REFUSAL: &[u8] = b"HTTP/1.1 4";
    if let Some(at) = answers.windows(REFUSAL.len()).position(|part| part == REFUSAL) {
        answers.truncate(at);
    }
    String::from_utf8(answers).expect("answers are text")
}
