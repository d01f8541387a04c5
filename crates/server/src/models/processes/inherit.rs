//! The other side: what a child process inherits from its parent, and its conversation.

use std::{
    cell::Cell,
    fs::File,
    io::{self, BufReader},
    net::TcpListener,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::ExitCode,
};

use anyhow::{Context, Result};
use nix::unistd::dup2_stdin;
use protocol::{Job, Listen};
use worker::{Handler, Prepared, Refusal};

use super::{super::loops, Channel};
use crate::{
    handler::{IDENTITY, Serving, checked},
    source::Source,
};

/// The first argument of a child process; the second is its number.
pub const CHILD: &str = "child";

/// The whole of the `main` function of a child process. Returns the exit status.
pub fn child_main(number: &str) -> ExitCode {
    match inherited(number) {
        Ok((child, conversation, input)) => worker::main_on(BufReader::new(input), conversation, &IDENTITY, &child),
        Err(error) => {
            eprintln!("server: cannot start as a child process, which only a server should do: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn inherited(number: &str) -> Result<(Child, UnixStream, UnixStream)> {
    let number = number.parse().with_context(|| format!("{number:?} is not a number"))?;
    let stdin = io::stdin().as_fd().try_clone_to_owned().context("cannot take over stdin")?;
    // The socket has to close when the loop stops accepting, so stdin must not keep it.
    let nothing = File::open("/dev/null").context("cannot open /dev/null")?;
    dup2_stdin(nothing).context("cannot give stdin away")?;
    let conversation = UnixStream::from(io::stdout().as_fd().try_clone_to_owned().context("cannot take over stdout")?);
    let input = conversation.try_clone().context("cannot read what is on stdout")?;
    Ok((Child { number, stdin: Cell::new(Some(stdin)) }, conversation, input))
}

/// A child process: it serves with one loop, and its answers carry its number.
struct Child {
    number: usize,
    stdin: Cell<Option<OwnedFd>>,
}

impl Handler for Child {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        let job = checked(job)?;
        let stdin = self.stdin.take().context("a child process does one job only")?;
        let source = match job.listen {
            Listen::HandOff => Source::Passed(Channel::from(stdin)),
            Listen::PerPort | Listen::ReusePort | Listen::Shared => Source::Listener(TcpListener::from(stdin)),
        };
        Ok(Box::new(Serving(Box::new(loops::start_single(&job, source, self.number)?))))
    }
}
