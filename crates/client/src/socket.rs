//! Sockets that never block, and what their errors mean. When to open, read or write them is said elsewhere.

use std::net::SocketAddr;
use std::os::fd::{AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    self, AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrStorage, setsockopt, sockopt,
};
use protocol::ErrorKind;

/// Begins to open a connection. Whether it comes about is told by [`outcome`] once it can be written to.
///
/// # Errors
/// It is already clear that it does not.
pub fn connect(target: &SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if target.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let connection = socket::socket(family, SockType::Stream, flags, SockProtocol::Tcp)?;
    // A request that needs two writes must not wait for an acknowledgement of the first.
    setsockopt(&connection, sockopt::TcpNoDelay, &true)?;
    match socket::connect(connection.as_raw_fd(), &SockaddrStorage::from(*target)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(connection),
        Err(error) => Err(error),
    }
}

/// What came of an attempt to connect.
///
/// # Errors
/// It failed.
pub fn outcome(connection: &OwnedFd) -> Result<(), Errno> {
    match socket::getsockopt(connection, sockopt::SocketError)? {
        0 => Ok(()),
        code => Err(Errno::from_raw(code)),
    }
}

/// Reads what is there; 0 is the end.
///
/// # Errors
/// `EAGAIN` if nothing is there, or the connection broke.
#[inline]
pub fn receive(connection: &OwnedFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    socket::recv(connection.as_raw_fd(), buffer, MsgFlags::empty())
}

/// Writes as much as there is room for.
///
/// # Errors
/// `EAGAIN` if there is none, or the connection broke.
#[inline]
pub fn send(connection: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
    socket::send(connection.as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL)
}

/// The kind under which a connection that could not be opened is counted.
#[must_use]
pub fn connect_error(error: Errno) -> ErrorKind {
    match error {
        Errno::EADDRNOTAVAIL => ErrorKind::PortsExhausted,
        Errno::EMFILE | Errno::ENFILE => ErrorKind::DescriptorsExhausted,
        Errno::ETIMEDOUT => ErrorKind::Timeout,
        Errno::ECONNRESET | Errno::ECONNABORTED | Errno::EPIPE => ErrorKind::Reset,
        // ECONNREFUSED, and networks or hosts that cannot be reached: nobody listens there.
        _ => ErrorKind::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_ports_and_descriptors_are_named() {
        assert_eq!(connect_error(Errno::EADDRNOTAVAIL), ErrorKind::PortsExhausted);
        assert_eq!(connect_error(Errno::EMFILE), ErrorKind::DescriptorsExhausted);
        assert_eq!(connect_error(Errno::ECONNREFUSED), ErrorKind::Refused);
    }
}
