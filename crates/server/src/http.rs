//! HTTP/1.1 on hyper, for every model that is asynchronous.

mod connection;
mod socket_io;

pub use connection::{Respond, serve};
pub use socket_io::SocketIo;
