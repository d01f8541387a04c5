//! A server for the worker's load: it answers as one that burns nothing, with one wrong answer where that is asked for,
//! and counts what comes.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use protocol::REQUEST_SEEDS;

/// A server in threads of its own, until it is dropped.
pub(super) struct Target {
    port: u16,
    counters: Arc<Counters>,
}

#[derive(Default)]
struct Counters {
    connections: AtomicU64,
    requests: AtomicU64,
    stop: AtomicBool,
    /// The number of the request that gets a wrong answer, from 1 on; 0 is none.
    wrong: AtomicU64,
}

impl Target {
    /// Starts it; the request of this number, from 1 on, gets a wrong body.
    pub(super) fn start(wrong: Option<u64>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let counters = Arc::new(Counters { wrong: AtomicU64::new(wrong.unwrap_or(0)), ..Counters::default() });
        let shared = Arc::clone(&counters);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.stop.load(Ordering::SeqCst) {
                    return;
                }
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let counters = Arc::clone(&shared);
                thread::spawn(move || answer(stream, &counters));
            }
        });
        Ok(Self { port, counters })
    }

    /// Its address.
    pub(super) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Connections and requests so far.
    pub(super) fn seen(&self) -> (u64, u64) {
        (self.counters.connections.load(Ordering::SeqCst), self.counters.requests.load(Ordering::SeqCst))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.counters.stop.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts, which then ends; those of connections end with them.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn answer(mut stream: TcpStream, counters: &Counters) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let _ = stream.set_nodelay(true);
    let (mut bytes, mut chunk, mut k) = (Vec::new(), [0; 1024], 0);
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        bytes.extend_from_slice(&chunk[..count]);
        while let Some(end) = bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            bytes.drain(..end + 4);
            let number = counters.requests.fetch_add(1, Ordering::SeqCst) + 1;
            let wrong = u64::from(number == counters.wrong.load(Ordering::SeqCst));
            let text = format!("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n00{:06x}", k % REQUEST_SEEDS + 16 * wrong);
            if stream.write_all(text.as_bytes()).is_err() {
                return;
            }
            k += 1;
        }
    }
}
