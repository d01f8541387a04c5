//! An acceptor that deals its connections out round robin, so that each taker gets exactly as many as the others.

use std::{io, net::TcpStream, thread::JoinHandle};

use anyhow::Result;

use crate::{accept, host::Stop, source::Source};

/// Starts the acceptor.
///
/// # Errors
/// The system has no thread or no descriptor left for it.
pub fn start<T>(source: Source, mut takers: Vec<T>, stop: Stop) -> Result<JoinHandle<()>>
where
    T: FnMut(TcpStream) -> io::Result<()> + Send + 'static,
{
    let mut next = 0;
    accept::start(source, stop, move |stream| {
        let taker = next;
        next = (next + 1) % takers.len();
        takers[taker](stream.into_std()?)
    })
}
