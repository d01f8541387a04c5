//! Numbers for files of one's own, given back after use, so that a job has as many files as tasks run at once and not as
//! many as it has tasks.

use std::sync::{Mutex, PoisonError};

/// Numbers from 0 on. The smallest that have been given back are taken again first.
#[derive(Debug, Default)]
pub struct Slots(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    free: Vec<u64>,
    next: u64,
}

impl Slots {
    /// A number that nobody else has until it is dropped.
    pub fn take(&self) -> Slot<'_> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.free.pop().unwrap_or_else(|| {
            state.next += 1;
            state.next - 1
        });
        Slot { number, of: self }
    }
}

/// A number that is taken.
#[derive(Debug)]
pub struct Slot<'a> {
    /// The number.
    pub number: u64,
    of: &'a Slots,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.of.0.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_by_one_at_a_time_and_used_again() {
        let slots = Slots::default();
        let first = slots.take();
        let second = slots.take();
        assert_eq!((first.number, second.number), (0, 1));
        drop(first);
        assert_eq!(slots.take().number, 0);
    }
}
