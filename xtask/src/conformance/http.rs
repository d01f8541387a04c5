//! A client for the worker's server: one connection, requests of HTTP/1.1 and their answers, each within a time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The longest answer that is read.
const LONGEST: usize = 64 * 1024;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Response {
    pub status: u16,
    pub body: String,
    /// Whether the server says that it will close the connection.
    pub closes: bool,
}

/// A connection that is kept open.
pub(super) struct Connection {
    stream: TcpStream,
    /// Bytes that came and belong to no answer yet.
    rest: Vec<u8>,
    limit: Duration,
}

impl Connection {
    /// Connects to a port of this machine.
    pub(super) fn open(port: u16, limit: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), limit)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, rest: Vec::new(), limit })
    }

    /// Sends so many requests at once.
    pub(super) fn send(&mut self, requests: usize) -> io::Result<()> {
        let port = self.stream.peer_addr()?.port();
        let request = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
        self.stream.write_all(request.repeat(requests).as_bytes())
    }

    /// Reads the next answer.
    pub(super) fn receive(&mut self) -> io::Result<Response> {
        let deadline = Instant::now() + self.limit;
        let bad = |what: &str| io::Error::new(ErrorKind::InvalidData, what.to_owned());
        loop {
            if let Some(end) = self.rest.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.rest[..end]).to_ascii_lowercase();
                let mut lines = head.split("\r\n");
                let status = lines.next().and_then(|line| line.strip_prefix("http/1.1 ")?.get(..3)?.parse().ok());
                let status = status.ok_or_else(|| bad("an answer that is not HTTP/1.1"))?;
                let field = |name: &str| {
                    lines.clone().filter_map(|line| line.split_once(':')).find(|(field, _)| *field == name)
                };
                let length = field("content-length").and_then(|(_, value)| value.trim().parse::<usize>().ok());
                let length =
                    length.filter(|length| *length < LONGEST).ok_or_else(|| bad("an answer without length"))?;
                let closes = field("connection").is_some_and(|(_, value)| value.trim() == "close");
                if self.rest.len() >= end + 4 + length {
                    let body = String::from_utf8_lossy(&self.rest[end + 4..end + 4 + length]).into_owned();
                    self.rest.drain(..end + 4 + length);
                    return Ok(Response { status, body, closes });
                }
            }
            if self.rest.len() > LONGEST {
                return Err(bad("an answer without end"));
            }
            if self.fill(deadline)? == 0 {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "the connection was closed"));
            }
        }
    }

    /// Whether the server closes the connection in this time; what it sends first is an error.
    pub(super) fn is_closed_within(&mut self, limit: Duration) -> bool {
        self.rest.is_empty() && matches!(self.fill(Instant::now() + limit), Ok(0) | Err(_)) && self.was_closed()
    }

    fn was_closed(&mut self) -> bool {
        let soon = Instant::now() + Duration::from_millis(10);
        match self.fill(soon) {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    }

    fn fill(&mut self, deadline: Instant) -> io::Result<usize> {
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        self.stream.set_read_timeout(Some(left))?;
        let mut chunk = [0; 4096];
        let count = self.stream.read(&mut chunk)?;
        self.rest.extend_from_slice(&chunk[..count]);
        Ok(count)
    }
}
