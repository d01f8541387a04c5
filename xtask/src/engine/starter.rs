//! What all processes of a launcher have in common, and how they are started with it.

use std::rc::Rc;

use super::conversation::{Conversation, Limits};
use super::ending::Orphans;
use super::failure::{Failure, FailureKind};
use super::process::Process;
use super::signals::{ChildExits, Control};
use super::spawn::{Identity, Streams, WorkerCommand};

/// Starts processes.
#[derive(Debug, Clone)]
pub(super) struct Starter {
    pub(super) control: Control,
    pub(super) limits: Limits,
    pub(super) orphans: Orphans,
    pub(super) exits: Rc<ChildExits>,
}

impl Starter {
    /// Starts a process, whose descendants are known by its mark. `name` is what messages call it.
    pub(super) fn start(
        &self,
        name: &'static str,
        streams: Streams,
        command: &WorkerCommand,
    ) -> Result<Process, Failure> {
        self.start_as(name, streams, command, None)
    }

    /// The same as somebody else.
    pub(super) fn start_as(
        &self,
        name: &'static str,
        streams: Streams,
        command: &WorkerCommand,
        identity: Option<Identity>,
    ) -> Result<Process, Failure> {
        let mut command = command.clone();
        command.environment.push(self.orphans.mark.clone());
        Process::start(name, streams, &command, identity, &self.control, &self.exits).map_err(|error| Failure {
            kind: FailureKind::NotStarted,
            reason: format!("{} could not be started: {error}", command.program.display()),
            stderr_tail: Vec::new(),
        })
    }

    /// Starts a process that is spoken to. `last` says that no other process of the cell outlives it.
    pub(super) fn converse(
        &self,
        name: &'static str,
        command: &WorkerCommand,
        last: bool,
    ) -> Result<Conversation, Failure> {
        let process = self.start(name, Streams::Protocol, command)?;
        let orphans = last.then(|| self.orphans.clone());
        Ok(Conversation::new(process, self.control.clone(), self.limits.graces, orphans))
    }
}
