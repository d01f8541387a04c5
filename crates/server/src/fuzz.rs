//! The request paths over memory instead of sockets: bytes in, answers out. For tests and fuzz targets.

use std::{
    future::Future,
    io,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use hyper::rt::{Read, ReadBufCursor, Write};

use crate::{
    answer::digits,
    http::{Respond, serve},
    models::threads::{Wire, converse},
    registry::{Entry, Registry},
};

/// What a connection of an asynchronous model answers to these bytes, which come in pieces of at most `piece` bytes and
/// then end. The result of the request with number `k` is `k`, the worker 0.
///
/// # Panics
/// The connection waits for something although all bytes are there.
#[must_use]
pub fn respond(input: &[u8], piece: usize) -> Vec<u8> {
    let registry = Arc::new(Registry::default());
    let entry = Arc::new(registry.enter());
    let output = Arc::new(Mutex::default());
    let memory =
        Memory { input: input.to_vec(), read: 0, piece, entry: Arc::clone(&entry), output: Arc::clone(&output) };
    run(serve(memory, entry, Arc::new(Count)));
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *output)
}

/// The same for a connection of the model `threads`.
#[must_use]
pub fn respond_blocking(input: &[u8], piece: usize) -> Vec<u8> {
    let mut output = Vec::new();
    // Memory cannot break.
    let _ = converse(Pieces { input, piece, output: &mut output }, |number| digits(0, number), || false);
    output
}

/// Answers with the number of the request.
struct Count;

impl Respond for Count {
    async fn respond(&self, number: u64) -> anyhow::Result<[u8; 8]> {
        Ok(digits(0, number))
    }

    fn accepted(&self) {}
}

struct Memory {
    input: Vec<u8>,
    read: usize,
    piece: usize,
    entry: Arc<Entry>,
    output: Arc<Mutex<Vec<u8>>>,
}

impl Read for Memory {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, mut buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let rest = &self.input[self.read..];
        let length = rest.len().min(self.piece.max(1)).min(buffer.remaining());
        if length > 0 {
            buffer.put_slice(&rest[..length]);
            self.read += length;
            self.entry.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Memory {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

struct Pieces<'a> {
    input: &'a [u8],
    piece: usize,
    output: &'a mut Vec<u8>,
}

impl Wire for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.len().min(self.piece.max(1)).min(buffer.len());
        let (now, later) = self.input.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.input = later;
        Ok(length)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.extend_from_slice(bytes);
        Ok(())
    }

    fn set_patience(&mut self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }
}

/// Polls a future until it is ready. hyper now and then lets others run, and wakes itself before.
fn run(future: impl Future<Output = ()>) {
    #[derive(Default)]
    struct Woken(AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    while future.as_mut().poll(&mut context).is_pending() {
        assert!(woken.0.swap(false, Ordering::Relaxed), "a connection waits for something that cannot come");
    }
}
