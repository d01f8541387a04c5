//! The 8 bytes of an answer, as a body that hyper can send without memory of its own.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use hyper::body::{Body, Buf, Frame, SizeHint};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Two digits of the worker and six of the low 24 bits of the result.
pub fn digits(worker: usize, result: u64) -> [u8; 8] {
    let value = (worker as u64 & 0xff) << 24 | result & 0xff_ffff;
    std::array::from_fn(|index| HEX[(value >> (28 - 4 * index)) as usize & 0xf])
}

/// The body of an answer.
pub struct Answer(Option<Digits>);

/// The bytes of the body that are still to be sent.
pub struct Digits {
    bytes: [u8; 8],
    sent: usize,
}

impl Answer {
    /// The body with these bytes.
    pub fn new(bytes: [u8; 8]) -> Self {
        Self(Some(Digits { bytes, sent: 0 }))
    }
}

impl Body for Answer {
    type Data = Digits;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Digits>, Infallible>>> {
        Poll::Ready(self.0.take().map(|digits| Ok(Frame::data(digits))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, Buf::remaining) as u64)
    }
}

impl Buf for Digits {
    fn remaining(&self) -> usize {
        self.bytes.len() - self.sent
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    fn advance(&mut self, count: usize) {
        assert!(count <= self.remaining(), "the body has fewer bytes than were sent");
        self.sent += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_two_digits_of_the_worker_and_six_of_the_result() {
        assert_eq!(&digits(3, 0x1234_abcd), b"0334abcd");
        assert_eq!(&digits(255, 7), b"ff000007");
    }

    #[test]
    fn a_body_can_be_sent_in_parts() {
        let mut digits = Digits { bytes: *b"00abcdef", sent: 0 };
        digits.advance(3);
        assert_eq!((digits.remaining(), digits.chunk()), (5, &b"bcdef"[..]));
    }
}
