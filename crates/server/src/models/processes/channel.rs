//! Passes open connections to another process (`SCM_RIGHTS`).

use std::{
    io::{self, IoSlice, IoSliceMut},
    net::TcpStream,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
        unix::net::UnixStream,
    },
    time::Duration,
};

use nix::{
    cmsg_space,
    sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg},
};
use tokio::io::Interest;

/// How long the other process may take to make room for a connection.
const PATIENCE: Duration = Duration::from_secs(1);

/// One end of a channel for connections. A connection travels with one byte, because a message has to have one.
#[derive(Debug)]
pub struct Channel(UnixStream);

impl Channel {
    /// The sending end and the receiving end; the second one does not block.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (sender, receiver) = UnixStream::pair()?;
        sender.set_write_timeout(Some(PATIENCE))?;
        receiver.set_nonblocking(true)?;
        Ok((Self(sender), Self(receiver)))
    }

    /// Passes a connection. The other process has it also when this one closes it.
    ///
    /// # Errors
    /// The other process is gone or has not taken connections for a second.
    pub fn send(&self, stream: &TcpStream) -> io::Result<()> {
        let descriptors = [stream.as_raw_fd()];
        let message = [ControlMessage::ScmRights(&descriptors)];
        sendmsg::<()>(self.0.as_raw_fd(), &[IoSlice::new(&[0])], &message, MsgFlags::empty(), None)?;
        Ok(())
    }
}

/// The receiving end, watched by a runtime.
pub struct Passed(tokio::net::UnixStream);

impl Passed {
    /// Makes the channel part of the runtime in whose context this is called.
    ///
    /// # Errors
    /// The runtime cannot watch it.
    pub fn new(channel: Channel) -> io::Result<Self> {
        tokio::net::UnixStream::from_std(channel.0).map(Self)
    }

    /// Waits for a connection. `None` means that no more will come.
    ///
    /// # Errors
    /// This process has no descriptor left for it: it is lost.
    pub async fn next(&self) -> io::Result<Option<tokio::net::TcpStream>> {
        let received = self.0.async_io(Interest::READABLE, || receive(self.0.as_raw_fd())).await?;
        received.map(tokio::net::TcpStream::from_std).transpose()
    }
}

/// Takes a connection, or says that none is there now. The descriptor is not closed by an exec: a child starts no program.
fn receive(channel: RawFd) -> io::Result<Option<TcpStream>> {
    let mut byte = [0];
    let mut bytes = [IoSliceMut::new(&mut byte)];
    let mut space = cmsg_space!(RawFd);
    let message = recvmsg::<()>(channel, &mut bytes, Some(&mut space), MsgFlags::empty())?;
    let mut received = None;
    for part in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(descriptors) = part {
            for descriptor in descriptors {
                // SAFETY: the kernel has just opened the descriptor for us, and nobody else in this process knows it.
                received = Some(unsafe { OwnedFd::from_raw_fd(descriptor) });
            }
        }
    }
    match received {
        Some(descriptor) => Ok(Some(TcpStream::from(descriptor))),
        None if message.bytes == 0 => Ok(None),
        None => Err(io::Error::other("no descriptor was left to receive it")),
    }
}

impl From<Channel> for OwnedFd {
    fn from(channel: Channel) -> Self {
        channel.0.into()
    }
}

impl From<OwnedFd> for Channel {
    fn from(descriptor: OwnedFd) -> Self {
        Self(descriptor.into())
    }
}
