//! The threads of the connections, and their end at the stop.

use std::{
    collections::HashMap,
    io,
    net::{Shutdown, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Instant,
};

use crate::limits::{GRACE, HEAD_TIME};

/// The stack of a connection's thread. It parses a head and burns, and keeps the head on the heap.
const STACK_BYTES: usize = 128 * 1024;

/// The threads of the connections.
#[derive(Debug, Default)]
pub struct Crew {
    open: Mutex<Open>,
    one_less: Condvar,
    closing: AtomicBool,
}

#[derive(Debug, Default)]
struct Open {
    streams: HashMap<u64, Arc<TcpStream>>,
    employed: u64,
}

impl Crew {
    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing that can panic leaves the map half changed.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server is to stop.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Relaxed)
    }

    /// Starts a thread that serves a connection.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn employ(
        self: &Arc<Self>,
        stream: TcpStream,
        serve: impl FnOnce(&TcpStream, &Self) + Send + 'static,
    ) -> io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        // A client that reads nothing would keep its thread for ever.
        stream.set_write_timeout(Some(HEAD_TIME))?;
        let stream = Arc::new(stream);
        let mut open = self.open();
        let number = open.employed;
        open.employed += 1;
        open.streams.insert(number, Arc::clone(&stream));
        drop(open);
        let member = Member { crew: Arc::clone(self), number };
        // If no thread starts, the member is dropped, and the stream with it.
        thread::Builder::new().name("connection".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            serve(&stream, &member.crew);
            drop(stream);
            drop(member);
        })?;
        Ok(())
    }

    /// Lets the threads answer what is out and end, at most until a point in time. Those that are left then lose their
    /// connections.
    pub fn finish(&self, deadline: Instant) {
        self.closing.store(true, Relaxed);
        let deadline = deadline.min(Instant::now() + GRACE);
        let mut open = self.open();
        for stream in open.streams.values() {
            // Ends a read that waits. What has been received already is still read and answered.
            let _ = stream.shutdown(Shutdown::Read);
        }
        while !open.streams.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            open = self.one_less.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        for stream in open.streams.values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// A thread of the crew.
struct Member {
    crew: Arc<Crew>,
    number: u64,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.crew.open().streams.remove(&self.number);
        self.crew.one_less.notify_one();
    }
}
