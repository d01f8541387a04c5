//! The barrier that all threads of a pool start from.
//!
//! The last thread to arrive opens it and goes straight on, so the start costs no more waking than it must. Unlike
//! [`std::sync::Barrier`] it opens for nobody if one thread cannot come: a thread that was refused by the system, or
//! failed or panicked on its way, calls the whole start off, and nothing hangs.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

#[derive(Debug)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// So many threads are still to come.
    Closed(usize),
    Open(Instant),
    CalledOff,
}

impl Gate {
    /// A gate that opens when that many threads have come.
    pub fn new(threads: usize) -> Self {
        Self { state: Mutex::new(State::Closed(threads)), changed: Condvar::new() }
    }

    /// The ticket of one thread. Dropped before it was used, it calls the start off.
    pub fn ticket(&self) -> Ticket<'_> {
        Ticket(self)
    }

    /// When the gate was opened, if it was.
    pub fn opened(&self) -> Option<Instant> {
        match *self.state() {
            State::Open(opened) => Some(opened),
            State::Closed(_) | State::CalledOff => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct Ticket<'a>(&'a Gate);

impl Ticket<'_> {
    /// Waits until all have come. Returns whether the start takes place.
    pub fn wait(self) -> bool {
        let mut state = self.0.state();
        match *state {
            State::Closed(1) => {
                *state = State::Open(Instant::now());
                drop(state);
                self.0.changed.notify_all();
                return true;
            }
            State::Closed(to_come) => *state = State::Closed(to_come - 1),
            State::Open(_) | State::CalledOff => {}
        }
        while matches!(*state, State::Closed(_)) {
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        *state != State::CalledOff
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        // After `wait` the gate is not closed any more, and this does nothing.
        let mut state = self.0.state();
        if matches!(*state, State::Closed(_)) {
            *state = State::CalledOff;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_gate_opens_when_all_have_come() {
        let gate = Gate::new(3);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| gate.ticket().wait())).collect();
            for thread in threads {
                assert!(thread.join().unwrap());
            }
        });
        assert!(gate.opened().is_some());
    }

    #[test]
    fn a_thread_that_gives_up_calls_the_start_off_for_all() {
        let gate = Gate::new(3);
        thread::scope(|scope| {
            let waiting = [(); 2].map(|()| scope.spawn(|| gate.ticket().wait()));
            scope.spawn(|| drop(gate.ticket()));
            for thread in waiting {
                assert!(!thread.join().unwrap());
            }
        });
        assert_eq!(gate.opened(), None);
    }
}
