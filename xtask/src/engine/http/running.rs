//! A server that runs already: it is neither started nor ended, and nothing is known of it but its answers.

use std::net::TcpStream;
use std::time::Duration;

use super::server::{Account, Listening, Server};
use crate::engine::failure::FailureKind;
use crate::engine::launcher::Halt;
use crate::engine::process::Process;
use crate::matrix::plan;

/// For the first connection.
const CONNECT: Duration = Duration::from_secs(3);

/// A server of somebody else.
#[derive(Debug)]
pub struct RunningServer(plan::RunningServer);

impl RunningServer {
    /// The server at an address.
    pub fn new(spec: plan::RunningServer) -> Self {
        Self(spec)
    }
}

impl Server for RunningServer {
    fn start(&mut self) -> Result<Listening, Halt> {
        let plan::RunningServer { target, address } = &self.0;
        match TcpStream::connect_timeout(address, CONNECT) {
            Ok(_) => Ok(Listening { ready: None, targets: vec![address.to_string()] }),
            Err(error) => {
                let reason = format!(
                    "nobody answers at {target} ({address}): {error}; start the server there first, or correct `target`"
                );
                Err(Halt::failed(FailureKind::NotReady, reason))
            }
        }
    }

    fn process(&mut self) -> Option<&mut Process> {
        None
    }

    fn begin(&mut self, _warmup: bool) -> Result<(), Halt> {
        Ok(())
    }

    fn account(&mut self, _warmup: bool) -> Result<Account, Halt> {
        Ok(Account::default())
    }

    fn fail(&mut self, kind: FailureKind, reason: String) -> Halt {
        Halt::failed(kind, reason)
    }

    fn close(&mut self) -> Vec<String> {
        Vec::new()
    }
}
