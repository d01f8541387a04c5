//! A server that the matrix brings along: started on ports that are free, asked until it is ready, watched from
//! outside, and ended by its own stop signal.

use std::io;
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::ports::{self, Holder};
use super::ready::{self, NotReady};
use super::server::{Account, Listening, Server};
use super::tree;
use crate::engine::ending::{self, Manner};
use crate::engine::failure::{Failure, FailureKind};
use crate::engine::launcher::Halt;
use crate::engine::linux;
use crate::engine::process::{Process, describe};
use crate::engine::spawn::{Streams, WorkerCommand};
use crate::engine::starter::Starter;
use crate::matrix::plan::{self, StopSignal};

/// When somebody else than the server answers on its port, it finds out soon and ends. Where the port is another's for
/// good reason, such as that of a container, it does not.
const FINDS_OUT: Duration = Duration::from_millis(500);

/// The exit status by which a shell says that there is no such program: POSIX, "Exit Status for Commands".
const NOT_FOUND: i32 = 127;

/// A server of the matrix.
#[derive(Debug)]
pub struct CommandServer {
    /// With `{port}` and `{ports}` in it.
    command: WorkerCommand,
    spec: plan::ServerCommand,
    starter: Starter,
    process: Option<Process>,
    /// What became of the process, once it was ended because of a failure.
    ended: Option<Vec<String>>,
    before: Option<tree::Costs>,
}

/// Why a start came to nothing.
enum Failed {
    /// Somebody was quicker to take one of its ports.
    PortTaken(Failure),
    Otherwise(Halt),
}

impl CommandServer {
    /// A server that is not started yet.
    pub fn new(command: WorkerCommand, spec: plan::ServerCommand, starter: Starter) -> Self {
        Self { command, spec, starter, process: None, ended: None, before: None }
    }

    /// Starts it on new ports and waits until it is ready.
    fn attempt(&mut self) -> Result<Listening, Failed> {
        let free = |error: io::Error| {
            let reason = format!("the system has no {} free ports on 127.0.0.1: {error}", self.spec.ports);
            Failed::Otherwise(Halt::failed(FailureKind::NotStarted, reason))
        };
        let ports = ports::free(self.spec.ports).map_err(free)?;
        let command = substitute(&self.command, &ports);
        let process = self.starter.start("the server", Streams::Log, &command);
        let process = self.process.insert(process.map_err(|failure| Failed::Otherwise(Halt::Failed(failure)))?);
        self.ended = None;
        let limit = self.spec.ready_timeout;
        match ready::wait(process, &self.starter.control, &ports, &self.spec.ready, limit) {
            Ok(()) if answered_by_another(process.group(), &ports) && process.exits_within(FINDS_OUT) => {
                Err(self.died_before_ready(&ports))
            }
            Ok(()) => {
                Ok(Listening { ready: None, targets: ports.iter().map(|port| format!("127.0.0.1:{port}")).collect() })
            }
            Err(NotReady::Halt(halt)) => Err(Failed::Otherwise(halt)),
            Err(NotReady::TimedOut(seen)) => {
                let reason = format!(
                    "the server was not ready within {}: {seen}; `ready_timeout` in the matrix file sets the limit",
                    humantime::format_duration(limit)
                );
                Err(Failed::Otherwise(self.fail(FailureKind::NotReady, reason)))
            }
            Err(NotReady::Died) => Err(self.died_before_ready(&ports)),
        }
    }

    fn died_before_ready(&mut self, ports: &[u16]) -> Failed {
        let process = self.process.as_mut().expect("it was started");
        if process.status().and_then(|status| status.code()) == Some(NOT_FOUND) {
            let said = process.stderr_tail().pop().map(|line| format!(": {line}")).unwrap_or_default();
            let reason =
                format!("a program that the server's command starts is not installed (status {NOT_FOUND}){said}");
            return Failed::Otherwise(self.fail(FailureKind::Missing, reason));
        }
        let how = process.status().map_or_else(|| "ended".to_owned(), describe);
        let reason = format!("the server {how} before it was ready");
        // Looked for before the server's children are ended, as one of them may be it.
        let Some((port, holder)) = ports.iter().find_map(|&port| Some((port, ports::holder(port)?))) else {
            return Failed::Otherwise(self.fail(FailureKind::Died, reason));
        };
        match holder {
            Holder::Process { pid, name } if self.is_ours(pid) => {
                let reason = format!(
                    "{reason}, and left {name}, process {pid}, listening on its port; it must stay in the foreground"
                );
                Failed::Otherwise(self.fail(FailureKind::Died, reason))
            }
            holder => {
                let reason = format!("{reason}: port {port} is taken by {holder}");
                match self.fail(FailureKind::Died, reason) {
                    Halt::Failed(failure) => Failed::PortTaken(failure),
                    halt => Failed::Otherwise(halt),
                }
            }
        }
    }

    /// Whether a process was started by our server.
    fn is_ours(&self, pid: Pid) -> bool {
        let (name, value) = &self.starter.orphans.mark;
        linux::has_variable(pid, name, value)
    }

    fn leader(&self) -> Option<Pid> {
        self.process.as_ref().map(Process::group)
    }

    /// Ends it, if it was not; tells whether it had to be killed.
    fn end(&mut self) -> bool {
        let (Some(process), None) = (&mut self.process, &self.ended) else { return false };
        let Starter { control, limits, orphans, .. } = &self.starter;
        let ended = ending::end(process, control, limits.graces, manner(self.spec.stop), Some(orphans));
        self.ended = Some(ended.warnings);
        ended.killed
    }
}

impl Server for CommandServer {
    fn start(&mut self) -> Result<Listening, Halt> {
        let failed = match self.attempt() {
            // Between choosing a port and taking it there is a moment in which anybody can.
            Err(Failed::PortTaken(_)) => self.attempt(),
            first => first,
        };
        failed.map_err(|failed| match failed {
            Failed::PortTaken(failure) => Halt::Failed(failure),
            Failed::Otherwise(halt) => halt,
        })
    }

    fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    fn begin(&mut self, _warmup: bool) -> Result<(), Halt> {
        self.before = self.leader().and_then(tree::costs);
        Ok(())
    }

    fn account(&mut self, _warmup: bool) -> Result<Account, Halt> {
        let after = self.leader().and_then(tree::costs);
        let usage = self.before.take().zip(after).map(|(before, after)| after.since(&before));
        Ok(Account { served: None, usage })
    }

    fn fail(&mut self, kind: FailureKind, mut reason: String) -> Halt {
        if self.end() {
            reason = format!("{reason}; it did not end on {} and was killed", manner(self.spec.stop).signal());
        }
        let stderr_tail = self.process.as_ref().map(Process::stderr_tail).unwrap_or_default();
        Halt::Failed(Failure { kind, reason, stderr_tail })
    }

    fn close(&mut self) -> Vec<String> {
        let killed = self.end();
        let mut warnings = self.ended.take().unwrap_or_default();
        self.process = None;
        if killed && !self.starter.control.stopped() {
            let (signal, grace) = (manner(self.spec.stop).signal(), self.starter.limits.graces.exit);
            warnings.push(format!(
                "the server did not end within {} of {signal} and was killed; `stop` in the matrix file names the signal",
                humantime::format_duration(grace)
            ));
        }
        warnings
    }
}

/// Whether a process outside this group listens on one of these ports.
fn answered_by_another(group: Pid, ports: &[u16]) -> bool {
    ports.iter().filter_map(|&port| ports::holder(port)).any(|holder| match holder {
        Holder::Process { pid, .. } => linux::look(pid).is_some_and(|seen| seen.group != group),
        Holder::Unknown => false,
    })
}

fn manner(stop: StopSignal) -> Manner {
    Manner::Stop(match stop {
        StopSignal::Term => Signal::SIGTERM,
        StopSignal::Int => Signal::SIGINT,
        StopSignal::Quit => Signal::SIGQUIT,
    })
}

/// The command with its ports in it.
fn substitute(command: &WorkerCommand, ports: &[u16]) -> WorkerCommand {
    let all: Vec<String> = ports.iter().map(u16::to_string).collect();
    let (first, all) = (all.first().cloned().unwrap_or_default(), all.join(","));
    let fill = |text: &String| text.replace("{port}", &first).replace("{ports}", &all);
    WorkerCommand {
        program: command.program.clone(),
        arguments: command.arguments.iter().map(fill).collect(),
        environment: command.environment.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
        folder: command.folder.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_filled_in_wherever_they_are_named() {
        let command = WorkerCommand {
            program: "/bin/{port}".into(),
            arguments: vec!["-p{port}".into(), "{ports}".into(), "{port}:{port}".into(), "{other}".into()],
            environment: vec![("PORTS".into(), "[{ports}]".into())],
            folder: None,
        };
        let filled = substitute(&command, &[8001, 8002]);
        assert_eq!(filled.arguments, ["-p8001", "8001,8002", "8001:8001", "{other}"]);
        assert_eq!(filled.environment, [("PORTS".to_owned(), "[8001,8002]".to_owned())]);
        assert_eq!(filled.program, command.program);
    }
}
