//! A client thread: it owns its connections and its epoll instance, and shares nothing with the others.
//!
//! A [`Lane`] outlives runs, as its connections do. A `Round` is one run of it. This file has the loop; `traffic`
//! sends requests and reads answers, `upkeep` opens, closes and times out connections, `gather` knows when a short pause
//! saves both sides work.

mod gather;
mod traffic;
mod upkeep;

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use anyhow::Result;
use gather::Gatherer;

use crate::connection::{Connection, State};
use crate::plan::Plan;
use crate::source::Source;
use crate::system::{Event, Events, Poller, now_ns};
use crate::tally::Tally;

/// How much is read at once. Small answers take a fraction of it, large bodies few reads.
const BUFFER_BYTES: usize = 64 * 1024;
/// How often in a row a connection of a closed loop may fail before it is given up. With the pauses between that is
/// about a second and a half.
const MAX_FAILURES: u32 = 20;

/// What a client thread keeps between runs.
pub struct Lane {
    /// Which of the plan's threads it is for.
    pub thread: usize,
    plan: Arc<Plan>,
    slots: Vec<Connection>,
    poller: Poller,
    events: Events,
    buffer: Vec<u8>,
}

impl Lane {
    /// Thread number `thread` of the plan's threads, with its share of the connections, none of them open.
    ///
    /// # Errors
    /// No descriptor is free.
    pub fn new(plan: &Arc<Plan>, thread: usize) -> Result<Self> {
        let slots: Vec<_> =
            (thread..plan.connections).step_by(plan.threads).map(|slot| Connection::new(plan, slot)).collect();
        Ok(Self {
            thread,
            plan: Arc::clone(plan),
            poller: Poller::new()?,
            events: Events::new(slots.len()),
            buffer: vec![0; BUFFER_BYTES],
            slots,
        })
    }

    /// Opens all connections that are not open, and waits until each is or has failed.
    ///
    /// # Errors
    /// The kernel refused to wait.
    pub fn open(&mut self) -> Result<()> {
        Round::new(self, None).open()
    }

    /// Sends requests until none is left and all are answered, or time is up.
    ///
    /// # Errors
    /// The kernel refused to wait.
    pub fn run(&mut self, source: Source) -> Result<Tally> {
        Round::new(self, Some(source)).run()
    }
}

/// One run of a lane.
struct Round<'a> {
    plan: &'a Plan,
    slots: &'a mut [Connection],
    poller: &'a mut Poller,
    events: &'a mut Events,
    buffer: &'a mut [u8],
    /// Where requests come from; `None` while connections are only opened.
    source: Option<Source>,
    tally: Tally,
    /// Closed loop: connections that get their next request when all answers at hand are read.
    ready: Vec<usize>,
    gatherer: Gatherer,
    /// Open loop: connections without a request, longest idle first, so that all are used in turn.
    idle: VecDeque<usize>,
    /// Since when there has always been one of them; 0 is before the start.
    idle_since_ns: u64,
    /// Requests that are out.
    in_flight: u64,
    /// Connections that are being opened.
    opening: usize,
    /// Connections that were given up.
    given_up: usize,
    next_sweep_ns: u64,
    /// When a closed connection is to be opened again, whichever is first.
    next_reopen_ns: u64,
    /// When the schedule of an open loop ends; `u64::MAX` in a closed loop.
    schedule_end_ns: u64,
    /// When the wait for answers ends; `u64::MAX` while there are requests to send.
    drain_until_ns: u64,
}

impl<'a> Round<'a> {
    fn new(lane: &'a mut Lane, source: Option<Source>) -> Self {
        let now = now_ns();
        Self {
            plan: &lane.plan,
            slots: &mut lane.slots,
            poller: &mut lane.poller,
            events: &mut lane.events,
            buffer: &mut lane.buffer,
            tally: Tally::new(source.as_ref().is_some_and(Source::is_open)),
            source,
            ready: Vec::new(),
            gatherer: Gatherer::default(),
            idle: VecDeque::new(),
            idle_since_ns: 0,
            in_flight: 0,
            opening: 0,
            given_up: 0,
            next_sweep_ns: now,
            next_reopen_ns: u64::MAX,
            schedule_end_ns: u64::MAX,
            drain_until_ns: u64::MAX,
        }
    }

    fn open(mut self) -> Result<()> {
        let now = now_ns();
        self.next_sweep_ns = now + self.plan.sweep_ns;
        // Connections of an earlier run may have been closed meanwhile; the kernel has kept the news.
        self.handle_events(now, now)?;
        for slot in 0..self.slots.len() {
            if matches!(self.slots[slot].state, State::Closed | State::GivenUp) {
                self.slots[slot].failures = 0;
                self.connect(slot, now);
            }
        }
        while self.opening > 0 {
            let now = now_ns();
            self.handle_events(self.next_sweep_ns, now)?;
            self.sweep_if_due(now_ns());
        }
        Ok(())
    }

    fn run(mut self) -> Result<Tally> {
        let start = now_ns();
        self.tally.ended_at_ns = start;
        let is_open_loop = self.is_open_loop();
        if let Some(end) = self.source.as_ref().and_then(Source::end_ns) {
            self.schedule_end_ns = end;
            self.drain_until_ns = end.saturating_add(self.plan.drain_ns);
        }
        for slot in 0..self.slots.len() {
            match self.slots[slot].state {
                // Idle since before the schedule began, however late this thread comes to it: `idle_since_ns` stays 0.
                State::Idle if is_open_loop => self.idle.push_back(slot),
                State::Idle => self.ready.push(slot),
                _ => self.next_reopen_ns = self.next_reopen_ns.min(self.slots[slot].reopen_at_ns),
            }
        }
        self.send_what_is_due(now_ns());
        self.send_next();
        let mut events = 0;
        let mut now = now_ns();
        while !self.is_over(now) {
            if !is_open_loop && let Some(pause) = self.gatherer.pause(self.in_flight, events) {
                thread::sleep(pause);
            }
            events = self.handle_events(self.wake_at(), now)?;
            now = now_ns();
            self.send_what_is_due(now);
            self.sweep_if_due(now);
        }
        self.cut(now);
        self.tally.unsent = self.source.map_or(0, Source::left);
        Ok(self.tally)
    }

    /// Waits for events until this time and handles them. Returns how many there were.
    #[inline]
    fn handle_events(&mut self, until_ns: u64, now_ns: u64) -> Result<usize> {
        let count = self.poller.wait(self.events, until_ns, now_ns)?;
        for place in 0..count {
            if let Some(event) = self.events.get(place) {
                self.handle(event);
            }
        }
        self.send_next();
        Ok(count)
    }

    #[inline]
    fn handle(&mut self, event: Event) {
        match self.slots[event.slot].state {
            State::Busy => {
                if event.writable {
                    self.write(event.slot);
                }
                let is_busy = self.slots[event.slot].state == State::Busy;
                if is_busy && (event.readable || event.ended) {
                    self.read(event.slot, event.ended);
                }
            }
            State::Idle if event.readable || event.ended => self.look_at_idle(event.slot),
            State::Opening if event.writable || event.ended => self.finish_opening(event.slot),
            State::Idle | State::Opening | State::Closed | State::GivenUp => {}
        }
    }

    /// When something must be done even though nothing happens.
    #[inline]
    fn wake_at(&self) -> u64 {
        let upkeep = self.next_sweep_ns.min(self.next_reopen_ns).min(self.drain_until_ns);
        match self.source.as_ref().and_then(Source::next_due_ns) {
            Some(due) if !self.idle.is_empty() => upkeep.min(due),
            _ => upkeep,
        }
    }

    #[inline]
    fn is_over(&mut self, now_ns: u64) -> bool {
        if self.in_flight == 0 && self.is_exhausted() {
            return true;
        }
        now_ns >= self.drain_until_ns || self.given_up == self.slots.len()
    }

    fn is_exhausted(&self) -> bool {
        self.source.as_ref().is_none_or(Source::is_exhausted)
    }

    /// Whether a connection has anything to send yet.
    fn is_wanted(&self, slot: usize) -> bool {
        self.source.as_ref().is_some_and(|source| source.has_for(slot))
    }

    fn is_open_loop(&self) -> bool {
        self.source.as_ref().is_some_and(Source::is_open)
    }
}

#[cfg(test)]
mod tests;
