//! Makes the listening sockets: on loopback, on ports that the system chooses.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use anyhow::{Context, Result};
use protocol::Listen;
use socket2::{Domain, Socket, Type};

use crate::limits::BACKLOG;

/// Listening sockets, not blocking, and the ports they listen on.
pub struct Sockets {
    /// One for each worker, in their order; one in all for hand-off, whose acceptor has it.
    pub listeners: Vec<TcpListener>,
    /// One for each worker where each has its own; otherwise a single one.
    pub ports: Vec<u16>,
}

/// Makes the sockets of `workers` workers.
///
/// - `per-port`: each has its own port.
/// - `reuse-port`: each has its own socket, all on one port. The kernel chooses by a hash of the addresses: 64
///   connections over 4 sockets leave the busiest with 1.26 times the mean on average.
/// - `shared`: all have the same socket. Every loop that waits is woken by a connection, the one that began to wait last
///   first, and whoever comes first takes all that are there: the busy loop gets more.
/// - `hand-off`: one socket, from which somebody else deals the connections out.
///
/// # Errors
/// The system has no socket or no port for us.
pub fn open(listen: Listen, workers: usize) -> Result<Sockets> {
    let sockets = match listen {
        Listen::PerPort => (0..workers).map(|_| socket(0, false)).collect::<Result<Vec<_>>>()?,
        Listen::ReusePort => {
            let first = socket(0, true)?;
            let port = port(&first)?;
            let others = (1..workers).map(|_| socket(port, true)).collect::<Result<Vec<_>>>()?;
            std::iter::once(first).chain(others).collect()
        }
        Listen::Shared => {
            let first = socket(0, false)?;
            let others = (1..workers).map(|_| first.try_clone().context("cannot share the listening socket"));
            let others = others.collect::<Result<Vec<_>>>()?;
            std::iter::once(first).chain(others).collect()
        }
        Listen::HandOff => vec![socket(0, false)?],
    };
    let ports = match listen {
        Listen::PerPort => sockets.iter().map(port).collect::<Result<_>>()?,
        Listen::ReusePort | Listen::Shared | Listen::HandOff => vec![port(&sockets[0])?],
    };
    Ok(Sockets { listeners: sockets, ports })
}

/// A socket that listens on this port, or on one that the system chooses for 0.
fn socket(port: u16, reuse_port: bool) -> Result<TcpListener> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let make = || {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        if reuse_port {
            // Before the bind, and on each of them.
            socket.set_reuse_port(true)?;
        }
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        std::io::Result::Ok(socket)
    };
    make().map(TcpListener::from).with_context(|| match port {
        0 => "cannot listen on 127.0.0.1; is the limit of open files (ulimit -n) too low?".to_owned(),
        port => format!("cannot listen on 127.0.0.1:{port} beside the first worker"),
    })
}

fn port(listener: &TcpListener) -> Result<u16> {
    Ok(listener.local_addr().context("a listening socket does not tell its port")?.port())
}
