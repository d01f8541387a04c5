//! HTTP cells: a server and its load generator, started, measured and ended as one.
//!
//! | file | what lives there |
//! | --- | --- |
//! | [`session`] | the cell: server up, client up, runs, both down again |
//! | [`server`] | what the cell needs of a server, whosever it is |
//! | [`own`], [`command`], [`running`] | our server, one that the matrix brings along, one that runs already |
//! | [`ready`] | when a server can be asked |
//! | [`ports`] | free ports, and who holds one that is not |
//! | [`limits`] | open files and local ports: what would look like the server's fault |
//! | [`tree`] | what a run cost a process and its descendants |

pub(super) mod command;
mod limits;
pub(super) mod own;
mod ports;
mod ready;
pub(super) mod running;
mod server;
mod session;
pub(super) mod tree;

pub(super) use server::Server;
pub(super) use session::HttpSession;
