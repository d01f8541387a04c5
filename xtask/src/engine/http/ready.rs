//! When a server can be asked: it is tried until it answers.
//!
//! A try is a connection, and for a server that names a path, one `GET` on it. Nothing blocks for long meanwhile: the
//! server may end, or somebody may press Ctrl-C.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crate::engine::launcher::Halt;
use crate::engine::process::Process;
use crate::engine::signals::Control;
use crate::matrix::plan::Readiness;

/// For a connection on this machine, which is there at once or not at all.
const CONNECT: Duration = Duration::from_millis(250);
/// For an answer, before another connection is tried.
const ANSWER: Duration = Duration::from_secs(5);
/// Between two tries; it doubles from one to the other.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));
/// Where the status line must be.
const LONGEST_STATUS_LINE: usize = 1024;

/// Why a server is not ready.
#[derive(Debug)]
pub enum NotReady {
    /// It ended.
    Died,
    /// It took too long; this was seen last.
    TimedOut(Seen),
    /// It was interrupted, or suspended.
    Halt(Halt),
}

/// What came of a try that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Nobody listens.
    Refused(u16),
    /// The connection stood, and nothing came.
    Silent(u16),
    /// The connection was closed before there was an answer.
    Closed(u16),
    /// An answer with a status that means no.
    Status(u16, u16),
    /// An answer that is none.
    NotHttp(u16),
    /// Something else.
    Failed(u16, String),
}

impl Seen {
    /// Whether something came. It says more than a last try that the deadline cut short.
    fn is_answer(&self) -> bool {
        matches!(self, Self::Closed(_) | Self::Status(..) | Self::NotHttp(_))
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(port) => write!(f, "nobody listens on 127.0.0.1:{port}; does the command use {{port}}?"),
            Self::Silent(port) => write!(f, "it takes connections on port {port} and does not answer"),
            Self::Closed(port) => write!(f, "it closes connections on port {port} without an answer"),
            Self::Status(port, status) => write!(f, "it answers with status {status} on port {port}"),
            Self::NotHttp(port) => write!(f, "what it answers on port {port} is not HTTP"),
            Self::Failed(port, error) => write!(f, "no connection to 127.0.0.1:{port}: {error}"),
        }
    }
}

/// Waits until a server is ready on all its ports.
pub fn wait(
    process: &mut Process,
    control: &Control,
    ports: &[u16],
    readiness: &Readiness,
    limit: Duration,
) -> Result<(), NotReady> {
    let deadline = Instant::now() + limit;
    let mut pause = PAUSES.0;
    let mut last: Option<Seen> = None;
    let mut left = ports.iter().copied().peekable();
    while let Some(&port) = left.peek() {
        let seen = match attempt(process, control, port, readiness, deadline)? {
            None => {
                left.next();
                continue;
            }
            Some(seen) => seen,
        };
        let late = Instant::now() >= deadline;
        if !(late && seen == Seen::Silent(port) && last.as_ref().is_some_and(Seen::is_answer)) {
            last = Some(seen);
        }
        if late && let Some(seen) = last {
            return Err(NotReady::TimedOut(seen));
        }
        let until = deadline.min(Instant::now() + pause);
        while Instant::now() < until {
            look(process, control)?;
            process.sleep(until);
        }
        pause = (2 * pause).min(PAUSES.1);
    }
    // Whoever answered may have been somebody else.
    look(process, control)
}

/// What can happen at any time.
fn look(process: &mut Process, control: &Control) -> Result<(), NotReady> {
    if control.stopped() {
        return Err(NotReady::Halt(Halt::Interrupted));
    }
    if control.suspend_if_asked() {
        return Err(NotReady::Halt(Halt::Suspended));
    }
    let exited = process.has_exited();
    process.read();
    if exited { Err(NotReady::Died) } else { Ok(()) }
}

/// One try at one port; `None` when it went well.
fn attempt(
    process: &mut Process,
    control: &Control,
    port: u16,
    readiness: &Readiness,
    deadline: Instant,
) -> Result<Option<Seen>, NotReady> {
    look(process, control)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = match TcpStream::connect_timeout(&address, CONNECT) {
        // While nobody listens, a connection may get the very port that it goes to, and so reach itself.
        Ok(stream) if stream.local_addr().is_ok_and(|own| own == address) => return Ok(Some(Seen::Refused(port))),
        Ok(stream) => stream,
        Err(error) => return Ok(Some(not_connected(port, &error))),
    };
    let Readiness::Http(path) = readiness else { return Ok(is_gone(&address).then_some(Seen::Refused(port))) };
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: */*\r\nConnection: close\r\n\r\n");
    if let Err(error) = stream.write_all(request.as_bytes()).and_then(|()| stream.set_nonblocking(true)) {
        return Ok(Some(broken(&address, &error)));
    }
    let deadline = deadline.min(Instant::now() + ANSWER);
    let mut answer = Vec::new();
    loop {
        let mut chunk = [0; 256];
        match stream.read(&mut chunk) {
            Ok(0) => return Ok(Some(closed(&address))),
            Ok(n) => answer.extend_from_slice(&chunk[..n]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if Instant::now() >= deadline {
                    return Ok(Some(Seen::Silent(port)));
                }
                process.sleep_beside(None, Some(stream.as_fd()), deadline);
            }
            Err(error) => return Ok(Some(broken(&address, &error))),
        }
        match status(&answer) {
            Some(Some(status)) if status < 500 => return Ok(None),
            Some(Some(status)) => return Ok(Some(Seen::Status(port, status))),
            Some(None) => return Ok(Some(Seen::NotHttp(port))),
            None => look(process, control)?,
        }
    }
}

fn not_connected(port: u16, error: &io::Error) -> Seen {
    match error.kind() {
        ErrorKind::ConnectionRefused => Seen::Refused(port),
        ErrorKind::TimedOut => Seen::Silent(port),
        _ => Seen::Failed(port, error.to_string()),
    }
}

fn broken(address: &SocketAddr, error: &io::Error) -> Seen {
    match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => closed(address),
        _ => Seen::Failed(address.port(), error.to_string()),
    }
}

/// A connection ended: closed by a server, or because whoever listened for a moment is gone.
fn closed(address: &SocketAddr) -> Seen {
    let seen = if is_gone(address) { Seen::Refused } else { Seen::Closed };
    seen(address.port())
}

/// Whether nobody listens any more where somebody did a moment ago. That was not the server, then: a process that is
/// being started still has the sockets of the one that starts it, those of a port that was tried for being free among
/// them.
fn is_gone(address: &SocketAddr) -> bool {
    TcpStream::connect_timeout(address, CONNECT).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

/// The status of an answer whose beginning this is: `None` when there is too little of it, `Some(None)` when it is no
/// HTTP/1 answer.
fn status(answer: &[u8]) -> Option<Option<u16>> {
    let Some(end) = answer.iter().position(|&byte| byte == b'\n') else {
        return (answer.len() > LONGEST_STATUS_LINE).then_some(None);
    };
    let line = String::from_utf8_lossy(&answer[..end]);
    let mut words = line.split_ascii_whitespace();
    let http = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
    Some(words.next().filter(|_| http).and_then(|status| status.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_stands_in_the_first_line() {
        assert_eq!(status(b"HTTP/1.1 20"), None);
        assert_eq!(status(b"HTTP/1.1 503 Busy\r\n"), Some(Some(503)));
        assert_eq!(status(b"HTTP/1.0 200\r\n"), Some(Some(200)));
        assert_eq!(status(b"SSH-2.0-x\r\n"), Some(None));
        assert_eq!(status(&[b'x'; 2000]), Some(None));
    }
}
