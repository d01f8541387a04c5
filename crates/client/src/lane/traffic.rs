//! Requests out, answers in: the path that every request takes.

use nix::errno::Errno;
use protocol::ErrorKind;

use super::Round;
use crate::check::Verdict;
use crate::connection::State;
use crate::parser::AtEnd;
use crate::schedule::Due;
use crate::socket;
use crate::system::now_ns;

impl Round<'_> {
    /// An open connection without a request gets the next one, if there is one for it: in a closed loop as soon as all
    /// answers at hand are read.
    #[inline]
    pub(super) fn go_on(&mut self, slot: usize, now_ns: u64) {
        self.slots[slot].state = State::Idle;
        let Some(source) = &mut self.source else { return };
        if source.is_open() {
            if self.idle.is_empty() {
                self.idle_since_ns = now_ns;
            }
            self.idle.push_back(slot);
            self.send_what_is_due(now_ns);
        } else {
            self.ready.push(slot);
        }
    }

    /// Closed loop: every connection that has its answer sends its next request, as long as its share lasts.
    ///
    /// All answers are read before the first request is sent. Otherwise the first one would wake a server that has
    /// nothing else to do yet, which falls asleep again before the second.
    #[inline]
    pub(super) fn send_next(&mut self) {
        let mut at = 0;
        // A request may fail at once, and its connection be ready again.
        while at < self.ready.len() {
            let slot = self.ready[at];
            at += 1;
            if self.slots[slot].state != State::Idle {
                continue;
            }
            let now = now_ns();
            if let Some(due) = self.source.as_mut().and_then(|source| source.take(slot, now)) {
                self.send(slot, due, now);
            }
        }
        self.ready.clear();
    }

    /// Open loop: sends every request that is due, as long as there are connections.
    #[inline]
    pub(super) fn send_what_is_due(&mut self, now_ns: u64) {
        while let Some(&slot) = self.idle.front() {
            let Some(due) = self.source.as_mut().and_then(|source| source.take(slot, now_ns)) else { return };
            self.idle.pop_front();
            self.tally.sent_late += u64::from(now_ns > self.schedule_end_ns);
            // Otherwise it has waited for a connection, which is the server's time, not the client's.
            if self.idle_since_ns <= due.at_ns {
                self.tally.lag(now_ns - due.at_ns);
            }
            self.send(slot, due, now_ns);
        }
    }

    /// Sends a request on an open connection without one.
    #[inline]
    fn send(&mut self, slot: usize, due: Due, now_ns: u64) {
        let connection = &mut self.slots[slot];
        let requests = &self.plan.requests[connection.target];
        // A division for the usual single request would be the most expensive part of this function.
        let kind = if requests.len() == 1 { 0 } else { usize::try_from(due.index).unwrap_or(0) % requests.len() };
        connection.begin(kind, requests[kind].is_head, due.at_ns, now_ns);
        self.tally.sent += 1;
        self.in_flight += 1;
        self.tally.max_in_flight = self.tally.max_in_flight.max(self.in_flight);
        self.write(slot);
    }

    /// Writes what is left of the request that is out.
    #[inline]
    pub(super) fn write(&mut self, slot: usize) {
        let connection = &mut self.slots[slot];
        let bytes = &self.plan.requests[connection.target][connection.kind].bytes;
        while connection.written < bytes.len() {
            let Some(socket) = &connection.socket else { return };
            match socket::send(socket, &bytes[connection.written..]) {
                Ok(count) => connection.written += count,
                Err(Errno::EAGAIN) => return,
                Err(Errno::EINTR) => {}
                Err(_) => {
                    // The server may have answered before it closed: a refusal of a body that is too large.
                    self.read(slot, true);
                    return;
                }
            }
        }
    }

    /// Reads what there is of the answer. `ended` says that the connection ends after that.
    #[inline]
    pub(super) fn read(&mut self, slot: usize, ended: bool) {
        loop {
            let connection = &mut self.slots[slot];
            let Some(socket) = &connection.socket else { return };
            match socket::receive(socket, self.buffer) {
                Ok(0) => return self.end_of_stream(slot),
                Ok(count) => {
                    let (check, body) = (&self.plan.check, &mut connection.body);
                    match connection.parser.feed(&self.buffer[..count], |part| body.take(check, part)) {
                        Ok(false) if count == self.buffer.len() || ended => {}
                        // Less than there was room for: the rest will be a new event.
                        Ok(false) => return,
                        Ok(true) => return self.answered(slot, ended),
                        Err(_) => return self.lost(slot, ErrorKind::Malformed, now_ns()),
                    }
                }
                Err(Errno::EAGAIN) if !ended => return,
                Err(Errno::EINTR) => {}
                // Also a broken connection on which nothing is left to read.
                Err(_) => return self.lost(slot, ErrorKind::Reset, now_ns()),
            }
        }
    }

    /// The whole answer is there.
    #[inline]
    fn answered(&mut self, slot: usize, ended: bool) {
        let now = now_ns();
        let connection = &mut self.slots[slot];
        let request = &self.plan.requests[connection.target][connection.kind];
        let status = connection.parser.status();
        let (latency, service) = (now - connection.intended_ns, now - connection.since_ns);
        match self.plan.check.judge(status, request.is_head, &connection.body, connection.requests - 1) {
            Verdict::Right { worker } => {
                self.tally.right(status, latency, service);
                if let Some(worker) = worker {
                    self.tally.numbered_worker(worker);
                } else if let Some(name) = connection.parser.value() {
                    self.tally.named_worker(name);
                }
            }
            Verdict::Wrong(kind) => self.tally.wrong(status, latency, kind),
        }
        self.gatherer.answered(service);
        self.in_flight -= 1;
        self.tally.ended_at_ns = now;
        connection.failures = 0;
        // An answer to half a request leaves the other half nowhere to go.
        if connection.parser.keep_alive() && !ended && connection.written == request.bytes.len() {
            self.go_on(slot, now);
        } else {
            self.close(slot, now);
        }
    }

    /// The server has ended the connection while a request was out.
    #[cold]
    fn end_of_stream(&mut self, slot: usize) {
        match self.slots[slot].parser.at_end() {
            AtEnd::Whole => self.answered(slot, true),
            AtEnd::InHead => self.lost(slot, ErrorKind::Reset, now_ns()),
            AtEnd::InBody => self.lost(slot, ErrorKind::Short, now_ns()),
        }
    }

    /// Something happened at a connection without a request: the server has closed it, or it sends what nobody asked
    /// for. Neither is an error of a request, and the connection is of no more use.
    #[cold]
    pub(super) fn look_at_idle(&mut self, slot: usize) {
        let Some(socket) = &self.slots[slot].socket else { return };
        if socket::receive(socket, self.buffer) != Err(Errno::EAGAIN) {
            self.idle.retain(|&idle| idle != slot);
            self.close(slot, now_ns());
        }
    }
}
