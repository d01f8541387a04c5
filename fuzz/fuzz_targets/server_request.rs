//! What a client may send to the server: neither request path panics or waits for ever, and how the bytes are cut into
//! pieces makes no difference to the answers.

#![no_main]

use libfuzzer_sys::fuzz_target;
use server::{respond, respond_blocking};

fuzz_target!(|data: &[u8]| {
    let whole = respond(data, data.len().max(1));
    assert_eq!(whole, respond(data, 1));
    assert_eq!(whole, respond(data, 13));
    let whole = respond_blocking(data, data.len().max(1));
    assert_eq!(whole, respond_blocking(data, 1));
    assert_eq!(whole, respond_blocking(data, 13));
});
