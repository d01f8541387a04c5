//! Connections come and go: opening, closing, time limits, and the end of a run.

use nix::errno::Errno;
use protocol::ErrorKind;

use super::{MAX_FAILURES, Round};
use crate::connection::State;
use crate::socket;
use crate::system::now_ns;

impl Round<'_> {
    /// Begins to open a connection.
    pub(super) fn connect(&mut self, slot: usize, now_ns: u64) {
        let connection = &mut self.slots[slot];
        let opened = socket::connect(&self.plan.targets[connection.target])
            .and_then(|socket| self.poller.add(&socket, slot).map(|()| socket));
        match opened {
            Ok(socket) => {
                connection.socket = Some(socket);
                connection.state = State::Opening;
                connection.requests = 0;
                connection.since_ns = now_ns;
                self.opening += 1;
            }
            Err(error) => self.failed_to_open(slot, socket::connect_error(error), now_ns),
        }
    }

    /// A connection that is being opened is now open, or never will be.
    pub(super) fn finish_opening(&mut self, slot: usize) {
        let Some(socket) = &self.slots[slot].socket else { return };
        let outcome = socket::outcome(socket);
        self.opening -= 1;
        match outcome {
            Ok(()) => self.go_on(slot, now_ns()),
            Err(error) => self.failed_to_open(slot, socket::connect_error(error), now_ns()),
        }
    }

    /// A connection could not be opened. That is the error of one request, if one was waiting for a connection.
    fn failed_to_open(&mut self, slot: usize, kind: ErrorKind, now_ns: u64) {
        // In an open loop a request waits only if there is no other connection for it.
        if self.idle.is_empty()
            && let Some(source) = &mut self.source
            && source.take(slot, now_ns).is_some()
        {
            self.tally.sent += 1;
            self.tally.error(kind);
            self.tally.ended_at_ns = now_ns;
        }
        self.slots[slot].failures += 1;
        self.close(slot, now_ns);
    }

    /// The request that is out on a connection has failed, and the connection with it.
    #[cold]
    pub(super) fn lost(&mut self, slot: usize, kind: ErrorKind, now_ns: u64) {
        self.tally.error(kind);
        self.tally.ended_at_ns = now_ns;
        self.in_flight -= 1;
        self.slots[slot].failures += 1;
        self.close(slot, now_ns);
    }

    /// Closes a connection and opens it again, at once or after a pause, if there is any use for it.
    pub(super) fn close(&mut self, slot: usize, now_ns: u64) {
        self.slots[slot].close(now_ns);
        if !self.is_wanted(slot) {
            return;
        }
        let is_open_loop = self.is_open_loop();
        let connection = &mut self.slots[slot];
        if connection.failures == 0 {
            self.connect(slot, now_ns);
        } else if connection.failures >= MAX_FAILURES && !is_open_loop {
            // An open loop ends by the clock and may see the server come back.
            connection.state = State::GivenUp;
            self.given_up += 1;
            if let Some(source) = &mut self.source {
                source.give_up(slot);
            }
        } else {
            self.next_reopen_ns = self.next_reopen_ns.min(connection.reopen_at_ns);
        }
    }

    /// Looks at all connections, if it is time: what has timed out, what is to be opened again, whether this is the end.
    #[inline]
    pub(super) fn sweep_if_due(&mut self, now_ns: u64) {
        if now_ns >= self.next_sweep_ns.min(self.next_reopen_ns) {
            self.sweep(now_ns);
        }
    }

    #[cold]
    fn sweep(&mut self, now_ns: u64) {
        self.next_sweep_ns = now_ns + self.plan.sweep_ns;
        self.next_reopen_ns = u64::MAX;
        let exhausted = self.is_exhausted();
        // That of an open loop was known from the beginning.
        if exhausted && self.source.is_some() && self.drain_until_ns == u64::MAX {
            self.drain_until_ns = now_ns.saturating_add(self.plan.drain_ns);
        }
        for slot in 0..self.slots.len() {
            let connection = &self.slots[slot];
            let too_old = now_ns.saturating_sub(connection.since_ns) >= self.plan.timeout_ns;
            match connection.state {
                State::Busy if too_old => self.lost(slot, ErrorKind::Timeout, now_ns),
                State::Opening if too_old => {
                    self.opening -= 1;
                    self.failed_to_open(slot, socket::connect_error(Errno::ETIMEDOUT), now_ns);
                }
                State::Closed if !self.is_wanted(slot) => {}
                State::Closed if connection.reopen_at_ns <= now_ns => self.connect(slot, now_ns),
                State::Closed => self.next_reopen_ns = self.next_reopen_ns.min(connection.reopen_at_ns),
                State::Busy | State::Opening | State::Idle | State::GivenUp => {}
            }
        }
    }

    /// The end of the run: what is still out is a straggler, and its connection is of no use to the next run.
    pub(super) fn cut(&mut self, now_ns: u64) {
        for connection in self.slots.iter_mut() {
            match connection.state {
                State::Busy => {
                    self.tally.straggler(now_ns - connection.intended_ns);
                    self.tally.ended_at_ns = now_ns;
                    connection.close(now_ns);
                }
                State::Opening => connection.close(now_ns),
                State::Closed | State::Idle | State::GivenUp => {}
            }
        }
    }
}
