//! An emulated interpreter lock: the GIL of CPython or the GVL of Ruby, or none.
//!
//! Threads that run interpreted code share one lock and take turns. The emulation lets a Rust program be measured under
//! the same rules: it holds the lock while it computes, passes a [safepoint](InterpreterLock::safepoint) often, and
//! gives the lock up around every wait.
//!
//! ```
//! use interpreter_lock::{GIL_SWITCH_INTERVAL, InterpreterLock};
//!
//! let lock = InterpreterLock::gil(GIL_SWITCH_INTERVAL);
//! std::thread::scope(|scope| {
//!     for _ in 0..2 {
//!         scope.spawn(|| {
//!             let _held = lock.hold();
//!             for _ in 0..1_000 {
//!                 // … a few hundred instructions of work …
//!                 lock.safepoint();
//!             }
//!             lock.unlocked(|| std::thread::sleep(std::time::Duration::from_millis(1)));
//!         });
//!     }
//! });
//! ```
//!
//! This crate is about who may run and when. It protects no data, knows no event loop and does no work. The rules of each
//! kind, with their sources, are in `gil.rs` and `gvl.rs`. An emulation it stays: what a real interpreter adds (its cost
//! for each release, a safepoint's distance from the next, C code that never passes one) is for a real interpreter to show.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

mod drop_request;
mod gil;
mod gvl;
mod monitor;
mod thread_id;

use drop_request::DropRequest;
use gil::Gil;
use gvl::Gvl;

/// CPython's default switch interval (`DEFAULT_INTERVAL` in `Python/ceval_gil.c`).
pub const GIL_SWITCH_INTERVAL: Duration = Duration::from_millis(5);

/// Ruby's time slice (`TIME_QUANTUM_MSEC` in Ruby's sources, today the default of `RUBY_THREAD_TIMESLICE`).
pub const GVL_QUANTUM: Duration = Duration::from_millis(100);

/// A lock that threads of one emulated interpreter share. A clone is the same lock; the default is none.
///
/// It is not reentrant, and must be released by the thread that acquired it. A thread that ends without releasing it
/// leaves it locked, so prefer [`hold`](Self::hold) to the plain halves.
#[derive(Clone)]
pub struct InterpreterLock(Arc<Shared>);

struct Shared {
    /// Here and not in the kinds, so that a safepoint is the same load for each, and for none.
    request: DropRequest,
    kind: Kind,
}

enum Kind {
    None,
    Gil(Gil),
    Gvl(Gvl),
}

impl InterpreterLock {
    fn new(kind: Kind) -> Self {
        Self(Arc::new(Shared { request: DropRequest::default(), kind }))
    }

    /// No lock: nothing ever waits. A safepoint costs what it costs with a lock, so that the two can be compared.
    #[must_use]
    pub fn none() -> Self {
        Self::new(Kind::None)
    }

    /// CPython's lock. A waiter asks the holder to drop when it has waited this long and nobody switched meanwhile;
    /// see [`GIL_SWITCH_INTERVAL`]. Less than 1 µs is taken for 1 µs, as in CPython.
    #[must_use]
    pub fn gil(switch_interval: Duration) -> Self {
        Self::new(Kind::Gil(Gil::new(switch_interval)))
    }

    /// Ruby's lock. The holder has to go to the end of the queue when it has run this long while others waited; see
    /// [`GVL_QUANTUM`].
    #[must_use]
    pub fn gvl(quantum: Duration) -> Self {
        Self::new(Kind::Gvl(Gvl::new(quantum)))
    }

    /// Waits until the lock is this thread's. With [`release`](Self::release) the plain half for callers whose two
    /// halves are different functions: an event loop calls them from `on_thread_unpark` and `on_thread_park`.
    ///
    /// # Panics
    /// This thread holds the lock already.
    pub fn acquire(&self) {
        match &self.0.kind {
            Kind::None => {}
            Kind::Gil(gil) => gil.take(&self.0.request),
            Kind::Gvl(gvl) => gvl.take(&self.0.request),
        }
    }

    /// Gives the lock up. If a waiter has asked for it, a GIL waits here until another thread has really taken it.
    ///
    /// # Panics
    /// This thread does not hold the lock.
    pub fn release(&self) {
        match &self.0.kind {
            Kind::None => {}
            Kind::Gil(gil) => gil.give_up(&self.0.request),
            Kind::Gvl(gvl) => gvl.give_up(&self.0.request),
        }
    }

    /// Acquires the lock until the value returned is dropped, also by a panic.
    ///
    /// # Panics
    /// This thread holds the lock already.
    #[must_use = "the lock is released as soon as this is dropped"]
    pub fn hold(&self) -> Held<'_> {
        self.acquire();
        Held { lock: self, on_this_thread: PhantomData }
    }

    /// Runs `f`, which should wait rather than compute, without the lock. This thread has it again afterwards, also if
    /// `f` panics.
    ///
    /// # Panics
    /// This thread does not hold the lock.
    pub fn unlocked<R>(&self, f: impl FnOnce() -> R) -> R {
        struct AcquireOnDrop<'a>(&'a InterpreterLock);
        impl Drop for AcquireOnDrop<'_> {
            fn drop(&mut self) {
                self.0.acquire();
            }
        }
        self.release();
        let _acquire = AcquireOnDrop(self);
        f()
    }

    /// A point at which the holder can be made to let another thread run. To be passed every few hundred instructions.
    ///
    /// It costs a relaxed load and a branch that is almost never taken, like a look at CPython's eval breaker or Ruby's
    /// interrupt flag.
    ///
    /// # Panics
    /// Another thread holds the lock, and has been asked for it.
    #[inline]
    pub fn safepoint(&self) {
        if self.0.request.is_set() {
            self.switch();
        }
    }

    #[cold]
    #[inline(never)]
    fn switch(&self) {
        match &self.0.kind {
            Kind::None => {}
            Kind::Gil(gil) => gil.switch(&self.0.request),
            Kind::Gvl(gvl) => gvl.switch(&self.0.request),
        }
    }

    /// How many times the lock has gone to another thread than the one that had it before, the first time included. For
    /// tests and diagnostics; 0 for none.
    #[must_use]
    pub fn switches(&self) -> u64 {
        match &self.0.kind {
            Kind::None => 0,
            Kind::Gil(gil) => gil.switches(),
            Kind::Gvl(gvl) => gvl.switches(),
        }
    }

    /// How long threads have waited to acquire the lock, all threads added up; those that still wait count when they have
    /// it. `None` where there is no lock.
    ///
    /// Only a thread that waits anyway looks at the clock. What a GIL's holder waits at a forced switch, until another
    /// thread has taken the lock, is not in it.
    #[must_use]
    pub fn waited(&self) -> Option<Duration> {
        match &self.0.kind {
            Kind::None => None,
            Kind::Gil(gil) => Some(gil.waited()),
            Kind::Gvl(gvl) => Some(gvl.waited()),
        }
    }
}

impl Default for InterpreterLock {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for InterpreterLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::None => f.write_str("InterpreterLock(none)"),
            Kind::Gil(gil) => write!(f, "InterpreterLock(gil, {:?})", gil.interval()),
            Kind::Gvl(gvl) => write!(f, "InterpreterLock(gvl, {:?})", gvl.quantum()),
        }
    }
}

/// The lock, held by this thread until this is dropped. It cannot go to another thread.
#[derive(Debug)]
pub struct Held<'a> {
    lock: &'a InterpreterLock,
    /// Takes `Send` away, also from a future that keeps this over an `await`: another thread could not release it.
    on_this_thread: PhantomData<*const ()>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.lock.release();
    }
}
