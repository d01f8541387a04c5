//! The listening socket, its connections, and how many mails have come.

use std::{
    io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
use protocol::Served;
use worker::Meter;

use crate::conversation;

/// A thread does nothing but hold one conversation.
const STACK_BYTES: usize = 256 * 1024;

/// How long to wait before accepting again when the system has refused a connection.
const PAUSE: Duration = Duration::from_millis(10);

/// A mail server on a port of its own. Each connection has a thread, so none waits for another's delay. Dropped, it takes no
/// more connections; those that are open end with the process.
pub struct Sink {
    shared: Arc<Shared>,
    port: u16,
    meter: Meter,
}

/// What all connections share.
pub struct Shared {
    /// How long the end of a message waits for its answer.
    pub delay: Duration,
    /// Mails since they were last asked for.
    pub mails: AtomicU64,
    connections: AtomicU64,
    closed: AtomicBool,
}

impl Sink {
    /// Opens a port of the system's choice on the loopback interface.
    pub fn open(delay: Duration) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot open a port on 127.0.0.1")?;
        let port = listener.local_addr().context("cannot find out the port of the mail server")?.port();
        let (mails, connections, closed) = Default::default();
        let shared = Arc::new(Shared { delay, mails, connections, closed });
        let accepting = Arc::clone(&shared);
        thread::Builder::new()
            .name("accept".to_owned())
            .spawn(move || accept(&listener, &accepting))
            .context("cannot start the thread that accepts connections")?;
        Ok(Self { shared, port, meter: Meter::start() })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Mails taken since the last call, and connections accepted ever.
    pub fn served(&mut self) -> Served {
        let usage = self.meter.stop();
        self.meter = Meter::start();
        Served {
            requests: vec![self.shared.mails.swap(0, Ordering::Relaxed)],
            connections: vec![self.shared.connections.load(Ordering::Relaxed)],
            usage: Some(usage),
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closed.load(Ordering::Relaxed) {
            return;
        }
        let begun = stream.and_then(|stream| {
            shared.connections.fetch_add(1, Ordering::Relaxed);
            converse(stream, shared)
        });
        if let Err(error) = begun {
            eprintln!("mail-sink: cannot take a connection: {error}");
            thread::sleep(PAUSE);
        }
    }
}

fn converse(stream: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    let shared = Arc::clone(shared);
    thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        // A client that breaks off is its own affair.
        let _ = conversation::hold(&stream, &shared);
    })?;
    Ok(())
}
