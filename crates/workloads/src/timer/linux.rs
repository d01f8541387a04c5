//! Waiting by `timerfd` and `clock_nanosleep`: the part of the crate that only Linux has.
//!
//! One `timerfd` serves a whole runtime. The deadlines of its tasks stand in an ordered map, and the descriptor is armed
//! for the earliest of them, with an absolute time, and armed again only when the earliest changes.

use std::{
    collections::BTreeMap,
    future::Future,
    io,
    os::fd::{AsFd, AsRawFd, RawFd},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use nix::{
    errno::Errno,
    sys::{
        time::TimeSpec,
        timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags},
    },
    time::{ClockId as Clock, ClockNanosleepFlags, clock_gettime, clock_nanosleep},
};
use tokio::{
    io::{Interest, unix::AsyncFd},
    runtime::Builder,
    task::AbortHandle,
};

/// A point in time on the monotonic clock, in nanoseconds, and a number that tells equal ones apart.
type Deadline = (u64, u64);

pub fn enable(builder: &mut Builder) -> &mut Builder {
    builder.enable_io()
}

pub fn sleep(duration: Duration) {
    let deadline = timespec(deadline_in(duration));
    // An absolute time stays right when a signal interrupts the wait. No other error can occur for a valid time.
    while clock_nanosleep(Clock::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &deadline) == Err(Errno::EINTR) {}
}

/// Holds the descriptor and the deadlines, and the task that wakes those whose deadline has passed.
#[derive(Debug)]
pub struct Timer {
    shared: Arc<Shared>,
    driver: AbortHandle,
}

#[derive(Debug)]
struct Shared {
    descriptor: AsyncFd<Descriptor>,
    deadlines: Mutex<Deadlines>,
}

#[derive(Debug, Default)]
struct Deadlines {
    waiting: BTreeMap<Deadline, Waker>,
    /// How many waits there have been.
    count: u64,
    /// The time that the descriptor is armed for.
    armed: Option<u64>,
}

impl Timer {
    pub fn new() -> io::Result<Self> {
        let descriptor = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        // SAFETY: the descriptor is open, as a `TimerFd` owns it, and it stays the same one, as nothing replaces it in the
        // `AsyncFd`, which owns the `TimerFd`.
        let descriptor = unsafe { AsyncFd::register_with_interest(Descriptor(descriptor), Interest::READABLE) }?;
        let shared = Arc::new(Shared { descriptor, deadlines: Mutex::default() });
        let driver = tokio::spawn(drive(Arc::clone(&shared))).abort_handle();
        Ok(Self { shared, driver })
    }

    pub fn wait(&self, duration: Duration) -> Wait<'_> {
        let state = if duration.is_zero() { State::Over } else { State::New(duration) };
        Wait { shared: &self.shared, state }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Wakes the tasks whose deadlines have passed, for as long as the runtime lives.
async fn drive(shared: Arc<Shared>) {
    let mut due = Vec::new();
    // The descriptor is never read: arming it again resets it, and an expiry is a new edge for epoll.
    while let Ok(mut ready) = shared.descriptor.readable().await {
        ready.clear_ready();
        shared.take_due(&mut due);
        // Not while the deadlines are locked: a woken task may run at once on another thread and want them.
        for waker in due.drain(..) {
            waker.wake();
        }
    }
}

impl Shared {
    fn deadlines(&self) -> MutexGuard<'_, Deadlines> {
        // Nothing that can panic leaves the map half changed.
        self.deadlines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_due(&self, due: &mut Vec<Waker>) {
        let mut deadlines = self.deadlines();
        let now = now();
        while let Some(first) = deadlines.waiting.first_entry() {
            if first.key().0 > now {
                break;
            }
            due.push(first.remove());
        }
        deadlines.armed = None;
        self.arm(&mut deadlines);
    }

    /// Arms the descriptor for the earliest deadline, unless it is armed for that time or an earlier one already.
    fn arm(&self, deadlines: &mut Deadlines) {
        let Some((&(earliest, _), _)) = deadlines.waiting.first_key_value() else { return };
        if deadlines.armed.is_none_or(|armed| earliest < armed) {
            deadlines.armed = Some(earliest);
            self.descriptor
                .get_ref()
                .0
                .set(Expiration::OneShot(timespec(earliest)), TimerSetTimeFlags::TFD_TIMER_ABSTIME)
                .expect("a timerfd takes every valid time");
        }
    }
}

/// One wait. Dropped before its end, it takes its deadline out of the map.
pub struct Wait<'a> {
    shared: &'a Shared,
    state: State,
}

enum State {
    New(Duration),
    Waiting(Deadline),
    Over,
}

impl Future for Wait<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.state {
            State::New(duration) => {
                let mut deadlines = self.shared.deadlines();
                deadlines.count += 1;
                let deadline = (deadline_in(duration), deadlines.count);
                deadlines.waiting.insert(deadline, context.waker().clone());
                self.shared.arm(&mut deadlines);
                drop(deadlines);
                self.state = State::Waiting(deadline);
                Poll::Pending
            }
            State::Waiting(deadline) => {
                if let Some(waker) = self.shared.deadlines().waiting.get_mut(&deadline) {
                    waker.clone_from(context.waker());
                    return Poll::Pending;
                }
                self.state = State::Over;
                Poll::Ready(())
            }
            State::Over => Poll::Ready(()),
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let State::Waiting(deadline) = self.state {
            // The descriptor stays armed: at worst the driver wakes once and finds nobody due.
            let waker = self.shared.deadlines().waiting.remove(&deadline);
            drop(waker);
        }
    }
}

/// tokio asks for a raw descriptor, which `TimerFd` does not show.
#[derive(Debug)]
struct Descriptor(TimerFd);

impl AsRawFd for Descriptor {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

/// Nanoseconds on the monotonic clock.
fn now() -> u64 {
    let now = clock_gettime(Clock::CLOCK_MONOTONIC).expect("every Linux has a monotonic clock");
    Duration::from(now).as_nanos() as u64
}

fn deadline_in(duration: Duration) -> u64 {
    now().saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

fn timespec(nanoseconds: u64) -> TimeSpec {
    TimeSpec::from_duration(Duration::from_nanos(nanoseconds))
}
