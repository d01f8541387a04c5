//! What only Linux offers to a worker: to die with its parent, and to be woken on time.
//!
//! Elsewhere these do nothing: a worker still ends when its stdin does.

/// Makes this process die with the one that started it, if that one asked for it by
/// [`PARENT_PID_VARIABLE`](protocol::PARENT_PID_VARIABLE). Exits at once if the parent is gone already.
#[cfg(target_os = "linux")]
pub fn die_with_parent() {
    use nix::{
        sys::{prctl, signal::Signal},
        unistd::getppid,
    };

    let Some(parent) = std::env::var(protocol::PARENT_PID_VARIABLE).ok().and_then(|pid| pid.parse::<i32>().ok()) else {
        return;
    };
    // The signal comes when the thread that started us ends; the orchestrator and the processes model start their
    // children from a thread that stays.
    if let Err(error) = prctl::set_pdeathsig(Signal::SIGKILL) {
        eprintln!("cannot ask to die with the parent process: {error}");
    }
    // Had the parent died before the call, no signal would ever come.
    if getppid().as_raw() != parent {
        std::process::exit(1);
    }
}

/// Asks the kernel to end this thread's waits on time, and those of the threads that it will start. By default they may
/// come up to 50 µs late, to save power; a `timerfd` has no such slack.
#[cfg(target_os = "linux")]
pub fn wait_exactly() {
    // It cannot fail for a thread's own slack; if it did, waits would be 50 µs longer.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
pub fn die_with_parent() {}

/// Does nothing on this system.
#[cfg(not(target_os = "linux"))]
pub fn wait_exactly() {}
