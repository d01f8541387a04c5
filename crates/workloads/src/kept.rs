//! Connections that are kept from one step to the next.

use std::sync::{Mutex, PoisonError};

/// Connections that nobody uses at the moment. Whoever needs one takes the one that was used last, and gives it back if it is
/// still good: so as many stay open as were in use at once.
#[derive(Debug)]
pub struct Kept<T>(Mutex<Vec<T>>);

impl<T> Kept<T> {
    /// Takes one, if there is one.
    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Gives one back.
    pub fn keep(&self, connection: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
