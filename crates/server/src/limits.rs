//! What a client may cost this server, and the limits that the system sets to it.

use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The largest head of a request, in bytes.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Largest body of a request that is read and thrown away to keep its connection.
pub const MAX_BODY_BYTES: u64 = 1024 * 1024;

/// The most header fields that a request may have. It is hyper's default, which is not set again there, because hyper
/// then allocates for every request.
pub const MAX_FIELDS: usize = 100;

/// How long a head may take from its first byte to its last.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long requests that are out may take at the stop. Shorter than the orchestrator's patience with a worker.
pub const GRACE: Duration = Duration::from_secs(2);

/// How many connections may wait to be accepted, on one socket.
pub const BACKLOG: i32 = 1024;

/// Raises the limit of open files as far as the system lets us. Without that a thousand connections meet it.
pub fn raise_open_files() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
        && let Err(error) = setrlimit(Resource::RLIMIT_NOFILE, hard, hard)
    {
        eprintln!("cannot raise the limit of open files from {soft} to {hard}: {error}");
    }
}

/// How many files this process may have open, where the system tells.
pub fn open_files() -> Option<u64> {
    getrlimit(Resource::RLIMIT_NOFILE).ok().map(|(soft, _)| soft)
}
