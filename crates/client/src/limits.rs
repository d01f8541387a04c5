//! The limit of open files, looked at before the start: an error in the middle of a run would look like the server's.

use anyhow::{Context as _, Result, bail};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// What the client holds open besides its connections: standard streams, an epoll instance and a timer for each thread,
/// and some that whoever started it may have left open.
const BESIDES: u64 = 32;

/// Makes sure that this many connections can be open, by raising the soft limit as far as the hard one allows.
///
/// # Errors
/// The hard limit is too low.
pub fn allow_connections(connections: u32, threads: u32) -> Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).context("cannot read the limit of open files")?;
    let needed = u64::from(connections) + 2 * u64::from(threads) + BESIDES;
    if needed <= soft {
        return Ok(());
    }
    if needed > hard {
        bail!(
            "{connections} connections need {needed} open files, but this process may have {hard} (hard limit \
             RLIMIT_NOFILE); use fewer connections, or raise the limit: `ulimit -Hn {needed}` as root, LimitNOFILE= of a \
             systemd unit, --ulimit nofile= of a container"
        );
    }
    setrlimit(Resource::RLIMIT_NOFILE, needed, hard).with_context(|| {
        format!(
            "cannot raise the limit of open files (RLIMIT_NOFILE) from {soft} to {needed} for {connections} connections"
        )
    })
}
