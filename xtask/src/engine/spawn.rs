//! How a program is started: its command, and what its standard streams are for.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::linux;

/// A program with its arguments and what is added to its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The program's file: with a path there is no search, and `Command` can use the faster `posix_spawn`.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// The folder that it starts in; `None` is our own.
    pub folder: Option<PathBuf>,
}

impl WorkerCommand {
    /// A program without arguments.
    #[must_use]
    pub fn of(program: PathBuf) -> Self {
        Self { program, arguments: Vec::new(), environment: Vec::new(), folder: None }
    }
}

/// A user that a process runs as, and nothing else of ours: not our other groups either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The user's id.
    pub uid: u32,
    /// The id of its group.
    pub gid: u32,
}

/// What the standard streams of a process are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// It speaks the worker protocol on stdin and stdout; stderr is for people.
    Protocol,
    /// Nobody speaks to it; stdout and stderr both are for people.
    Log,
}

/// Starts a program, as somebody else where `identity` says so; where its streams are a log, the answer has the end that
/// is read.
pub(super) fn spawn(
    streams: Streams,
    command: &WorkerCommand,
    identity: Option<Identity>,
) -> io::Result<(Child, Option<File>)> {
    let mut builder = Command::new(&command.program);
    builder
        .args(&command.arguments)
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        .process_group(0);
    if let Some(Identity { uid, gid }) = identity {
        // The standard library gives up our other groups when root becomes somebody else.
        builder.gid(gid).uid(uid);
    }
    if let Some(folder) = &command.folder {
        builder.current_dir(folder);
    }
    let log = match streams {
        Streams::Protocol => {
            builder.env(protocol::PARENT_PID_VARIABLE, std::process::id().to_string());
            builder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            None
        }
        Streams::Log => {
            // One pipe for both, so that their lines are in the order in which they were written.
            let (reader, writer) = io::pipe()?;
            builder.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
            // It does not know our protocol and so cannot see to it by itself.
            linux::die_with_parent(&mut builder);
            Some(File::from(OwnedFd::from(reader)))
        }
    };
    Ok((builder.spawn()?, log))
}
