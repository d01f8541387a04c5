//! Small scripted servers, and jobs for them.

#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use client::Client;
use protocol::{ErrorKind, Expect, HttpRequest, LoadJob, LoadSample, Pace};

/// Milliseconds in nanoseconds.
pub const MS: u64 = 1_000_000;

/// A server on a port of its own, which follows a script for each connection. It ends when it is dropped.
pub struct Server {
    pub address: SocketAddr,
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    stop: AtomicBool,
    accepted: AtomicU64,
    streams: Mutex<Vec<TcpStream>>,
}

impl Server {
    /// Runs the script on a thread for each connection. It is given the connection's number.
    pub fn start(script: impl Fn(u64, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner::default());
        let script = Arc::new(script);
        let shared = Arc::clone(&inner);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stop.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let number = shared.accepted.fetch_add(1, Ordering::SeqCst);
                shared.streams.lock().unwrap().push(stream.try_clone().unwrap());
                let script = Arc::clone(&script);
                thread::spawn(move || {
                    script(number, &mut stream);
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        Self { address, inner }
    }

    /// Connections accepted so far.
    pub fn accepted(&self) -> u64 {
        self.inner.accepted.load(Ordering::SeqCst)
    }

    /// Ends all connections, as a server does that has waited long enough for requests.
    pub fn close_connections(&self) {
        for stream in self.inner.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.inner.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        self.close_connections();
    }
}

/// Reads one request without a body; `false` at the end of the connection.
pub fn read_request(stream: &mut TcpStream) -> bool {
    let mut seen = Vec::new();
    let mut byte = [0; 256];
    while !seen.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(count @ 1..) => seen.extend_from_slice(&byte[..count]),
            _ => return false,
        }
    }
    true
}

/// An answer with this status line's end, such as `200 OK`, and this body.
pub fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// Answers every request with what the script makes of its number on the connection, until that is `None`.
pub fn each_request(stream: &mut TcpStream, mut script: impl FnMut(u64) -> Option<String>) {
    for k in 0.. {
        let Some(bytes) = read_request(stream).then(|| script(k)).flatten() else { return };
        if stream.write_all(bytes.as_bytes()).is_err() {
            return;
        }
    }
}

/// The right answer of our own server to request number `k` of a connection.
pub fn burnt(worker: u64, iterations: u64, k: u64) -> String {
    let mut value = u32::try_from(k % 8).unwrap();
    for index in 0..u32::try_from(iterations).unwrap() {
        value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).wrapping_add(index);
    }
    format!("{worker:02x}{:06x}", value & 0xff_ffff)
}

/// A closed loop over four connections on one thread that expects any good status.
pub fn job(server: SocketAddr, requests: u64) -> LoadJob {
    LoadJob {
        targets: vec![server.to_string()],
        connections: 4,
        threads: 1,
        pace: Pace::Closed { requests },
        requests: vec![get("/")],
        timeout_ns: 2_000 * MS,
        drain_ns: 2_000 * MS,
        expect: Expect::Status { status: None, body: None },
        worker_header: None,
    }
}

pub fn get(path: &str) -> HttpRequest {
    HttpRequest { method: "GET".into(), path: path.into(), headers: Vec::new(), body: None }
}

/// Runs a job once and checks that every request is accounted for.
pub fn run(job: &LoadJob) -> LoadSample {
    let sample = Client::new(job).unwrap().run().unwrap();
    check_sums(job, &sample);
    sample
}

/// No request is lost in the counts.
pub fn check_sums(job: &LoadJob, sample: &LoadSample) {
    let errors: u64 = sample.errors.values().sum();
    assert_eq!(sample.sent, sample.completed + errors + sample.stragglers, "{sample:?}");
    assert_eq!(sample.latency.count, sample.completed);
    assert_eq!(sample.service.count, sample.completed);
    if let Pace::Closed { requests } = job.pace {
        assert_eq!(sample.sent + sample.unsent, requests);
    }
}

/// How often this kind of error was counted.
pub fn errors(sample: &LoadSample, kind: ErrorKind) -> u64 {
    sample.errors.get(&kind).copied().unwrap_or(0)
}

/// Asserts that all errors are of this kind.
pub fn assert_only(sample: &LoadSample, kind: ErrorKind) {
    assert_eq!(sample.errors.keys().collect::<Vec<_>>(), [&kind]);
}
