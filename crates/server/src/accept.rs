//! Takes connections without end, and without spinning when the system has nothing left for them.

use std::{
    io,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use interpreter_lock::InterpreterLock;
use nix::errno::Errno;
use tokio::net::TcpStream;
use workloads::Timer;

use crate::{
    event_loop,
    host::{Stop, either, told},
    source::{OpenSource, Source},
};

/// How long an acceptor rests after the system refused it a connection. A connection that cannot be accepted stays in
/// the queue, so without a rest the next try would fail at once, and so on.
const REST: Duration = Duration::from_millis(100);

/// How long an acceptor keeps quiet after a complaint.
const QUIET: Duration = Duration::from_secs(1);

/// Starts a thread that takes the connections of a source until it is told to stop. It runs no request's code, so it
/// needs no interpreter lock.
///
/// # Errors
/// The system has no thread or no descriptor left for it.
pub fn start(
    source: Source,
    stop: Stop,
    take: impl FnMut(TcpStream) -> io::Result<()> + Send + 'static,
) -> Result<JoinHandle<()>> {
    event_loop::start(
        "acceptor".to_owned(),
        InterpreterLock::none(),
        |_| (),
        move |timer| {
            let source = source.open().context("cannot wait for connections")?;
            Ok(async move {
                either(accept(source, &timer, take), told(stop)).await;
            })
        },
    )
}

/// Gives every connection of the source to `take`, until the source ends. An error of `take` loses that connection and
/// counts like one of the source.
pub async fn accept(mut source: OpenSource, timer: &Timer, mut take: impl FnMut(TcpStream) -> io::Result<()>) {
    let mut complained: Option<Instant> = None;
    loop {
        let error = match source.next().await {
            Ok(Some(stream)) => match take(stream) {
                Ok(()) => continue,
                Err(error) => error,
            },
            Ok(None) => return,
            Err(error) => error,
        };
        if is_the_clients(&error) {
            continue;
        }
        if complained.is_none_or(|at| at.elapsed() >= QUIET) {
            complained = Some(Instant::now());
            let hint = if is_descriptors(&error) { ": raise the limit of open files (ulimit -n)" } else { "" };
            eprintln!("cannot take a connection: {error}{hint}");
        }
        timer.wait(REST).await;
    }
}

/// Whether this process, or the system, has no descriptor left.
fn is_descriptors(error: &io::Error) -> bool {
    error.raw_os_error().map(Errno::from_raw).is_some_and(|code| matches!(code, Errno::EMFILE | Errno::ENFILE))
}

/// Whether the client was gone before its connection was accepted.
fn is_the_clients(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::Interrupted
    )
}
