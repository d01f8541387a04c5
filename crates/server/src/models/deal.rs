//! An acceptor that deals its connections out round robin, so that each taker gets exactly as many as the others.

use std::{io, net::TcpStream, thread::JoinHandle};

use anyhow::{Context, Result};
use interpreter_lock::InterpreterLock;

use crate::{
    accept::accept,
    event_loop,
    host::{Stop, either, told},
    source::Source,
};

/// Starts the acceptor. It runs no request's code, so it needs no interpreter lock.
pub fn start<T>(source: Source, mut takers: Vec<T>, stop: Stop) -> Result<JoinHandle<()>>
where
    T: FnMut(TcpStream) -> io::Result<()> + Send + 'static,
{
    event_loop::start(
        "acceptor".to_owned(),
        InterpreterLock::none(),
        |_| (),
        move |timer| {
            let source = source.open().context("cannot wait for connections")?;
            Ok(async move {
                let mut next = 0;
                let take = |stream: tokio::net::TcpStream| {
                    let taker = next;
                    next = (next + 1) % takers.len();
                    takers[taker](stream.into_std()?)
                };
                either(accept(source, &timer, take), told(stop)).await;
            })
        },
    )
}
