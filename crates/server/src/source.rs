//! Where a worker gets its connections from.

use std::{io, net};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc::UnboundedReceiver,
};

use crate::models::processes::{Channel, Passed};

/// Where a worker gets its connections from, not yet part of a runtime. Sockets do not block.
pub enum Source {
    /// A listening socket of its own, or a share of one.
    Listener(net::TcpListener),
    /// An acceptor in the same process.
    Dealt(UnboundedReceiver<net::TcpStream>),
    /// An acceptor in the parent process.
    Passed(Channel),
}

/// A source that a runtime watches.
pub enum OpenSource {
    /// See [`Source::Listener`].
    Listener(TcpListener),
    /// See [`Source::Dealt`].
    Dealt(UnboundedReceiver<net::TcpStream>),
    /// See [`Source::Passed`].
    Passed(Passed),
}

impl Source {
    /// Makes the source part of the runtime in whose context this is called.
    ///
    /// # Errors
    /// The runtime cannot watch it.
    pub fn open(self) -> io::Result<OpenSource> {
        Ok(match self {
            Self::Listener(listener) => OpenSource::Listener(TcpListener::from_std(listener)?),
            Self::Dealt(receiver) => OpenSource::Dealt(receiver),
            Self::Passed(channel) => OpenSource::Passed(Passed::new(channel)?),
        })
    }
}

impl OpenSource {
    /// Waits for a connection. `None` means that no more will come.
    ///
    /// # Errors
    /// The system could not give it to us.
    pub async fn next(&mut self) -> io::Result<Option<TcpStream>> {
        match self {
            Self::Listener(listener) => listener.accept().await.map(|(stream, _)| Some(stream)),
            Self::Dealt(receiver) => receiver.recv().await.map(TcpStream::from_std).transpose(),
            Self::Passed(passed) => passed.next().await,
        }
    }
}
