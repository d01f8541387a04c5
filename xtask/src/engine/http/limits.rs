//! Open files and local ports: limits of the system that, when they are met in the middle of a run, look like the
//! server's fault. They are looked at before the start and named, never waited out.

use std::fs;

use nix::sys::resource::{Resource, getrlimit};

use crate::engine::failure::{Failure, FailureKind};
use crate::matrix::plan::{HttpWork, ServerSpec};

/// Files that a process has open besides its connections: streams, listening sockets, logs, what event loops need.
const MARGIN: u64 = 64;

/// Checks that the client and the server may open as many files as the load has connections. The answer is what a
/// person should know.
///
/// Our own programs raise their limit as far as they may. What others do is not known, so that the lower of the two
/// limits is only worth a warning.
///
/// # Errors
/// They may not.
pub fn check(work: &HttpWork) -> Result<Vec<String>, Failure> {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) => check_files(work, soft, hard),
        // What the system does not tell cannot be checked.
        Err(_) => Ok(Vec::new()),
    }
}

fn check_files(work: &HttpWork, soft: u64, hard: u64) -> Result<Vec<String>, Failure> {
    let connections = u64::from(work.load.connections);
    let server = connections + MARGIN;
    let client = server + 2 * u64::from(work.load.threads);
    let (sides, needed) = match &work.server {
        ServerSpec::Own(_) | ServerSpec::Command(_) => ("the client and the server", client),
        ServerSpec::Running(_) => ("the client", client),
    };
    if needed > hard {
        let reason = format!(
            "{connections} connections need up to {needed} open files in {sides} each, and the hard limit (RLIMIT_NOFILE) \
             is {hard}: use fewer connections, or raise it with `ulimit -n {needed}` as root before the matrix is run"
        );
        return Err(Failure::new(FailureKind::Limit, reason));
    }
    if matches!(work.server, ServerSpec::Command(_)) && server > soft {
        return Ok(vec![format!(
            "the server starts with a limit of {soft} open files, and {connections} connections may need {server}: unless it \
             raises the limit itself, run `ulimit -n {server}` before the matrix is run"
        )]);
    }
    Ok(Vec::new())
}

/// Sockets of this machine in `TIME_WAIT`; `None` where the system does not tell.
#[must_use]
pub fn time_wait() -> Option<u64> {
    parse_time_wait(&fs::read_to_string("/proc/net/sockstat").ok()?)
}

fn parse_time_wait(sockstat: &str) -> Option<u64> {
    let mut words = sockstat.lines().find_map(|line| line.strip_prefix("TCP:"))?.split_ascii_whitespace();
    words.find(|word| *word == "tw")?;
    words.next()?.parse().ok()
}

/// What to say when so many sockets are in `TIME_WAIT` that local ports may run out.
#[must_use]
pub fn exhaustion(time_wait: u64) -> Option<String> {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut ends = range.split_ascii_whitespace().map(|end| end.parse::<u64>().ok());
    let ports = ends.next()??.abs_diff(ends.next()??) + 1;
    nearly_exhausted(time_wait, ports).then(|| {
        format!(
            "{time_wait} sockets are in TIME_WAIT and there are {ports} local ports (ip_local_port_range): new connections \
             may fail for want of a port; they are free again after a minute"
        )
    })
}

fn nearly_exhausted(time_wait: u64, ports: u64) -> bool {
    time_wait * 4 >= ports * 3
}

#[cfg(test)]
mod tests {
    use super::super::super::scripted::http_work;
    use super::*;

    #[test]
    fn a_hard_limit_below_the_connections_is_named_with_what_is_needed() {
        let mut work = http_work();
        work.load.connections = 500;
        let failure = check_files(&work, 64, 64).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Limit);
        assert_eq!(
            failure.reason,
            "500 connections need up to 566 open files in the client and the server each, and the hard limit \
             (RLIMIT_NOFILE) is 64: use fewer connections, or raise it with `ulimit -n 566` as root before the matrix is run"
        );
        assert_eq!(check_files(&work, 64, 566), Ok(Vec::new()), "our own programs raise the limit");
    }

    #[test]
    fn sockets_in_time_wait_are_one_number_of_many() {
        let sockstat = "sockets: used 290\nTCP: inuse 41 orphan 0 tw 17 alloc 45 mem 4\nUDP: inuse 4 mem 0\n";
        assert_eq!(parse_time_wait(sockstat), Some(17));
        assert_eq!(parse_time_wait("sockets: used 290\n"), None);
    }

    #[test]
    fn three_quarters_of_the_ports_are_worth_a_warning() {
        assert!(!nearly_exhausted(20_000, 28_232));
        assert!(nearly_exhausted(22_000, 28_232));
    }
}
