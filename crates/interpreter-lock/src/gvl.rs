//! Ruby's lock, after the thread scheduler of `thread_pthread.c` in Ruby 3.x.
//!
//! Waiters stand in a queue. A release hands the lock to the head of the queue, and no newcomer can get in between. When
//! the holder has run for a quantum while others waited, it is interrupted: at its next safepoint it goes to the end of
//! the queue and the head takes over.
//!
//! Holder run time counts from when the holder got the lock or, if nobody waited then, from when the first waiter came.
//! A thread that ran alone for a second is not interrupted at once: Ruby's time slices tick only while its ready queue
//! has somebody in it (`timeslice_threads` in 3.3; until 2.5 the timer thread slept without waiters). So the head of the
//! queue waits at most a quantum of run time, and everybody behind it at most a quantum more each.
//!
//! What is emulated, and what real versions do otherwise:
//!
//! - The clock is that of 2.6 to 3.2: there is no timer thread, the head of the queue waits with a timeout and acts as
//!   the timer. Those versions may carry a deadline on from one waiter to the next, so that a holder now and then gets
//!   less than its quantum; here each holder gets all of it.
//! - Since 3.3 a timer thread ticks every 10 ms and the holder yields at the tenth tick (`running_time_us`), so a slice
//!   is 90 to 100 ms, and its end is rounded to the tick. Here it is the quantum, exactly.
//! - Handing over is that of 3.3 (`thread_sched_wakeup_next_thread`). Until 3.2 a release left the lock free and woke
//!   the head, so that a newcomer could be faster, except after an interrupt.
//! - Thread priorities and Ractors are left out.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use crate::{
    drop_request::DropRequest,
    monitor::{lock, wait, wait_timeout},
    thread_id::ThreadId,
};

pub(crate) struct Gvl {
    quantum: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    holder: Option<ThreadId>,
    last_holder: Option<ThreadId>,
    queue: VecDeque<Waiter>,
    /// From when the holder's run time counts; meaningful while somebody waits.
    slice_start: Option<Instant>,
    /// How many times the lock went to another thread than the one that had it before.
    switches: u64,
    /// How long threads have waited in the queue, all added up.
    waited: Duration,
}

struct Waiter {
    thread: ThreadId,
    /// Signalled when this waiter got the lock or became the head of the queue.
    turn: Arc<Condvar>,
}

impl State {
    fn grant(&mut self, thread: ThreadId) {
        self.holder = Some(thread);
        if self.last_holder.replace(thread) != Some(thread) {
            self.switches += 1;
        }
    }

    /// Starts the holder's time slice, unless nobody waits: then the first waiter will.
    fn start_slice(&mut self) {
        self.slice_start = (!self.queue.is_empty()).then(Instant::now);
    }

    fn is_head(&self, thread: ThreadId) -> bool {
        self.queue.front().is_some_and(|head| head.thread == thread)
    }
}

/// What is left of a time slice, or `None` when the holder is to be interrupted.
fn slice_left(quantum: Duration, ran: Duration) -> Option<Duration> {
    quantum.checked_sub(ran).filter(|left| !left.is_zero())
}

impl Gvl {
    pub(crate) fn new(quantum: Duration) -> Self {
        Self { quantum, state: Mutex::default() }
    }

    pub(crate) fn quantum(&self) -> Duration {
        self.quantum
    }

    pub(crate) fn take(&self, request: &DropRequest) {
        let me = ThreadId::current();
        let mut state = lock(&self.state);
        assert!(state.holder != Some(me), "this thread acquired the interpreter lock that it already holds");
        if state.holder.is_some() {
            self.queue_up(state, me, request);
        } else {
            // A release with waiters hands over, so a free lock has none that could be overtaken.
            debug_assert!(state.queue.is_empty());
            state.grant(me);
        }
    }

    pub(crate) fn give_up(&self, request: &DropRequest) {
        let mut state = lock(&self.state);
        assert!(
            state.holder == Some(ThreadId::current()),
            "this thread released an interpreter lock that it does not hold"
        );
        let next = Self::hand_over(&mut state, request);
        drop(state);
        if let Some(next) = next {
            next.notify_one();
        }
    }

    /// What a safepoint does that found the request set: to the end of the queue, and wait.
    pub(crate) fn switch(&self, request: &DropRequest) {
        let me = ThreadId::current();
        let mut state = lock(&self.state);
        assert!(state.holder == Some(me), "this thread was at a safepoint without the interpreter lock");
        let Some(next) = Self::hand_over(&mut state, request) else {
            state.grant(me);
            return;
        };
        next.notify_one();
        self.queue_up(state, me, request);
    }

    pub(crate) fn switches(&self) -> u64 {
        lock(&self.state).switches
    }

    pub(crate) fn waited(&self) -> Duration {
        lock(&self.state).waited
    }

    /// Gives the lock to the head of the queue and says whom to wake, or frees it.
    fn hand_over(state: &mut State, request: &DropRequest) -> Option<Arc<Condvar>> {
        request.clear();
        state.holder = None;
        let next = state.queue.pop_front()?;
        state.grant(next.thread);
        state.start_slice();
        Some(next.turn)
    }

    /// Waits at the end of the queue until the lock is ours.
    fn queue_up(&self, mut state: MutexGuard<'_, State>, me: ThreadId, request: &DropRequest) {
        let begun = Instant::now();
        let turn = Arc::new(Condvar::new());
        state.queue.push_back(Waiter { thread: me, turn: Arc::clone(&turn) });
        if state.queue.len() == 1 {
            state.start_slice();
        }
        while state.holder != Some(me) {
            state = self.wait_a_turn(state, me, &turn, request);
        }
        state.waited += begun.elapsed();
        // The slice starts again, because run time is what counts: it took time to wake up. Whatever the new head has
        // seen or done meanwhile was about a holder that did not run yet. It is woken to be the timer of this slice.
        request.clear();
        state.start_slice();
        let head = state.queue.front().map(|head| Arc::clone(&head.turn));
        drop(state);
        if let Some(head) = head {
            head.notify_one();
        }
    }

    /// Waits for a signal. The head of the queue is the timer: it waits for no longer than the holder's slice, and
    /// interrupts the holder at its end.
    fn wait_a_turn<'a>(
        &self,
        state: MutexGuard<'a, State>,
        me: ThreadId,
        turn: &Condvar,
        request: &DropRequest,
    ) -> MutexGuard<'a, State> {
        if !state.is_head(me) || request.is_set() {
            return wait(turn, state);
        }
        let ran = state.slice_start.map_or(Duration::ZERO, |start| start.elapsed());
        match slice_left(self.quantum, ran) {
            Some(left) => wait_timeout(turn, state, left).0,
            None => {
                request.set();
                wait(turn, state)
            }
        }
    }
}

#[cfg(test)]
mod tests;
