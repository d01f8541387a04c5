//! One conversation with a mail client. What its lines mean is up to mailin.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::atomic::Ordering,
    thread,
};

use mailin::{Action, Handler, Response, SessionBuilder, response};

use crate::sink::Shared;

/// Longer lines than any mail may have (RFC 5321 allows 1000 bytes) are cut: nobody keeps them.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Talks to one client until it leaves.
pub fn hold(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut session = SessionBuilder::new("parallax").build(stream.peer_addr()?.ip(), TakeAll(shared));
    let mut reader = BufReader::new(Prompt(stream));
    send(stream, &session.greeting())?;
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let answer = session.process(&line);
        match answer.action {
            Action::NoReply => {}
            Action::Reply => send(stream, &answer)?,
            Action::Close | Action::UpgradeTls => return send(stream, &answer),
        }
    }
}

/// One write, so that the client is not woken for half an answer.
fn send(mut stream: &TcpStream, answer: &Response) -> io::Result<()> {
    stream.write_all(&answer.buffer()?)
}

/// Reads, and acknowledges at once what came. Clients send a message and its final dot in two writes, of which the second waits
/// for the acknowledgement of the first: by default up to 40 ms, which would be measured as if the server were slow.
struct Prompt<'a>(&'a TcpStream);

impl Read for Prompt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // It does not last, and only Linux has it; without it a mail takes longer.
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(self.0).set_tcp_quickack(true);
        self.0.read(buffer)
    }
}

/// Takes every mail, after the delay, and counts it.
struct TakeAll<'a>(&'a Shared);

impl Handler for TakeAll<'_> {
    fn data_end(&mut self) -> Response {
        thread::sleep(self.0.delay);
        self.0.mails.fetch_add(1, Ordering::Relaxed);
        response::OK
    }
}
