//! Ctrl-C and Ctrl-Z: what a person asks of the engine while it runs.
//!
//! The first SIGINT, SIGTERM or SIGHUP asks for an orderly end; the second ends at once, whatever the process is busy
//! with. SIGTSTP suspends. Handlers only set flags and wake the poll loop, which does the rest; no thread is started.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::SigId;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::low_level;

/// The exit status of a run that was interrupted.
pub const EXIT_INTERRUPTED: i32 = 130;

/// A cell has a server and a client, or a worker and the services that its scenario needs: a few at most.
const GROUPS: usize = 8;

/// What a person asked for. Clones share one state.
#[derive(Debug, Clone)]
pub struct Control(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    suspend: AtomicBool,
    /// Process groups of the running cell; 0 where there is none.
    groups: [AtomicI32; GROUPS],
    wake: SelfPipe,
}

impl Control {
    /// A control that hears no signals: only [`stop`](Self::stop) moves it.
    ///
    /// # Errors
    /// The system gives no socket pair.
    pub fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(Shared {
            stop: AtomicBool::new(false),
            suspend: AtomicBool::new(false),
            groups: Default::default(),
            wake: SelfPipe::new()?,
        })))
    }

    /// A control that hears the signals of this process, from now until it exits. To be called once.
    ///
    /// # Errors
    /// The system gives no socket pair or takes no handler.
    pub fn install() -> io::Result<Self> {
        let control = Self::new()?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // `nohup` asks for just that: a terminal that goes away ends nothing.
            if signal == SIGHUP && super::linux::is_ignored(SIGHUP) {
                continue;
            }
            let shared = Arc::clone(&control.0);
            // SAFETY: the handler loads and stores atomics and calls write, kill and _exit, all of which POSIX allows
            // in a handler. It allocates nothing, takes no lock and does not panic.
            unsafe { low_level::register(signal, move || shared.on_interrupt())? };
        }
        let shared = Arc::clone(&control.0);
        // SAFETY: the handler loads and stores atomics and calls write and raise; see above.
        unsafe { low_level::register(SIGTSTP, move || shared.on_suspend())? };
        Ok(control)
    }

    /// Asks for an orderly end, as the first Ctrl-C does.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::SeqCst);
        self.0.wake.ring();
    }

    /// Whether somebody asked for an end.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.0.stop.load(Ordering::SeqCst)
    }

    /// If somebody asked to suspend: stops the running cell's groups and ourselves, continues both when we are
    /// continued, and tells so.
    pub(super) fn suspend_if_asked(&self) -> bool {
        if !self.0.suspend.swap(false, Ordering::SeqCst) {
            return false;
        }
        self.0.signal_groups(Signal::SIGSTOP);
        // Returns when somebody continues us. It fails for signals that no process may handle, which this is not.
        let _ = low_level::emulate_default_handler(SIGTSTP);
        self.0.signal_groups(Signal::SIGCONT);
        true
    }

    /// Names a group that a second Ctrl-C kills and that Ctrl-Z stops.
    pub(super) fn add_group(&self, group: Pid) {
        let set = |slot: &AtomicI32| slot.compare_exchange(0, group.as_raw(), Ordering::SeqCst, Ordering::SeqCst);
        let found = self.0.groups.iter().any(|slot| set(slot).is_ok());
        debug_assert!(found, "more than {GROUPS} process groups at the same time");
    }

    /// Whether a process leads one of these groups.
    pub(super) fn has_group(&self, leader: Pid) -> bool {
        self.0.groups.iter().any(|group| group.load(Ordering::SeqCst) == leader.as_raw())
    }

    /// Forgets a group that is empty.
    pub(super) fn remove_group(&self, group: Pid) {
        for slot in &self.0.groups {
            let _ = slot.compare_exchange(group.as_raw(), 0, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Readable when something was asked for.
    pub(super) fn wake(&self) -> &SelfPipe {
        &self.0.wake
    }
}

impl Shared {
    /// May run in a signal handler.
    fn signal_groups(&self, signal: Signal) {
        for group in self.groups.iter().map(|group| group.load(Ordering::SeqCst)).filter(|&group| group > 0) {
            // It may have ended meanwhile.
            let _ = kill(Pid::from_raw(-group), signal);
        }
    }

    /// Runs in a signal handler.
    fn on_interrupt(&self) {
        if self.stop.swap(true, Ordering::SeqCst) {
            self.signal_groups(Signal::SIGKILL);
            low_level::exit(EXIT_INTERRUPTED);
        }
        self.wake.ring();
    }

    /// Runs in a signal handler.
    fn on_suspend(&self) {
        if self.groups.iter().all(|group| group.load(Ordering::SeqCst) == 0) {
            // No worker runs that would have to stop with us.
            let _ = low_level::emulate_default_handler(SIGTSTP);
            return;
        }
        self.suspend.store(true, Ordering::SeqCst);
        self.wake.ring();
    }
}

/// A descriptor that becomes readable when it is rung, also from a signal handler.
#[derive(Debug)]
pub(super) struct SelfPipe {
    receiver: UnixStream,
    sender: UnixStream,
}

impl SelfPipe {
    fn new() -> io::Result<Self> {
        let (receiver, sender) = UnixStream::pair()?;
        receiver.set_nonblocking(true)?;
        sender.set_nonblocking(true)?;
        Ok(Self { receiver, sender })
    }

    fn ring(&self) {
        // A full pipe is readable already.
        let _ = nix::unistd::write(&self.sender, b"!");
    }

    /// Makes it unreadable again.
    pub(super) fn drain(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.receiver).read(&mut bytes), Ok(n) if n == bytes.len()) {}
    }
}

impl AsFd for SelfPipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.receiver.as_fd()
    }
}

/// Becomes readable when a child of this process ends.
#[derive(Debug)]
pub(super) struct ChildExits {
    pipe: SelfPipe,
    handler: SigId,
}

impl ChildExits {
    pub(super) fn listen() -> io::Result<Self> {
        let pipe = SelfPipe::new()?;
        let handler = low_level::pipe::register(SIGCHLD, pipe.sender.try_clone()?)?;
        Ok(Self { pipe, handler })
    }

    pub(super) fn pipe(&self) -> &SelfPipe {
        &self.pipe
    }
}

impl Drop for ChildExits {
    fn drop(&mut self) {
        low_level::unregister(self.handler);
    }
}
