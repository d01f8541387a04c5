//! A server under load: the work of an `[[http]]` cell.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use protocol::{Arrivals, Expect, HttpModel, HttpRequest, Listen, LoadJob, Lock, Pace, ServeJob};

use super::{BurnRate, CpuWork};
use crate::number::nanoseconds;

/// A server and the load on it.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpWork {
    /// Who answers.
    pub server: ServerSpec,
    /// What is asked, and how often.
    pub load: LoadSpec,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerSpec {
    /// Our own server.
    Own(OwnServer),
    /// A server that the matrix brings along: it is started for every process of the cell, and ended.
    Command(ServerCommand),
    /// A server that runs already. Nothing is known of it but its answers.
    Running(RunningServer),
}

/// Our own server: every request waits, then burns.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnServer {
    /// How requests are made to run at the same time.
    pub model: HttpModel,
    /// Its workers; at least 1.
    pub workers: u32,
    /// The interpreter lock.
    pub lock: Lock,
    /// The lock's switch interval, where it is not the kind's own.
    pub switch_interval: Option<Duration>,
    /// How connections reach the workers.
    pub listen: Listen,
    /// How long each request waits.
    pub io: Duration,
    /// How far each request then burns.
    pub cpu: CpuWork,
}

/// A server that the matrix brings along. `vars` are substituted already; `{port}` and `{ports}` are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The command that starts it, program first.
    pub command: Vec<String>,
    /// Environment variables to set.
    pub env: Vec<(String, String)>,
    /// Working folder, an absolute path; `None` is where the matrix file is.
    pub cwd: Option<PathBuf>,
    /// How many ports it wants: `{port}` is the first, `{ports}` all, separated by commas.
    pub ports: u32,
    /// When it can be asked.
    pub ready: Readiness,
    /// How long that may take.
    pub ready_timeout: Duration,
    /// The signal that asks it to end.
    pub stop: StopSignal,
}

/// When a server can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// When it accepts connections on all its ports.
    Tcp,
    /// When it answers a `GET` of this path with a status below 500.
    Http(String),
}

/// The signal that asks a server to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// `SIGTERM`.
    Term,
    /// `SIGINT`.
    Int,
    /// `SIGQUIT`, with which nginx and others end gracefully.
    Quit,
}

/// A server that runs already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningServer {
    /// As the matrix names it, such as `http://127.0.0.1:8080`.
    pub target: String,
    /// Where that is.
    pub address: SocketAddr,
}

/// What is asked, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadSpec {
    /// Connections kept open.
    pub connections: u32,
    /// Threads of the client.
    pub threads: u32,
    /// When requests are sent.
    pub pace: PaceSpec,
    /// The requests, used in turn; at least one.
    pub requests: Vec<HttpRequest>,
    /// How long a request may take.
    pub timeout: Duration,
    /// How long answers are awaited after the last request was sent.
    pub drain: Duration,
    /// The status that answers must have; `None` is any from 200 to 399. Our own server always answers 200.
    pub status: Option<u16>,
    /// The body that answers must have, where it is known. That of our own server always is.
    pub expect_body: Option<String>,
    /// The response header that names the worker, for servers that are not ours.
    pub worker_header: Option<String>,
}

/// When requests are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PaceSpec {
    /// Every connection sends its next request when it has the answer to the last.
    Closed {
        /// Requests in all.
        requests: u64,
    },
    /// Requests are sent by the clock.
    Open {
        /// How many.
        rate: Rate,
        /// For how long.
        duration: Duration,
        /// How the gaps are spread.
        arrivals: Arrivals,
    },
}

/// Requests in a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Requests a second.
    PerSecond(f64),
    /// A share of what the same server does in a closed loop with the same connections, measured once per run of the
    /// matrix; 0.8 for `"80%"`.
    OfCapacity(f64),
}

impl ServerSpec {
    /// The CPU work of a request, where it is ours to state.
    #[must_use]
    pub fn cpu(&self) -> Option<CpuWork> {
        match self {
            Self::Own(server) => Some(server.cpu),
            Self::Command(_) | Self::Running(_) => None,
        }
    }
}

impl OwnServer {
    /// The job on the wire, with CPU time turned into a count at this rate.
    #[must_use]
    pub fn job(&self, rate: BurnRate) -> ServeJob {
        ServeJob {
            model: self.model,
            workers: self.workers,
            lock: self.lock,
            switch_interval_ns: self.switch_interval.map(nanoseconds),
            listen: self.listen,
            io_ns: nanoseconds(self.io),
            iterations: self.cpu.iterations(rate),
        }
    }
}

impl PaceSpec {
    /// The pace on the wire. `capacity` is what a share is of, in requests a second; `seed` draws the schedule.
    #[must_use]
    pub fn resolve(&self, capacity: f64, seed: u64) -> Pace {
        match *self {
            Self::Closed { requests } => Pace::Closed { requests },
            Self::Open { rate, duration, arrivals } => Pace::Open {
                rate_per_s: match rate {
                    Rate::PerSecond(rate) => rate,
                    Rate::OfCapacity(share) => share * capacity,
                },
                duration_ns: nanoseconds(duration),
                arrivals,
                seed,
            },
        }
    }

    /// Whether the rate can be told only after the capacity was measured.
    #[must_use]
    pub fn needs_capacity(&self) -> bool {
        matches!(self, Self::Open { rate: Rate::OfCapacity(_), .. })
    }
}

impl HttpWork {
    /// The client's job on the wire, for a server that listens at these addresses.
    #[must_use]
    pub fn load_job(&self, targets: Vec<String>, pace: Pace, rate: BurnRate) -> LoadJob {
        let expect = match &self.server {
            ServerSpec::Own(server) => {
                Expect::Burn { workers: server.workers, iterations: server.cpu.iterations(rate) }
            }
            ServerSpec::Command(_) | ServerSpec::Running(_) => {
                Expect::Status { status: self.load.status, body: self.load.expect_body.clone() }
            }
        };
        LoadJob {
            targets,
            connections: self.load.connections,
            threads: self.load.threads,
            pace,
            requests: self.load.requests.clone(),
            timeout_ns: nanoseconds(self.load.timeout),
            drain_ns: nanoseconds(self.load.drain),
            expect,
            worker_header: self.load.worker_header.clone(),
        }
    }
}
