//! A socket of tokio as hyper wants it.

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use crate::{limits::MAX_HEAD_BYTES, registry::Entry};

thread_local! {
    /// Where a thread reads to before it knows how much comes. hyper's own buffer may be uninitialised memory, which only
    /// `unsafe` code can read into; a request is so short that copying it costs less than a cache miss.
    static SCRATCH: RefCell<[u8; MAX_HEAD_BYTES]> = const { RefCell::new([0; MAX_HEAD_BYTES]) };
}

/// A socket that tells the registry when bytes come.
pub struct SocketIo {
    stream: TcpStream,
    entry: Arc<Entry>,
}

impl SocketIo {
    /// The socket of the connection with this entry.
    pub fn new(stream: TcpStream, entry: Arc<Entry>) -> Self {
        Self { stream, entry }
    }
}

impl Read for SocketIo {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        SCRATCH.with_borrow_mut(|scratch| {
            let room = scratch.len().min(buffer.remaining());
            let mut read = ReadBuf::new(&mut scratch[..room]);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
            if !read.filled().is_empty() {
                buffer.put_slice(read.filled());
                self.entry.received();
            }
            Poll::Ready(Ok(()))
        })
    }
}

impl Write for SocketIo {
    #[inline]
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A socket has no buffer of ours.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
