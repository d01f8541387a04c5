//! Raw lines to and from a worker, for whoever must see each of them, as the conformance check. Nothing is judged here;
//! a cell is measured through a [`conversation`](super::conversation), which judges everything.

use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};

use super::ending::{self, Manner};
use super::failure::Failure;
use super::linux::{self, Seen};
use super::process::Process;
use super::signals::Control;
use super::spawn::{Streams, WorkerCommand};
use super::starter::Starter;

/// Starts workers for dialogues, one at a time.
#[derive(Debug)]
pub struct Stage(Starter);

/// What came of waiting for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its line feed.
    Line(String),
    /// More than the longest line without a line feed; its beginning.
    TooLong(String),
    /// It ended and had nothing more to say.
    Exited(ExitStatus),
    /// Nothing in this time, or half a line, which is quoted.
    Silence(String),
    /// Somebody asked us to stop.
    Interrupted,
}

impl Stage {
    /// A stage without a worker. From here on this process adopts the orphans of all its descendants.
    ///
    /// # Errors
    /// The system gives no socket pair or takes no signal handler.
    pub fn open(control: Control) -> io::Result<Self> {
        Starter::new(control).map(Self)
    }

    /// Starts a worker. It has not been spoken to yet.
    ///
    /// # Errors
    /// The program could not be started.
    pub fn start(&self, command: &WorkerCommand) -> Result<Dialogue, Failure> {
        let process = self.0.start("the worker", Streams::Protocol, command)?;
        Ok(Dialogue { process, starter: self.0.clone() })
    }
}

/// A worker that is spoken to.
#[derive(Debug)]
pub struct Dialogue {
    process: Process,
    starter: Starter,
}

impl Dialogue {
    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.process.send(&format!("{line}\n"));
    }

    /// Waits for a line.
    pub fn hear(&mut self, limit: Duration) -> Heard {
        let deadline = Instant::now() + limit;
        loop {
            if self.starter.control.stopped() {
                return Heard::Interrupted;
            }
            self.starter.control.suspend_if_asked();
            // In this order: what it wrote before it ended is in the pipe by the time that its end is seen.
            let exited = self.process.has_exited();
            let more = self.process.read();
            match self.process.next_line() {
                Some(Ok(line)) => return Heard::Line(line),
                Some(Err(_)) => return Heard::TooLong(self.process.unfinished()),
                None if exited && !more => {
                    let status = self.process.status().expect("it has ended");
                    return Heard::Exited(status);
                }
                None if Instant::now() >= deadline => return Heard::Silence(self.process.unfinished()),
                None if more => {}
                None => self.process.sleep(deadline),
            }
        }
    }

    /// Ends its stdin.
    pub fn close_stdin(&mut self) {
        self.process.close_stdin();
    }

    /// Kills the process that was started, and nothing that it has started itself.
    pub fn kill_leader(&mut self) {
        // It is our child and nobody has waited for it, or `kill` finds nobody.
        let _ = kill(self.process.group(), Signal::SIGKILL);
        self.process.exits_within(Duration::from_secs(5));
    }

    /// The members of its process group that live, itself not counted.
    #[must_use]
    pub fn others(&self) -> Vec<Seen> {
        let leader = self.process.group();
        linux::living_members(leader).into_iter().filter(|seen| seen.pid != leader).collect()
    }

    /// The last lines of its stderr.
    #[must_use]
    pub fn stderr_tail(&self) -> Vec<String> {
        self.process.stderr_tail()
    }

    /// Ends it, if it still lives, and all that it started. The answer is what was left of it that should not have been.
    pub fn end(mut self) -> Vec<String> {
        let Starter { control, limits, orphans, .. } = &self.starter;
        ending::end(&mut self.process, control, limits.graces, Manner::Terminate, Some(orphans)).warnings
    }
}
