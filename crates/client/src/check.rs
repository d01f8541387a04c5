//! What an answer is held against, and how its body is looked at while it streams by. No body is ever kept.

use protocol::{ErrorKind, Expect, REQUEST_SEEDS};

use crate::burn::burn;

/// Length of an answer of our own server.
const BURN_BYTES: usize = 8;

/// What every answer must be, prepared before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// An answer of our own server.
    Burn {
        /// How many workers it has.
        workers: u32,
        /// The last six bytes of the right answer, by seed.
        tails: Vec<[u8; 6]>,
    },
    /// An answer of another server.
    Status {
        /// Its status, or any from 200 to 399.
        status: Option<u16>,
        /// Its body, where that is known.
        body: Option<Vec<u8>>,
    },
}

impl Check {
    /// Prepares the check. For our own server that computes all right answers: [`REQUEST_SEEDS`] burns.
    #[must_use]
    pub fn new(expect: &Expect) -> Self {
        match expect {
            Expect::Burn { workers, iterations } => {
                let tail = |seed| {
                    let digits = format!("{:06x}", burn(*iterations, seed) & 0x00ff_ffff);
                    digits.as_bytes().try_into().expect("24 bits are six digits")
                };
                let seeds = 0..u32::try_from(REQUEST_SEEDS).expect("few seeds");
                Self::Burn { workers: *workers, tails: seeds.map(tail).collect() }
            }
            Expect::Status { status, body } => {
                Self::Status { status: *status, body: body.as_ref().map(|body| body.as_bytes().to_vec()) }
            }
        }
    }

    /// Judges a whole answer: that of request number `k` of its connection, from 0 on.
    #[inline]
    #[must_use]
    pub fn judge(&self, status: u16, is_head: bool, body: &BodySeen, k: u64) -> Verdict {
        match self {
            Self::Burn { .. } if status != 200 => Verdict::Wrong(ErrorKind::Status),
            Self::Burn { workers, tails } => {
                let tail = &tails[usize::try_from(k % REQUEST_SEEDS).expect("a small number")];
                let worker = two_digits(body.first[0], body.first[1]);
                match worker {
                    Some(worker)
                        if body.length == BURN_BYTES as u64
                            && u32::from(worker) < *workers
                            && body.first[2..] == tail[..] =>
                    {
                        Verdict::Right { worker: Some(worker) }
                    }
                    _ => Verdict::Wrong(ErrorKind::WrongBody),
                }
            }
            Self::Status { status: Some(right), .. } if status != *right => Verdict::Wrong(ErrorKind::Status),
            Self::Status { status: None, .. } if !(200..400).contains(&status) => Verdict::Wrong(ErrorKind::Status),
            Self::Status { body: Some(right), .. }
                if !is_head && (body.differs || body.length != right.len() as u64) =>
            {
                Verdict::Wrong(ErrorKind::WrongBody)
            }
            Self::Status { .. } => Verdict::Right { worker: None },
        }
    }
}

/// What came of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is right; from our own server with the number of the worker.
    Right {
        /// The worker's number, where the body has one.
        worker: Option<u8>,
    },
    /// It is not: status or body.
    Wrong(ErrorKind),
}

/// What was seen of a body: enough to judge it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BodySeen {
    length: u64,
    first: [u8; BURN_BYTES],
    differs: bool,
}

impl BodySeen {
    /// Takes in the next part of the body.
    #[inline]
    pub fn take(&mut self, check: &Check, part: &[u8]) {
        let at = usize::try_from(self.length).unwrap_or(usize::MAX);
        match check {
            Check::Burn { .. } if at == 0 && part.len() == BURN_BYTES => self.first.copy_from_slice(part),
            Check::Burn { .. } => {
                let room = self.first.len().saturating_sub(at);
                let count = room.min(part.len());
                if count > 0 {
                    self.first[at..at + count].copy_from_slice(&part[..count]);
                }
            }
            Check::Status { body: Some(right), .. } => {
                self.differs |= right.get(at..).is_none_or(|rest| !rest.starts_with(part));
            }
            Check::Status { body: None, .. } => {}
        }
        self.length += part.len() as u64;
    }
}

/// The number that two hexadecimal digits in lower case stand for.
fn two_digits(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(check: &Check, status: u16, parts: &[&str], k: u64) -> Verdict {
        let mut seen = BodySeen::default();
        for part in parts {
            seen.take(check, part.as_bytes());
        }
        check.judge(status, false, &seen, k)
    }

    const WRONG_BODY: Verdict = Verdict::Wrong(ErrorKind::WrongBody);
    const WRONG_STATUS: Verdict = Verdict::Wrong(ErrorKind::Status);

    #[test]
    fn an_answer_of_our_server_is_right_for_its_seed_and_its_workers_only() {
        // No steps: the result is the seed.
        let check = Check::new(&Expect::Burn { workers: 11, iterations: 0 });
        assert_eq!(judge(&check, 200, &["0a000003"], 3), Verdict::Right { worker: Some(10) });
        assert_eq!(judge(&check, 200, &["0a0", "0000", "3"], 16 + 3), Verdict::Right { worker: Some(10) });
        assert_eq!(judge(&check, 200, &["0a000003"], 4), WRONG_BODY);
        assert_eq!(judge(&check, 200, &["0b000003"], 3), WRONG_BODY, "worker 11 of 0 to 10");
        assert_eq!(judge(&check, 200, &["0A000003"], 3), WRONG_BODY, "upper case");
        assert_eq!(judge(&check, 200, &["0a00003"], 3), WRONG_BODY, "seven bytes");
        assert_eq!(judge(&check, 200, &["0a000003", "3"], 3), WRONG_BODY, "nine bytes");
        assert_eq!(judge(&check, 200, &[], 0), WRONG_BODY);
        assert_eq!(judge(&check, 500, &["0a000003"], 3), WRONG_STATUS);
    }

    #[test]
    fn a_status_may_be_one_or_any_that_is_no_error() {
        let any = Check::new(&Expect::Status { status: None, body: None });
        assert_eq!(judge(&any, 302, &["whatever"], 0), Verdict::Right { worker: None });
        assert_eq!(judge(&any, 404, &[], 0), WRONG_STATUS);
        let one = Check::new(&Expect::Status { status: Some(404), body: None });
        assert_eq!(judge(&one, 404, &[], 0), Verdict::Right { worker: None });
        assert_eq!(judge(&one, 200, &[], 0), WRONG_STATUS);
    }

    #[test]
    fn a_known_body_must_be_equal_to_its_last_byte() {
        let check = Check::new(&Expect::Status { status: None, body: Some("hello".into()) });
        assert_eq!(judge(&check, 200, &["he", "", "llo"], 0), Verdict::Right { worker: None });
        for wrong in [&["hell"][..], &["hello", "!"], &["hallo"], &[]] {
            assert_eq!(judge(&check, 200, wrong, 0), WRONG_BODY, "{wrong:?}");
        }
        assert_eq!(
            check.judge(200, true, &BodySeen::default(), 0),
            Verdict::Right { worker: None },
            "HEAD has no body"
        );
    }
}
