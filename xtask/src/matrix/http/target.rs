//! `target`: a server that runs already.

use std::net::{SocketAddr, ToSocketAddrs};

use super::super::plan::RunningServer;
use super::super::problem::{Problem, Problems, quote};
use super::super::reader::{self, Value};
use super::super::setting::Surroundings;
use super::super::vocabulary::Key;

/// Reads a target and looks its address up.
pub fn read(key: &Key, value: &Value<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Option<RunningServer> {
    let text = reader::text(key, value, problems)?;
    let mut refuse = |message: String, label: String, help: Option<&str>| {
        let problem = Problem::new(message).at(value.span(), label);
        problems.push(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    };
    let expected = || format!("expected {}", key.kind.expectation());
    let Some(rest) = text.strip_prefix("http://") else {
        let help = match text.starts_with("https://") {
            true => "load is made without encryption: measure the server behind whatever ends TLS",
            false => "an address begins with `http://`",
        };
        refuse(format!("`target` is not an address of a server: {}", quote(text)), expected(), Some(help));
        return None;
    };
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    if authority.contains(['/', '?', '#', '@']) {
        let help = "what is asked for is the `path` of `load`";
        refuse(format!("`target` is more than a host and a port: {}", quote(text)), expected(), Some(help));
        return None;
    }
    let port = authority.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'));
    if port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port == 0) || port.parse::<u16>().is_err()) {
        refuse(format!("`target` names no port: {}", quote(text)), expected(), None);
        return None;
    }
    let address = match resolve(authority) {
        Ok(address) => address,
        Err(why) => {
            refuse(format!("`target` cannot be found: {}", quote(text)), why, None);
            return None;
        }
    };
    if !around.allow_remote && !address.ip().to_canonical().is_loopback() {
        refuse(
            format!("`target` is not on this machine: {}", quote(text)),
            format!("{} is no loopback address", address.ip()),
            Some("load on a machine that others use is an attack; if it is yours, say so with --allow-remote"),
        );
        return None;
    }
    Some(RunningServer { target: format!("http://{authority}"), address })
}

/// The first address of a host and port; of IP version 4 where there is one, as servers that listen on `127.0.0.1` are
/// called `localhost` by everybody.
fn resolve(authority: &str) -> Result<SocketAddr, String> {
    let addresses: Vec<SocketAddr> = authority.to_socket_addrs().map_err(|error| error.to_string())?.collect();
    let version_4 = addresses.iter().find(|address| address.is_ipv4());
    version_4.or(addresses.first()).copied().ok_or_else(|| "the name has no address".to_owned())
}
