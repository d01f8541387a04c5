//! Pipes that never block: read what is there, and wait no longer than until a deadline.

use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::Instant;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::PollTimeout;

/// How much is read from one pipe before looking at the clock again.
const READ_AT_ONCE: usize = 256 * 1024;

/// The time that is left, in the milliseconds of poll. Rounded up: a poll that returns just before the deadline would be
/// followed by one of no time at all.
pub(super) fn until(deadline: Instant) -> PollTimeout {
    let left = deadline.saturating_duration_since(Instant::now()).as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(i32::try_from(left).unwrap_or(i32::MAX)).unwrap_or(PollTimeout::MAX)
}

/// Makes reads and writes of a pipe return at once.
pub(super) fn set_nonblocking(pipe: &impl AsFd) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(pipe, FcntlArg::F_GETFL)?);
    fcntl(pipe, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}

/// Reads up to [`READ_AT_ONCE`] and tells whether there may be more. At the end of the pipe it is closed.
pub(super) fn read_some<P: Read>(pipe: &mut Option<P>, mut sink: impl FnMut(&[u8])) -> bool {
    let mut chunk = [0; 16 * 1024];
    let mut total = 0;
    while total < READ_AT_ONCE {
        let Some(open) = pipe else { return false };
        match open.read(&mut chunk) {
            Ok(0) => *pipe = None,
            Ok(n) => {
                sink(&chunk[..n]);
                total += n;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Err(_) => *pipe = None,
        }
    }
    true
}
