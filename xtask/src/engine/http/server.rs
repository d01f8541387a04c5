//! What an HTTP cell needs of a server, whosever it is.

use std::fmt;

use protocol::{Ready, Served, Usage};

use crate::engine::failure::FailureKind;
use crate::engine::launcher::Halt;
use crate::engine::process::Process;

/// A server that can be asked.
#[derive(Debug)]
pub struct Listening {
    /// What it said about itself, if it speaks the protocol.
    pub ready: Option<Ready>,
    /// Its socket addresses.
    pub targets: Vec<String>,
}

/// What a run was on the server's side.
#[derive(Debug, Default)]
pub struct Account {
    /// Requests by worker and usage, of our own server.
    pub served: Option<Served>,
    /// What the run cost another server.
    pub usage: Option<Usage>,
}

/// The server of a cell.
pub trait Server: fmt::Debug {
    /// Starts it and waits until it can be asked. Called once, first.
    fn start(&mut self) -> Result<Listening, Halt>;

    /// Its process, where it has one of ours.
    fn process(&mut self) -> Option<&mut Process>;

    /// Begins to count what a run takes.
    fn begin(&mut self, warmup: bool) -> Result<(), Halt>;

    /// What the run took since then.
    fn account(&mut self, warmup: bool) -> Result<Account, Halt>;

    /// Ends it because the cell has failed, and says why, with the last lines that it wrote.
    fn fail(&mut self, kind: FailureKind, reason: String) -> Halt;

    /// Ends it, if it was not, and all that it started; tells what a person should know about that.
    fn close(&mut self) -> Vec<String>;
}
