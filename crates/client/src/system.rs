//! What only Linux has: epoll with a timer in its set. Everything else here is POSIX.

use anyhow::{Context as _, Result};
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use std::os::fd::AsFd;
use std::time::Duration;

/// Nanoseconds of the monotonic clock.
#[inline]
#[must_use]
pub fn now_ns() -> u64 {
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC).expect("Linux has a monotonic clock");
    u64::try_from(now.tv_sec()).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec()).unwrap_or(0)
}

/// The number in an event that stands for the timer.
const TIMER: u64 = u64::MAX;

/// What happened at a connection.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// The number that the connection was added with.
    pub slot: usize,
    /// Whether the other side has ended the connection, or it broke.
    pub ended: bool,
    /// Whether there may be something to read.
    pub readable: bool,
    /// Whether there may be room to write.
    pub writable: bool,
}

/// Room for the events of one wait.
pub struct Events(Vec<EpollEvent>);

impl Events {
    /// Room for the events of this many connections, within reason.
    #[must_use]
    pub fn new(connections: usize) -> Self {
        Self(vec![EpollEvent::empty(); connections.clamp(1, 1023) + 1])
    }

    /// The event at this place, below what [`Poller::wait`] returned; `None` if it was the timer.
    #[inline]
    #[must_use]
    pub fn get(&self, place: usize) -> Option<Event> {
        let event = &self.0[place];
        let flags = event.events();
        (event.data() != TIMER).then(|| Event {
            slot: usize::try_from(event.data()).expect("it was a usize"),
            ended: flags.intersects(EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR),
            readable: flags.contains(EpollFlags::EPOLLIN),
            writable: flags.contains(EpollFlags::EPOLLOUT),
        })
    }
}

/// An epoll instance with a timer.
///
/// Everything is edge-triggered: a connection is added once and never touched again, and the kernel need not look at
/// it a second time to see that it is drained.
pub struct Poller {
    epoll: Epoll,
    timer: TimerFd,
    armed_at_ns: u64,
}

impl Poller {
    /// A new instance.
    ///
    /// # Errors
    /// No descriptor is free.
    pub fn new() -> Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).context("cannot make an epoll instance")?;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK)
            .context("cannot make a timer")?;
        let event = EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, TIMER);
        epoll.add(&timer, event).context("cannot watch the timer")?;
        Ok(Self { epoll, timer, armed_at_ns: u64::MAX })
    }

    /// Watches a connection until its descriptor is closed.
    ///
    /// # Errors
    /// The kernel has no memory for it, or too many watches of this user.
    pub fn add(&self, connection: impl AsFd, slot: usize) -> Result<(), Errno> {
        // Room to write is reported with the rest and costs nothing: without EPOLLONESHOT the kernel wakes nobody for
        // it unless a write has found no room before.
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        self.epoll.add(connection, EpollEvent::new(flags, slot as u64))
    }

    /// Waits for events, at most until this time of [`now_ns`], and returns how many came.
    ///
    /// # Errors
    /// The kernel refused, which it does not.
    #[inline]
    pub fn wait(&mut self, events: &mut Events, until_ns: u64, now_ns: u64) -> Result<usize> {
        let timeout = if until_ns <= now_ns {
            EpollTimeout::ZERO
        } else {
            if until_ns != self.armed_at_ns {
                let at = TimeSpec::from_duration(Duration::from_nanos(until_ns));
                // The timer is never read: setting it again clears it, and only edges are looked at.
                self.timer
                    .set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)
                    .context("cannot set the timer")?;
                self.armed_at_ns = until_ns;
            }
            EpollTimeout::NONE
        };
        match self.epoll.wait(&mut events.0, timeout) {
            Ok(count) => Ok(count),
            Err(Errno::EINTR) => Ok(0),
            Err(error) => Err(error).context("cannot wait for connections"),
        }
    }
}
