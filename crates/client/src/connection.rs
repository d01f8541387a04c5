//! One connection and the request that is out on it. What to do with it is the lane's business.

use std::os::fd::OwnedFd;

use crate::check::BodySeen;
use crate::parser::Parser;
use crate::plan::Plan;

/// Longest time between two attempts to open a connection again.
const MAX_BACKOFF_NS: u64 = 100_000_000;
const MIN_BACKOFF_NS: u64 = 1_000_000;

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not open; [`Connection::reopen_at_ns`] says when it is tried again.
    Closed,
    /// Being opened.
    Opening,
    /// Open, and no request is out.
    Idle,
    /// A request is out.
    Busy,
    /// Not open, and not tried again in this run.
    GivenUp,
}

/// A place for a connection, which is opened again and again.
#[derive(Debug)]
pub struct Connection {
    /// The socket, while there is one.
    pub socket: Option<OwnedFd>,
    /// What it is doing.
    pub state: State,
    /// Index of the address it goes to.
    pub target: usize,
    /// Which of the requests is out.
    pub kind: usize,
    /// How much of it is written.
    pub written: usize,
    /// Requests sent since the connection was opened.
    pub requests: u64,
    /// When the request that is out was to be sent.
    pub intended_ns: u64,
    /// When it was sent, or when the connection began to be opened.
    pub since_ns: u64,
    /// The answer so far.
    pub parser: Parser,
    /// Its body so far.
    pub body: BodySeen,
    /// Times in a row that the connection did not bring a single answer.
    pub failures: u32,
    /// When a closed connection is opened again.
    pub reopen_at_ns: u64,
}

impl Connection {
    /// A place in the client's round of connections.
    #[must_use]
    pub fn new(plan: &Plan, slot: usize) -> Self {
        Self {
            socket: None,
            state: State::Closed,
            target: slot % plan.targets.len(),
            kind: 0,
            written: 0,
            requests: 0,
            intended_ns: 0,
            since_ns: 0,
            parser: Parser::new(plan.worker_header.as_deref()),
            body: BodySeen::default(),
            failures: 0,
            reopen_at_ns: 0,
        }
    }

    /// Notes that a request begins.
    #[inline]
    pub fn begin(&mut self, kind: usize, is_head: bool, intended_ns: u64, now_ns: u64) {
        self.state = State::Busy;
        self.kind = kind;
        self.written = 0;
        self.requests += 1;
        self.intended_ns = intended_ns;
        self.since_ns = now_ns;
        self.parser.start(is_head);
        self.body = BodySeen::default();
    }

    /// Closes the connection, which may be opened again after a pause that grows with its failures.
    pub fn close(&mut self, now_ns: u64) {
        self.socket = None;
        self.state = State::Closed;
        self.reopen_at_ns = now_ns + backoff_ns(self.failures);
    }
}

/// How long to wait before a connection is opened again: 1, 2, 4, … ms, so that a server that is not there is not
/// stormed. One that gave an answer is opened at once.
fn backoff_ns(failures: u32) -> u64 {
    match failures {
        0 => 0,
        _ => (MIN_BACKOFF_NS << (failures - 1).min(20)).min(MAX_BACKOFF_NS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_before_a_connection_is_opened_again_doubles_up_to_a_bound() {
        assert_eq!([0, 1, 2, 5, 8, 1000].map(|failures| backoff_ns(failures) / 1_000_000), [0, 1, 2, 16, 100, 100]);
    }
}
