//! What `[[http]]` scenarios have and `[[batch]]` ones do not: servers, loads, and how they go together.

mod check;
pub mod labelled;
pub mod load;
pub mod placeholder;
pub mod rate;
pub mod request;
pub mod server;
pub mod target;
pub mod vars;

pub use check::check;

/// What to do about a scenario without a server.
pub const WHICH_SERVER: &str = "`model` is our own server, `server` one that is started with a command of yours, \
                                `target` one that runs already";
