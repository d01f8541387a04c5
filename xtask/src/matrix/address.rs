//! Addresses of servers that run already: `target` of an `[[http]]`, `url` and `to` of operations.

use std::net::{SocketAddr, ToSocketAddrs};

use super::problem::{Problem, Problems, quote};
use super::reader::{self, Value};
use super::setting::Surroundings;
use super::vocabulary::{Key, Kind};

/// A server that runs already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Host and port as they were written.
    pub authority: String,
    /// What follows them: empty, or a path that begins with `/`.
    pub path: String,
    /// Where that is.
    pub socket: SocketAddr,
}

/// Reads an address of the scheme that the key wants, and looks it up. Only this machine's are allowed, unless the
/// command line says otherwise.
pub fn read(key: &Key, value: &Value<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Option<Address> {
    let Kind::Address { scheme, with_path, .. } = key.kind else {
        unreachable!("`{}` is not an address in the vocabulary", key.name)
    };
    let name = key.name;
    let text = reader::text(key, value, problems)?;
    let mut refuse = |message: String, label: String, help: Option<&str>| {
        let problem = Problem::new(message).at(value.span(), label);
        problems.push(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    };
    let expected = || format!("expected {}", key.kind.expectation());
    let Some(rest) = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix("://")) else {
        let encrypted = text.starts_with(&format!("{scheme}s://"));
        let help = match (encrypted, scheme) {
            (true, "http") => "load is made without encryption: measure the server behind whatever ends TLS".to_owned(),
            (true, _) => "encryption is not supported here: name a server that does without".to_owned(),
            (false, _) => format!("an address begins with `{scheme}://`"),
        };
        refuse(format!("`{name}` is not an address of a server: {}", quote(text)), expected(), Some(&help));
        return None;
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let too_much = if with_path { !path.is_empty() && !path.starts_with('/') } else { !matches!(path, "" | "/") };
    if too_much || path.contains('#') || authority.contains('@') || path.contains(char::is_whitespace) {
        let what = if with_path { "a host, a port and a path" } else { "a host and a port" };
        let help = (name == "target").then_some("what is asked for is the `path` of `load`");
        refuse(format!("`{name}` is more than {what}: {}", quote(text)), expected(), help);
        return None;
    }
    let port = authority.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'));
    if port.is_none_or(|port| port.parse::<u16>().map_or(true, |port| port == 0)) {
        refuse(format!("`{name}` names no port: {}", quote(text)), expected(), None);
        return None;
    }
    let socket = match resolve(authority) {
        Ok(socket) => socket,
        Err(why) => {
            refuse(format!("`{name}` cannot be found: {}", quote(text)), why, None);
            return None;
        }
    };
    if !around.allow_remote && !socket.ip().to_canonical().is_loopback() {
        refuse(
            format!("`{name}` is not on this machine: {}", quote(text)),
            format!("{} is no loopback address", socket.ip()),
            Some("load on a machine that others use is an attack; if it is yours, say so with --allow-remote"),
        );
        return None;
    }
    Some(Address { authority: authority.to_owned(), path: path.to_owned(), socket })
}

/// The first address of a host and port; of IP version 4 where there is one, as servers that listen on `127.0.0.1` are
/// called `localhost` by everybody.
fn resolve(authority: &str) -> Result<SocketAddr, String> {
    let addresses: Vec<SocketAddr> = authority.to_socket_addrs().map_err(|error| error.to_string())?.collect();
    let version_4 = addresses.iter().find(|address| address.is_ipv4());
    version_4.or(addresses.first()).copied().ok_or_else(|| "the name has no address".to_owned())
}
