//! Who an operation talks to over the network: its address, how long it may take, and what its refusal means.

use std::{
    io,
    net::{SocketAddr, ToSocketAddrs},
    time::Duration,
};

use anyhow::{Context, Error, Result};

/// How long a peer may take for one exchange, on top of what it was asked to wait. After that it is taken for dead.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The first address that `host:port` stands for.
///
/// # Errors
/// It is no such text, or nobody knows the host.
pub fn resolve(address: &str) -> Result<SocketAddr> {
    address
        .to_socket_addrs()
        .with_context(|| format!("{address:?} is no address: give host:port, such as 127.0.0.1:8080"))?
        .next()
        .with_context(|| format!("the name service knows no address for {address:?}"))
}

/// An error of a connection with what it means: `what` names the peer, as in "the mail server".
pub fn explained(error: io::Error, what: &str, address: &str) -> Error {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            Error::msg(format!("connection refused by {address}: is {what} running there?"))
        }
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => too_slow(what, address),
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => {
            Error::msg(format!("{what} at {address} closed the connection in the middle: look at its log"))
        }
        io::ErrorKind::AddrNotAvailable => Error::msg(format!(
            "no local port is free for a connection to {address}: use kept connections, or fewer requests"
        )),
        _ => Error::new(error).context(format!("cannot talk to {what} at {address}")),
    }
}

/// The error of a peer that has not answered in time.
pub fn too_slow(what: &str, address: &str) -> Error {
    Error::msg(format!("{what} at {address} has not answered for {} s: does it hang?", PATIENCE.as_secs()))
}
