//! One child process, which speaks the worker protocol over a socket in place of its stdout.

use std::{
    fmt,
    io::{BufRead, BufReader, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{self, Command},
};

use anyhow::{Context, Result, anyhow};
use protocol::{PARENT_PID_VARIABLE, Reply, Request};

use super::inherit::CHILD;

/// A running child. Dropped while it runs, it is killed and reaped.
pub struct Child {
    process: process::Child,
    /// Closed by taking it, which tells the child to stop.
    conversation: Option<BufReader<UnixStream>>,
    number: usize,
    of: usize,
}

impl Child {
    /// Starts this program again as child `number` of `of`, with this for its stdin and our stderr for its stderr.
    pub fn start(number: usize, of: usize, stdin: OwnedFd) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find the path of this program to start it again")?;
        let (ours, theirs) = UnixStream::pair().context("cannot make a socket to talk to a child process over")?;
        let process = Command::new(&program)
            .args([CHILD, &number.to_string()])
            .env(PARENT_PID_VARIABLE, process::id().to_string())
            .stdin(stdin)
            .stdout(OwnedFd::from(theirs))
            .spawn()
            .with_context(|| format!("cannot start child process {number} of {of} from {}", program.display()))?;
        Ok(Self { process, conversation: Some(BufReader::new(ours)), number, of })
    }

    /// Sends one line.
    pub fn send(&mut self, request: &Request) -> Result<()> {
        let sent = match &mut self.conversation {
            Some(conversation) => conversation.get_mut().write_all(request.to_line().as_bytes()).is_ok(),
            None => false,
        };
        // Over a broken socket the reason is how the child ended.
        if sent { Ok(()) } else { Err(self.gone()) }
    }

    /// Waits for one line.
    pub fn receive(&mut self) -> Result<Reply> {
        let mut line = String::new();
        let read = self.conversation.as_mut().and_then(|conversation| conversation.read_line(&mut line).ok());
        if read.unwrap_or(0) == 0 {
            return Err(self.gone());
        }
        Reply::from_line(&line).with_context(|| format!("{self} answered something else"))
    }

    /// Tells the child to stop, by ending the conversation.
    pub fn tell_to_stop(&mut self) {
        self.conversation = None;
    }

    /// Whether the child still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Why a child that has ended the conversation is not there any more.
    fn gone(&mut self) -> anyhow::Error {
        // A child that ended the conversation but lives on would keep us waiting.
        let _ = self.process.kill();
        match self.process.wait() {
            Ok(status) => anyhow!("{self} has ended, with {status}: the server is not whole any more"),
            Err(error) => anyhow!("{self} has ended, and nobody knows how: {error}"),
        }
    }
}

impl fmt::Display for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "child process {} of {} (pid {})", self.number, self.of, self.process.id())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Both do nothing to a child that has been waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
