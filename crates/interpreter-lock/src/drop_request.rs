//! The flag that a safepoint reads. Who sets it, and what its holder then does, is up to the kind of lock.

use std::sync::atomic::{AtomicBool, Ordering};

/// Somebody wants the lock: the holder is to give it up at its next safepoint.
///
/// It stands on cache lines of its own (two, because x86 fetches lines in pairs). The holder reads it in its hottest
/// loop, and must not miss the cache because a waiter touched the lock's other fields.
///
/// All accesses are relaxed, as CPython's and Ruby's are on their interrupt flags: the flag carries no data. It is only
/// written with the lock's mutex held; the one reader without it is the safepoint, which may well be a little late.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct DropRequest(AtomicBool);

impl DropRequest {
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Writes only where it changes something, so that the line stays shared while nobody asks for the lock.
    pub(crate) fn clear(&self) {
        if self.is_set() {
            self.0.store(false, Ordering::Relaxed);
        }
    }
}
