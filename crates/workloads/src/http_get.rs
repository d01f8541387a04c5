//! `http-get`: a page from an HTTP/1.1 server.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use interpreter_lock::InterpreterLock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    Step, Timer,
    in_flight::{InFlight, MAX_IN_FLIGHT},
    kept::Kept,
    peer,
};

mod answer;

use answer::Answer;

/// What the other side is called in messages.
const PEER: &str = "the HTTP server";
/// How much is read at once.
const BUFFER_BYTES: usize = 16 * 1024;

/// Asks for a page and reads all of it. A status other than 200 is an error. The result is the number of bytes of the body.
///
/// With `keep_alive` connections are open before the start and stay so: each thread has one, from run to run, and an event loop
/// as many as it has requests at once, which it opens anew for each run. Else each step opens one.
#[derive(Debug, Clone)]
pub struct HttpGet {
    shared: Arc<Shared>,
    /// Of a loop; those of threads are in `shared`.
    on_loop: Arc<OnLoop>,
}

#[derive(Debug)]
struct Shared {
    address: String,
    socket: SocketAddr,
    request: String,
    keep_alive: bool,
    patience: Duration,
    idle: Kept<TcpStream>,
}

#[derive(Debug, Default)]
struct OnLoop {
    in_flight: InFlight,
    idle: Kept<tokio::net::TcpStream>,
}

/// How one exchange ended: a result, or, on a connection that was kept, a server that had closed it meanwhile.
enum Exchange {
    Answered(u64, bool),
    Stale,
}

impl HttpGet {
    /// A request to `address`, which is `host:port`. With `keep_alive` it opens the connections of so many `threads`.
    ///
    /// # Errors
    /// The address or the path is none, or nobody answers there.
    pub fn new(address: &str, path: &str, keep_alive: bool, threads: usize) -> Result<Self> {
        let get = Self::with_patience(address, path, keep_alive, peer::PATIENCE)?;
        if keep_alive {
            for _ in 0..threads {
                get.shared.idle.keep(get.shared.connect()?);
            }
        }
        Ok(get)
    }

    fn with_patience(address: &str, path: &str, keep_alive: bool, patience: Duration) -> Result<Self> {
        let printable = path.bytes().all(|byte| byte.is_ascii_graphic());
        ensure!(path.starts_with('/') && printable, "{path:?} is no path: it begins with / and has no spaces");
        let connection = if keep_alive { "" } else { "Connection: close\r\n" };
        let shared = Shared {
            address: address.to_owned(),
            socket: peer::resolve(address)?,
            request: format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{connection}\r\n"),
            keep_alive,
            patience,
            idle: Kept::default(),
        };
        Ok(Self { shared: Arc::new(shared), on_loop: Arc::default() })
    }
}

impl Step for HttpGet {
    fn waits(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        false
    }

    fn for_loop(&self) -> Self {
        Self { on_loop: Arc::default(), ..self.clone() }
    }

    async fn connect(&self, tasks: u64) -> Result<()> {
        if self.shared.keep_alive {
            for _ in 0..tasks.min(MAX_IN_FLIGHT as u64) {
                // It blocks the loop, which has nothing else to do yet.
                let stream = self.shared.connect()?;
                let stream = stream.set_nonblocking(true).and_then(|()| tokio::net::TcpStream::from_std(stream));
                self.on_loop.idle.keep(stream.map_err(|error| self.shared.explained(error))?);
            }
        }
        Ok(())
    }

    async fn wait(&self, _index: u64, timer: &Timer) -> Result<u64> {
        let shared = &self.shared;
        let work = async {
            let got = timer.within(shared.patience, self.get()).await;
            got.unwrap_or_else(|| Err(peer::too_slow(PEER, &shared.address)))
        };
        self.on_loop.in_flight.run(work).await
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        lock.unlocked(|| self.shared.get())
    }
}

impl HttpGet {
    async fn get(&self) -> Result<u64> {
        let shared = &self.shared;
        loop {
            let kept = self.on_loop.idle.take();
            let reused = kept.is_some();
            let mut stream = match kept {
                Some(stream) => stream,
                None => {
                    let stream = tokio::net::TcpStream::connect(shared.socket).await;
                    stream.map_err(|error| shared.explained(error))?
                }
            };
            if let Exchange::Answered(bytes, reusable) = shared.exchange_on_loop(&mut stream, reused).await? {
                if reusable && shared.keep_alive {
                    self.on_loop.idle.keep(stream);
                }
                return Ok(bytes);
            }
        }
    }
}

impl Shared {
    fn connect(&self) -> Result<TcpStream> {
        TcpStream::connect_timeout(&self.socket, self.patience).map_err(|error| self.explained(error))
    }

    fn explained(&self, error: io::Error) -> anyhow::Error {
        peer::explained(error, PEER, &self.address)
    }

    fn get(&self) -> Result<u64> {
        let deadline = Instant::now() + self.patience;
        loop {
            let kept = self.idle.take();
            let reused = kept.is_some();
            let mut stream = match kept {
                Some(stream) => stream,
                None => self.connect()?,
            };
            if let Exchange::Answered(bytes, reusable) = self.exchange(&mut stream, reused, deadline)? {
                if reusable && self.keep_alive {
                    self.idle.keep(stream);
                }
                return Ok(bytes);
            }
        }
    }

    /// One request and its answer, on a thread.
    fn exchange(&self, stream: &mut TcpStream, reused: bool, deadline: Instant) -> Result<Exchange> {
        let mut answer = Answer::default();
        let mut buffer = [0; BUFFER_BYTES];
        if let Err(error) = stream.write_all(self.request.as_bytes()) {
            return self.broken(error, reused, &answer);
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let read = stream.set_read_timeout(Some(left)).and_then(|()| stream.read(&mut buffer));
            match self.take(read, &buffer, reused, &mut answer)? {
                None if Instant::now() >= deadline => return Err(peer::too_slow(PEER, &self.address)),
                None => {}
                Some(end) => return Ok(end),
            }
        }
    }

    /// The same on an event loop.
    async fn exchange_on_loop(&self, stream: &mut tokio::net::TcpStream, reused: bool) -> Result<Exchange> {
        let mut answer = Answer::default();
        // On the heap: a future with this buffer inside would be moved with it.
        let mut buffer = vec![0; BUFFER_BYTES];
        if let Err(error) = stream.write_all(self.request.as_bytes()).await {
            return self.broken(error, reused, &answer);
        }
        loop {
            let read = stream.read(&mut buffer).await;
            if let Some(end) = self.take(read, &buffer, reused, &mut answer)? {
                return Ok(end);
            }
        }
    }

    /// Takes in what was read. There is an end when the answer is whole, or will never be.
    fn take(
        &self,
        read: io::Result<usize>,
        buffer: &[u8],
        reused: bool,
        answer: &mut Answer,
    ) -> Result<Option<Exchange>> {
        let whole = match read {
            Ok(0) => match answer.end() {
                Some(whole) => whole,
                None => return self.broken(io::ErrorKind::UnexpectedEof.into(), reused, answer).map(Some),
            },
            Ok(length) => match answer.feed(&buffer[..length]) {
                Ok(Some(whole)) => whole,
                Ok(None) => return Ok(None),
                Err(reason) => return Err(reason.context(format!("{PEER} at {} answered wrongly", self.address))),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(None),
            Err(error) => return self.broken(error, reused, answer).map(Some),
        };
        Ok(Some(Exchange::Answered(whole.body_bytes, whole.reusable)))
    }

    /// A connection that broke. One that was kept may have been closed before it got the request: that is nobody's fault.
    fn broken(&self, error: io::Error, reused: bool, answer: &Answer) -> Result<Exchange> {
        let timed_out = matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock);
        if reused && answer.is_empty() && !timed_out {
            return Ok(Exchange::Stale);
        }
        Err(self.explained(error))
    }
}

#[cfg(test)]
mod tests;
