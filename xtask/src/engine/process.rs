//! One process and its pipes: start, send, read, wait. What is said over the pipes is not known here, and how the
//! process is ended stands in [`ending`](super::ending).
//!
//! There are no threads: every pipe is non-blocking, and one poll waits for the pipes, for exits, for signals and for
//! the deadline at once. So nothing can hang on a pipe that somebody else holds.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::rc::Rc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::lines::{Lines, Tail, TooLong};
use super::pipes::{read_some, set_nonblocking, until};
use super::signals::{ChildExits, Control};
use super::spawn::{Identity, Streams, WorkerCommand, spawn};

/// A process that leads its own process group.
#[derive(Debug)]
pub struct Process {
    name: &'static str,
    child: Child,
    status: Option<ExitStatus>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    /// What is for people.
    stderr: Option<File>,
    lines: Lines,
    tail: Tail,
    control: Control,
    exits: Rc<ChildExits>,
}

impl Process {
    /// Starts it. `name` is what messages call it, such as `the worker`.
    ///
    /// The calling thread should be the one that lives longest: a worker that asks to die with its parent dies with
    /// the thread that started it.
    pub(super) fn start(
        name: &'static str,
        streams: Streams,
        command: &WorkerCommand,
        identity: Option<Identity>,
        control: &Control,
        exits: &Rc<ChildExits>,
    ) -> io::Result<Self> {
        let (mut child, stderr) = spawn(streams, command, identity)?;
        let process = Self {
            name,
            status: None,
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: stderr.or_else(|| child.stderr.take().map(|pipe| File::from(OwnedFd::from(pipe)))),
            lines: Lines::default(),
            tail: Tail::default(),
            control: control.clone(),
            exits: Rc::clone(exits),
            child,
        };
        control.add_group(process.group());
        // On failure the process is killed when it is dropped.
        process.stdin.as_ref().map_or(Ok(()), set_nonblocking)?;
        process.stdout.as_ref().map_or(Ok(()), set_nonblocking)?;
        process.stderr.as_ref().map_or(Ok(()), set_nonblocking)?;
        Ok(process)
    }

    /// What messages call it, such as `the worker`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its process group, which has its id.
    pub fn group(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// Writes to its stdin. That it does not read is no error here: its silence will be one, or its exit.
    pub fn send(&mut self, text: &str) {
        if let Some(stdin) = &mut self.stdin {
            // Requests are far smaller than a pipe's buffer, so a write that would block has many unread ones before it.
            let _ = stdin.write_all(text.as_bytes());
        }
    }

    /// Tells it that there is nothing more to do.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Whether the process itself has ended; others may still hold its pipes.
    pub fn has_exited(&mut self) -> bool {
        if self.status.is_none() {
            // An error would mean that somebody else has waited for our child. Then it has ended, and how is lost.
            self.status = self.child.try_wait().unwrap_or_else(|_| Some(ExitStatus::from_raw(0)));
        }
        self.status.is_some()
    }

    /// How it ended, if it has.
    #[must_use]
    pub fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// Reads what is in the pipes, up to a bound; `true` means that there may be more.
    pub fn read(&mut self) -> bool {
        let lines = &mut self.lines;
        // A line that is too long is not read on: its writer blocks, and memory stays bounded.
        let more_out = !lines.is_full() && read_some(&mut self.stdout, |bytes| lines.push(bytes));
        let tail = &mut self.tail;
        let more_err = read_some(&mut self.stderr, |bytes| tail.push(bytes));
        more_out || more_err
    }

    /// The next line of stdout that was read.
    pub fn next_line(&mut self) -> Option<Result<String, TooLong>> {
        self.lines.next_line()
    }

    /// What stands on stdout and is no whole line, shortened; empty when there is nothing.
    #[must_use]
    pub fn unfinished(&self) -> String {
        self.lines.excerpt()
    }

    /// Forgets what was read from stdout beyond a bound, when nobody will take it any more.
    pub fn discard_excess(&mut self) {
        self.lines.discard_excess();
    }

    /// The last lines of stderr.
    #[must_use]
    pub fn stderr_tail(&self) -> Vec<String> {
        self.tail.lines()
    }

    /// Whether it closed its stdout.
    #[must_use]
    pub fn stdout_is_closed(&self) -> bool {
        self.stdout.is_none()
    }

    /// Sleeps until there is something to read, a child ends, somebody asks for something, or the deadline.
    pub fn sleep(&self, deadline: Instant) {
        self.sleep_beside(None, None, deadline);
    }

    /// As [`sleep`](Self::sleep), woken also by what another process does, and by a socket that can be read.
    pub fn sleep_beside(&self, other: Option<&Self>, socket: Option<BorrowedFd<'_>>, deadline: Instant) {
        let (wake, exits) = (self.control.wake(), self.exits.pipe());
        let pipes = std::iter::once(self).chain(other).flat_map(Self::pipes);
        let fds = [wake.as_fd(), exits.as_fd()].into_iter().chain(pipes).chain(socket);
        let mut fds: Vec<PollFd<'_>> = fds.map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        // Interrupted by a signal or not: the caller looks at everything again.
        let _ = poll(&mut fds, until(deadline));
        wake.drain();
        exits.drain();
    }

    fn pipes(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.stdout.iter().map(AsFd::as_fd).chain(self.stderr.iter().map(AsFd::as_fd))
    }

    /// Sleeps until a child ends, or the deadline, whatever is in the pipes.
    pub fn sleep_for_exit(&self, deadline: Instant) {
        let exits = self.exits.pipe();
        let _ = poll(&mut [PollFd::new(exits.as_fd(), PollFlags::POLLIN)], until(deadline));
        exits.drain();
    }

    /// Whether it ends within this time. Its pipes are emptied meanwhile.
    pub fn exits_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while !self.has_exited() {
            if Instant::now() >= deadline {
                return false;
            }
            if !self.read() {
                self.sleep(deadline);
            }
            self.discard_excess();
        }
        true
    }

    /// Sends a signal to the whole group.
    pub fn signal(&self, signal: Signal) {
        // It fails when nobody is left.
        let _ = kill(Pid::from_raw(-self.group().as_raw()), signal);
    }

    /// Notices the ended members of the group that have become our children, and tells whether anybody is left.
    ///
    /// Only to be asked once the process itself has ended; before, it is left itself.
    pub fn group_is_empty(&mut self) -> bool {
        let group = Pid::from_raw(-self.group().as_raw());
        while let Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) = waitpid(group, Some(WaitPidFlag::WNOHANG)) {}
        kill(group, None) == Err(Errno::ESRCH)
    }
}

impl Drop for Process {
    /// The last resort, for a panic: every orderly way has ended the process before.
    fn drop(&mut self) {
        if !self.has_exited() {
            self.signal(Signal::SIGKILL);
            let _ = self.child.wait();
        }
        self.control.remove_group(self.group());
    }
}

/// How a process ended, as the second half of a sentence: `exited with status 3`, `was killed by SIGSEGV`.
#[must_use]
pub fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(signal)) => match Signal::try_from(signal) {
            Ok(signal) => format!("was killed by {signal}"),
            Err(_) => format!("was killed by signal {signal}"),
        },
        (None, None) => "ended".to_owned(),
    }
}
