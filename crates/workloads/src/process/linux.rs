//! What only Linux offers for a program that was started: that it dies with its parent, and that an event loop can wait for
//! it. tokio's `process` module would do the second, but adds to every park of every runtime of the program.

use std::{
    io,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
        unix::process::CommandExt,
    },
    process::{Child, Command, ExitStatus},
};

use nix::{
    libc,
    sys::{prctl, signal::Signal},
    unistd::{getpid, getppid},
};
use tokio::io::{Interest, unix::AsyncFd};

use crate::Timer;

pub fn die_with_parent(command: &mut Command) {
    let parent = getpid();
    let ask = move || {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // Had the parent died before the call, no signal would ever come.
        if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    // SAFETY: between fork and exec only functions may be called that are safe in a signal handler. The two here are bare
    // system calls; neither they nor an error of theirs allocates.
    unsafe { command.pre_exec(ask) };
}

pub async fn wait(child: &mut Child, _timer: &Timer) -> io::Result<ExitStatus> {
    let descriptor = Descriptor(pidfd_open(child)?);
    // SAFETY: the descriptor is open, as an `OwnedFd` owns it, and it stays the same one, as nothing replaces it in the
    // `AsyncFd`, which owns the `OwnedFd`.
    let ended = unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }?;
    // Readable when the process has ended; it then stays so.
    let _ = ended.readable().await?;
    child.wait()
}

/// A descriptor of the process (Linux 5.3).
fn pidfd_open(child: &Child) -> io::Result<OwnedFd> {
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    // SAFETY: the call takes two numbers and touches no memory of ours.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has just opened this descriptor, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) })
}

/// tokio asks for a raw descriptor.
struct Descriptor(OwnedFd);

impl AsRawFd for Descriptor {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
