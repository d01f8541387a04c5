//! Ports of this machine: free ones, and who holds one that is not.

use std::collections::VecDeque;
use std::fmt;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Mutex, PoisonError};

use nix::unistd::Pid;

use crate::engine::linux;

/// How many ports are not given again: far fewer than the system has.
const REMEMBERED: usize = 1000;

/// Ports on 127.0.0.1 that nobody listens on, all different, and others than this process was given lately. Somebody may
/// take one before it is used.
pub fn free(count: u32) -> io::Result<Vec<u16>> {
    /// The last ports that were given. Two servers that start side by side must not be given the same one: what answers
    /// there would be taken for either.
    static GIVEN: Mutex<VecDeque<u16>> = Mutex::new(VecDeque::new());
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    // All open at once, or the system might give one of them twice.
    let mut sockets = Vec::new();
    let mut ports = Vec::new();
    while ports.len() < count as usize {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = socket.local_addr()?.port();
        sockets.push(socket);
        if !given.contains(&port) {
            given.push_back(port);
            ports.push(port);
        }
    }
    let too_many = given.len().saturating_sub(REMEMBERED);
    given.drain(..too_many);
    Ok(ports)
}

/// Who listens on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A process.
    Process {
        /// Its id.
        pid: Pid,
        /// The name of its program.
        name: String,
    },
    /// A process that we may not look at.
    Unknown,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process { pid, name } => write!(f, "{name}, process {pid}"),
            Self::Unknown => f.write_str("a process that this user may not look at"),
        }
    }
}

/// Who listens on a port; `None` when nobody does, or the system does not tell.
pub fn holder(port: u16) -> Option<Holder> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let sockets: Vec<String> = tables.iter().flat_map(|table| listeners(table, port)).collect();
    if sockets.is_empty() {
        return None;
    }
    Some(process_with(&sockets).unwrap_or(Holder::Unknown))
}

/// Links of the sockets that listen on a port, as `/proc/PID/fd` has them: proc_net_tcp(5).
fn listeners(table: &str, port: u16) -> Vec<String> {
    let listener = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let (_, local) = fields.nth(1)?.split_once(':')?;
        let (state, inode) = (fields.nth(1)?, fields.nth(5)?);
        // 10 is TCP_LISTEN.
        (u16::from_str_radix(local, 16) == Ok(port) && state == "0A").then(|| format!("socket:[{inode}]"))
    };
    table.lines().skip(1).filter_map(listener).collect()
}

/// The first process that has one of these sockets.
fn process_with(sockets: &[String]) -> Option<Holder> {
    let pids = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.map(Pid::from_raw).find_map(|pid| {
        let mut links =
            fs::read_dir(format!("/proc/{pid}/fd")).ok()?.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok());
        links.find(|link| link.to_str().is_some_and(|link| sockets.iter().any(|socket| socket == link)))?;
        Some(Holder::Process { pid, name: linux::look(pid)?.name })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sockets_that_listen_on_the_port_count() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
                     0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0  0 4711 1 0 100 0\n\
                     1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  0  0 4712 1 0 100 0\n\
                     2: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0  0 4713 1 0 100 0\n";
        assert_eq!(listeners(table, 8080), ["socket:[4711]"]);
        assert_eq!(listeners(table, 8081), ["socket:[4713]"]);
        assert_eq!(listeners(table, 80), [""; 0]);
    }

    #[test]
    fn we_hold_our_own_port() {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let Some(Holder::Process { pid, .. }) = holder(socket.local_addr().unwrap().port()) else { panic!("nobody") };
        assert_eq!(pid, Pid::this());
    }

    #[test]
    fn free_ports_are_different() {
        let mut ports = free(20).unwrap();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 20);
    }
}
