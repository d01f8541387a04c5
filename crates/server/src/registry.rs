//! The open connections of one worker: what each is at, whose head takes too long, and their end at the stop.
//!
//! hyper's own timeout for heads also runs while a connection is idle, and allocates for every request. Here a request
//! costs three plain stores, and once a second somebody looks.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, AtomicU32, Ordering::Relaxed},
    },
    task::{Context, Waker},
    time::Duration,
};

use tokio::sync::Notify;

use crate::limits::HEAD_TIME;

/// How often somebody looks for heads that take too long.
pub const TICK: Duration = Duration::from_secs(1);

/// How many ticks a head may see.
const HEAD_TICKS: u32 = (HEAD_TIME.as_secs() / TICK.as_secs()) as u32;

/// The open connections of one worker.
#[derive(Debug, Default)]
pub struct Registry {
    open: Mutex<Open>,
    /// Ticks since the start.
    ticks: AtomicU32,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Open {
    entries: HashMap<u64, Arc<State>>,
    entered: u64,
    closing: bool,
}

/// What a connection is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Serve,
    /// Answer what is out, then close.
    Finish,
    /// Close at once.
    Drop,
}

#[derive(Debug, Default)]
struct State {
    phase: AtomicU32,
    /// A [`Verdict`].
    verdict: AtomicU8,
    waker: Mutex<Option<Waker>>,
}

// The phases. Only the connection's own task changes them.
/// Between an answer and the next request.
const IDLE: u32 = 0;
/// A request is being answered.
const BUSY: u32 = 1;
/// The same, and bytes behind the request have come already.
const BUSY_AND_MORE: u32 = 2;
/// From here on: a head has begun, in the tick that is this much less.
const HEAD: u32 = 3;

impl Registry {
    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing that can panic leaves the map half changed.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a connection. It is in the registry until the entry is dropped.
    pub fn enter(self: &Arc<Self>) -> Entry {
        let state = Arc::new(State::default());
        let mut open = self.open();
        if open.closing {
            state.judge(Verdict::Finish);
        }
        let number = open.entered;
        open.entered += 1;
        open.entries.insert(number, Arc::clone(&state));
        drop(open);
        Entry { state, registry: Arc::clone(self), number }
    }

    /// Lets a second pass: ends the connections whose heads have taken too long.
    pub fn tick(&self) {
        let now = self.ticks.fetch_add(1, Relaxed) + 1;
        for state in self.open().entries.values() {
            let phase = state.phase.load(Relaxed);
            // The tick in which a head began may have been nearly over.
            if phase >= HEAD && now.saturating_sub(phase - HEAD) > HEAD_TICKS {
                state.judge(Verdict::Drop);
            }
        }
    }

    /// Makes every connection finish what it is at, those to come too.
    pub fn finish(&self) {
        let mut open = self.open();
        open.closing = true;
        for state in open.entries.values() {
            state.judge(Verdict::Finish);
        }
    }

    /// Waits until no connection is open. To be called after [`Registry::finish`].
    pub async fn empty(&self) {
        while !self.open().entries.is_empty() {
            self.emptied.notified().await;
        }
    }
}

impl State {
    fn judge(&self, verdict: Verdict) {
        self.verdict.store(verdict as u8, Relaxed);
        // The mutex orders this after the store: whoever registers a waker later sees the verdict.
        if let Some(waker) = self.waker.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            waker.wake_by_ref();
        }
    }
}

/// A connection in the registry.
#[derive(Debug)]
pub struct Entry {
    state: Arc<State>,
    registry: Arc<Registry>,
    number: u64,
}

impl Entry {
    /// Has the task that polls this context woken by a change of the verdict. Once is enough: a task keeps its waker.
    pub fn wake_on_verdict(&self, context: &Context<'_>) {
        *self.state.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
    }

    /// What the connection is to do.
    #[inline]
    pub fn verdict(&self) -> Verdict {
        match self.state.verdict.load(Relaxed) {
            0 => Verdict::Serve,
            1 => Verdict::Finish,
            _ => Verdict::Drop,
        }
    }

    /// Whether a request is being answered.
    pub fn is_busy(&self) -> bool {
        matches!(self.state.phase.load(Relaxed), BUSY | BUSY_AND_MORE)
    }

    /// Bytes have come from the client.
    #[inline]
    pub fn received(&self) {
        match self.state.phase.load(Relaxed) {
            IDLE => self.head_begins(),
            BUSY => self.state.phase.store(BUSY_AND_MORE, Relaxed),
            _ => {}
        }
    }

    /// A head is whole and its request is being answered.
    #[inline]
    pub fn begun(&self) {
        self.state.phase.store(BUSY, Relaxed);
    }

    /// The answer is made.
    #[inline]
    pub fn answered(&self) {
        if self.state.phase.load(Relaxed) == BUSY_AND_MORE {
            self.head_begins();
        } else {
            self.state.phase.store(IDLE, Relaxed);
        }
    }

    #[inline]
    fn head_begins(&self) {
        self.state.phase.store(HEAD.saturating_add(self.registry.ticks.load(Relaxed)), Relaxed);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut open = self.registry.open();
        open.entries.remove(&self.number);
        if open.closing && open.entries.is_empty() {
            self.registry.emptied.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(registry: &Registry, seconds: u32) {
        for _ in 0..seconds {
            registry.tick();
        }
    }

    #[test]
    fn a_head_that_takes_more_than_ten_seconds_ends_its_connection() {
        let registry = Arc::new(Registry::default());
        let (slow, idle) = (registry.enter(), registry.enter());
        pass(&registry, 5);
        slow.received();
        pass(&registry, 5);
        slow.received();
        pass(&registry, 5);
        assert_eq!(slow.verdict(), Verdict::Serve);
        pass(&registry, 1);
        assert_eq!((slow.verdict(), idle.verdict()), (Verdict::Drop, Verdict::Serve));
    }

    #[test]
    fn a_request_may_take_as_long_as_it_likes_and_a_connection_may_idle() {
        let registry = Arc::new(Registry::default());
        let entry = registry.enter();
        entry.received();
        entry.begun();
        pass(&registry, 60);
        entry.answered();
        pass(&registry, 60);
        assert_eq!(entry.verdict(), Verdict::Serve);
    }

    #[test]
    fn a_head_that_began_behind_another_request_counts_from_the_answer_on() {
        let registry = Arc::new(Registry::default());
        let entry = registry.enter();
        entry.received();
        entry.begun();
        entry.received();
        pass(&registry, 60);
        entry.answered();
        pass(&registry, 11);
        assert_eq!(entry.verdict(), Verdict::Drop);
    }

    #[test]
    fn at_the_stop_all_connections_finish_also_new_ones() {
        let registry = Arc::new(Registry::default());
        let before = registry.enter();
        registry.finish();
        assert_eq!((before.verdict(), registry.enter().verdict()), (Verdict::Finish, Verdict::Finish));
    }
}
