//! CPython's lock, after `take_gil` and `drop_gil` of `Python/ceval_gil.c` (3.12) with `FORCE_SWITCHING`.
//!
//! A waiter waits one switch interval at a time. Only if a whole interval passed, the lock is still held and nobody
//! switched meanwhile does it ask the holder to drop. The holder drops at its next safepoint, and then waits until
//! another thread has really taken the lock, so that it cannot snatch it back before the waiter has woken up. There is
//! no queue: of several waiters one is woken, and any thread that comes by may be faster.
//!
//! Two things are done differently, to the same effect:
//!
//! - CPython guards `last_holder` by a second mutex, so that others may take the lock between a drop and its wait for
//!   the switch. Here one mutex guards all, and the step from dropping to waiting is atomic. So the request is cleared
//!   in one place, the drop, where CPython has to clear it in the take as well.
//! - The request is one flag a lock, as in 3.12. Since 3.13 it is a bit of the holder's thread state, found through
//!   `last_holder`. With one lock an interpreter that is the same: a request is for whoever holds the lock.
//!
//! Why a forced switch cannot wait for ever: a request is set only while the lock is held, by a waiter inside
//! [`Gil::take`] that goes on waiting, and a waiter here cannot be cancelled. So whoever drops and finds the request set
//! has a waiter that will take the lock, unless another thread takes it first; either ends the wait. CPython's threads
//! can vanish while they wait (at finalization), which is why it takes a request back there (gh-96387); ours cannot.

use std::{
    sync::{Condvar, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use crate::{
    drop_request::DropRequest,
    monitor::{lock, wait, wait_timeout},
    thread_id::ThreadId,
};

/// CPython's shortest interval: it takes 0 for 1 µs.
const SHORTEST_INTERVAL: Duration = Duration::from_micros(1);

pub(crate) struct Gil {
    interval: Duration,
    state: Mutex<State>,
    /// The lock became free. CPython's `cond`.
    released: Condvar,
    /// The lock went to another thread. CPython's `switch_cond`.
    switched: Condvar,
}

#[derive(Default)]
struct State {
    locked: bool,
    last_holder: Option<ThreadId>,
    /// How many times the lock went to another thread than the one that had it before.
    switch_number: u64,
    /// Threads in the loop of `take`. Signals that nobody waits for are not sent, as in a `pthread_cond_signal`: in
    /// `std` each is a system call.
    waiting: usize,
    /// Threads that dropped on request and wait until another has the lock; the same thrift.
    switching: usize,
    /// How many drops had to wait for a switch.
    forced: u64,
    /// How long threads have waited in `take` and for switches, all added up.
    waited: Duration,
}

impl State {
    fn is_held_by(&self, thread: ThreadId) -> bool {
        self.locked && self.last_holder == Some(thread)
    }
}

/// Whether a waiter may ask the holder to drop, after one turn of waiting.
///
/// `seen` is the switch number at the start of the turn, `now` the one at its end. Whoever sees a switch starts a new
/// interval: the new holder is not charged for the time of the old one.
fn should_request_drop(timed_out: bool, locked: bool, seen: u64, now: u64) -> bool {
    timed_out && locked && seen == now
}

impl Gil {
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            interval: interval.max(SHORTEST_INTERVAL),
            state: Mutex::default(),
            released: Condvar::new(),
            switched: Condvar::new(),
        }
    }

    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// CPython's `take_gil`.
    pub(crate) fn take(&self, request: &DropRequest) {
        let me = ThreadId::current();
        let mut state = lock(&self.state);
        assert!(!state.is_held_by(me), "this thread acquired the interpreter lock that it already holds");
        if state.locked {
            let begun = Instant::now();
            state.waiting += 1;
            while state.locked {
                state = self.wait_a_turn(state, request);
            }
            state.waiting -= 1;
            state.waited += begun.elapsed();
        }
        debug_assert!(!request.is_set(), "the drop cleared the request, and nobody asks for a free lock");
        state.locked = true;
        if state.last_holder.replace(me) != Some(me) {
            state.switch_number += 1;
            let somebody_waits_for_the_switch = state.switching > 0;
            drop(state);
            if somebody_waits_for_the_switch {
                // All, because a thread that an earlier switch let go may still be on its way out.
                self.switched.notify_all();
            }
        }
    }

    /// Waits for one interval at most, and asks the holder to drop if that was in vain.
    fn wait_a_turn<'a>(&self, state: MutexGuard<'a, State>, request: &DropRequest) -> MutexGuard<'a, State> {
        let seen = state.switch_number;
        let (state, timed_out) = wait_timeout(&self.released, state, self.interval);
        if should_request_drop(timed_out, state.locked, seen, state.switch_number) {
            request.set();
        }
        state
    }

    /// CPython's `drop_gil`. It waits for the switch only where a drop was requested.
    pub(crate) fn give_up(&self, request: &DropRequest) {
        let me = ThreadId::current();
        let mut state = lock(&self.state);
        assert!(state.is_held_by(me), "this thread released an interpreter lock that it does not hold");
        state.locked = false;
        if !request.is_set() {
            let somebody_waits = state.waiting > 0;
            drop(state);
            if somebody_waits {
                self.released.notify_one();
            }
            return;
        }
        debug_assert!(state.waiting > 0, "a request without a waiter");
        request.clear();
        state.forced += 1;
        state.switching += 1;
        self.released.notify_one();
        let begun = Instant::now();
        while state.last_holder == Some(me) {
            state = wait(&self.switched, state);
        }
        state.waited += begun.elapsed();
        state.switching -= 1;
    }

    /// What a safepoint does that found the request set.
    pub(crate) fn switch(&self, request: &DropRequest) {
        self.give_up(request);
        self.take(request);
    }

    pub(crate) fn switches(&self) -> u64 {
        lock(&self.state).switch_number
    }

    pub(crate) fn waited(&self) -> Duration {
        lock(&self.state).waited
    }
}

#[cfg(test)]
mod tests;
