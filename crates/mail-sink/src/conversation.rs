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
    let mut reader = BufReader::new(stream);
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

/// Takes every mail, after the delay, and counts it.
struct TakeAll<'a>(&'a Shared);

impl Handler for TakeAll<'_> {
    fn data_end(&mut self) -> Response {
        thread::sleep(self.0.delay);
        self.0.mails.fetch_add(1, Ordering::Relaxed);
        response::OK
    }
}
