//! `processes`: child processes with one event loop each, and an interpreter lock each.
//!
//! A child is this same program, started again. It does not listen by itself: this process makes the sockets and gives
//! each child what it accepts from as its stdin, as inetd does. That is a listening socket of its own (`per-port`,
//! `reuse-port`), the one that all have (`shared`), or the end of a channel over which the acceptor here passes open
//! connections (`hand-off`). The conversation, in which a child is asked what the orchestrator asks us, goes over a socket
//! in place of its stdout, in both directions.

mod channel;
mod inherit;

use std::{
    os::fd::OwnedFd,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use protocol::{HttpModel, Job, Listen, Reply, ServeJob, Served};
use worker::Child;

use super::deal;
use crate::{
    limits::GRACE,
    listen,
    served::{InProcess, Running},
    source::Source,
};

pub use channel::{Channel, Passed};
pub use inherit::{CHILD, child_main};

/// A parent and its children.
pub struct Processes {
    /// What runs here: the acceptor of `hand-off`, or nothing. Its counters stay at 0.
    own: InProcess,
    children: Vec<Child>,
}

/// Starts the children of a job, and returns when all of them are ready.
///
/// # Errors
/// A child could not be started, or refused its job.
pub fn start(job: &ServeJob) -> Result<Processes> {
    let workers = job.workers as usize;
    let mut sockets = listen::open(job.listen, workers)?;
    let mut own = InProcess::new(sockets.ports, 0, 0);
    let stdins: Vec<OwnedFd> = if job.listen == Listen::HandOff {
        let listener = sockets.listeners.pop().context("no socket was made")?;
        let pairs = (0..workers).map(|_| Channel::pair()).collect::<std::io::Result<Vec<_>>>();
        let pairs = pairs.context("cannot make the channels to child processes")?;
        let (takers, stdins): (Vec<_>, Vec<_>) =
            pairs.into_iter().map(|(here, there)| (move |stream| here.send(&stream), OwnedFd::from(there))).unzip();
        own.add(deal::start(Source::Listener(listener), takers, own.stop())?);
        stdins
    } else {
        sockets.listeners.into_iter().map(OwnedFd::from).collect()
    };
    // Whatever fails below drops the children, which kills and reaps them.
    let mut children = Vec::new();
    for (number, stdin) in stdins.into_iter().enumerate() {
        let mut command = Child::program()?;
        command.args([CHILD, &number.to_string()]);
        let mut child = Child::start_with_stdin(command, stdin, number, workers)?;
        child.give(Job::Serve(ServeJob { model: HttpModel::Loops, workers: 1, ..job.clone() }))?;
        children.push(child);
    }
    for child in &mut children {
        child.wait_until_ready()?;
    }
    Ok(Processes { own, children })
}

impl Running for Processes {
    fn ports(&self) -> Vec<u16> {
        self.own.ports()
    }

    fn served(&mut self) -> Result<Served> {
        let asked: Vec<Result<()>> = self.children.iter_mut().map(Child::ask).collect();
        // All are heard before an error is returned, so that no answer is left over for the next time.
        let replies: Vec<Result<Reply>> =
            self.children.iter_mut().zip(asked).map(|(child, asked)| asked.and_then(|()| child.receive())).collect();
        let mut all = self.own.served()?;
        for (child, reply) in self.children.iter().zip(replies) {
            match reply? {
                Reply::Served(part) => {
                    all.requests.extend(part.requests);
                    all.connections.extend(part.connections);
                    all.usage = Some(all.usage.unwrap_or_default() + part.usage.unwrap_or_default());
                }
                reply => bail!("{child} failed: {}", reply.why_not()),
            }
        }
        Ok(all)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        // All are told before any is waited for. One that is still there at the end is killed by its own drop.
        for child in &mut self.children {
            child.tell_to_end();
        }
        let deadline = Instant::now() + GRACE + Duration::from_secs(1);
        while self.children.iter_mut().any(Child::runs) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
