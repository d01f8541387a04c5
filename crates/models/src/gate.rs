//! The barrier that all threads of a pool start from.
//!
//! Unlike [`std::sync::Barrier`] it opens for nobody if one thread cannot come: a thread that was refused by the system,
//! or failed or panicked on its way, calls the whole start off, and nothing hangs.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    /// A thread has arrived or given up.
    arrival: Condvar,
    /// The gate has been opened, or the start called off.
    start: Condvar,
}

#[derive(Debug, Default)]
struct State {
    arrived: usize,
    phase: Phase,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Phase {
    #[default]
    Closed,
    Open,
    CalledOff,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call_off_unless_open(&self) {
        let mut state = self.state();
        if state.phase == Phase::Closed {
            state.phase = Phase::CalledOff;
            self.arrival.notify_all();
            self.start.notify_all();
        }
    }

    /// The ticket of one thread; dropped before it was used, it calls the start off.
    pub fn ticket(&self) -> Ticket<'_> {
        Ticket(self)
    }

    /// The key of the one that waits for all; dropped before it was used, it calls the start off.
    pub fn key(&self) -> Key<'_> {
        Key(self)
    }
}

pub struct Ticket<'a>(&'a Gate);

impl Ticket<'_> {
    /// Waits at the gate. Returns whether the start takes place.
    pub fn wait(self) -> bool {
        let mut state = self.0.state();
        state.arrived += 1;
        self.0.arrival.notify_one();
        while state.phase == Phase::Closed {
            state = self.0.start.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.phase == Phase::Open
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        // After `wait` the gate is not closed, and this does nothing.
        self.0.call_off_unless_open();
    }
}

pub struct Key<'a>(&'a Gate);

impl Key<'_> {
    /// Waits until `threads` have arrived and opens the gate. Returns when that was, or `None` if the start was called
    /// off.
    pub fn open_for(self, threads: usize) -> Option<Instant> {
        let mut state = self.0.state();
        while state.phase == Phase::Closed && state.arrived < threads {
            state = self.0.arrival.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.phase == Phase::CalledOff {
            return None;
        }
        state.phase = Phase::Open;
        drop(state);
        let opened = Instant::now();
        self.0.start.notify_all();
        Some(opened)
    }
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        self.0.call_off_unless_open();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_gate_opens_when_all_have_come() {
        let gate = Gate::default();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| gate.ticket().wait())).collect();
            assert!(gate.key().open_for(3).is_some());
            for thread in threads {
                assert!(thread.join().unwrap());
            }
        });
    }

    #[test]
    fn a_thread_that_gives_up_calls_the_start_off_for_all() {
        let gate = Gate::default();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.ticket().wait());
            scope.spawn(|| drop(gate.ticket()));
            assert!(gate.key().open_for(2).is_none());
            assert!(!waiting.join().unwrap());
        });
    }

    #[test]
    fn a_start_that_nobody_waits_for_any_more_is_called_off() {
        let gate = Gate::default();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.ticket().wait());
            drop(gate.key());
            assert!(!waiting.join().unwrap());
        });
    }
}
