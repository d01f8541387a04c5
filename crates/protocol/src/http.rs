//! Jobs of an HTTP cell, and what they answer: a server under test and the load generator.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Lock;
use crate::histogram::Histogram;
use crate::sample::Usage;
use crate::words::words;

words! {
    /// How a server makes requests run at the same time.
    HttpModel {
        /// Threads with an event loop each.
        Loops = "loops",
        /// One multi-thread work-stealing runtime.
        WorkStealing = "work-stealing",
        /// One event loop; the CPU part of a request goes to tokio's blocking pool.
        Offload = "offload",
        /// One event loop; the CPU part of a request goes to a rayon pool.
        OffloadRayon = "offload-rayon",
        /// A thread a connection.
        Threads = "threads",
        /// Child processes with one event loop each.
        Processes = "processes",
    }
}

words! {
    /// How connections reach the workers of a server.
    Listen {
        /// Every worker has its own port; the client deals its connections out evenly.
        PerPort = "per-port",
        /// Every worker has its own socket on one port (`SO_REUSEPORT`); the kernel spreads the connections by hash.
        ReusePort = "reuse-port",
        /// One socket, from which every worker accepts.
        Shared = "shared",
        /// One acceptor, which deals the connections out round robin.
        HandOff = "hand-off",
    }
}

words! {
    /// When requests of an open loop are sent.
    Arrivals {
        /// Evenly spaced.
        Constant = "constant",
        /// At random, with exponential gaps.
        Poisson = "poisson",
    }
}

/// An HTTP/1.1 server whose every request waits, burns and answers 8 bytes: 2 hexadecimal digits of the worker, 6 of
/// the low 24 bits of the burn's result. The burn of the `k`-th request of a connection, from 0 on, starts at
/// `k mod` [`REQUEST_SEEDS`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServeJob {
    /// How requests are made to run at the same time.
    pub model: HttpModel,
    /// How many threads, processes or event loops the model may use; at least 1. `threads` has one for each connection.
    pub workers: u32,
    /// The interpreter lock that requests run under.
    pub lock: Lock,
    /// The lock's switch interval in nanoseconds; `null` or absent means the default of the kind.
    #[serde(default)]
    pub switch_interval_ns: Option<u64>,
    /// How connections reach the workers.
    pub listen: Listen,
    /// How long each request waits.
    pub io_ns: u64,
    /// How many steps of the generator each request then burns.
    pub iterations: u64,
}

/// How many different seeds the requests of one connection use, one after another and round again: enough that an
/// answer cannot be replayed, few enough that the client knows all the right answers beforehand.
pub const REQUEST_SEEDS: u64 = 8;

/// What a server did since the last `run` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    /// Requests answered, by worker.
    pub requests: Vec<u64>,
    /// Connections accepted, by worker. Counted from the start, as connections outlive runs.
    pub connections: Vec<u64>,
    /// What that cost, where the server knows.
    #[serde(default)]
    pub usage: Option<Usage>,
}

/// Load on an HTTP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadJob {
    /// Socket addresses, such as `127.0.0.1:40123`. Connections are dealt out round robin.
    pub targets: Vec<String>,
    /// Connections kept open, at least 1; they are opened before the barrier and again when the server closes one.
    pub connections: u32,
    /// Threads of the client; at least 1 and at most `connections`.
    pub threads: u32,
    /// When requests are sent.
    pub pace: Pace,
    /// The requests, used in turn; at least one.
    pub requests: Vec<HttpRequest>,
    /// A request without a whole answer after this long is an error of kind `timeout`; its connection is closed.
    pub timeout_ns: u64,
    /// How long answers are awaited after the last request was sent, or in an open loop after the end of its schedule;
    /// requests that still wait for a connection then are sent meanwhile. What is still out at the end is a straggler.
    pub drain_ns: u64,
    /// What every answer is held against.
    pub expect: Expect,
    /// The response header that names the worker, for servers that are not ours.
    #[serde(default)]
    pub worker_header: Option<String>,
}

/// When requests are sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "loop", rename_all = "snake_case")]
pub enum Pace {
    /// Closed loop: every connection sends its next request when it has the answer to the last, until its share is sent.
    Closed {
        /// Requests in all. Every connection sends the same number of them, or one more.
        requests: u64,
    },
    /// Open loop: requests are sent by the clock, whatever the server does, from one schedule for all connections.
    Open {
        /// Requests a second in all.
        rate_per_s: f64,
        /// For how long.
        duration_ns: u64,
        /// How the gaps are spread.
        arrivals: Arrivals,
        /// Seed of the schedule: the same seed gives the same send times.
        seed: u64,
    },
}

/// One kind of request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// The method, such as `GET`.
    pub method: String,
    /// The target, such as `/` or `/items?page=2`.
    pub path: String,
    /// Header fields besides `Host` and `Content-Length`.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body.
    #[serde(default)]
    pub body: Option<String>,
}

/// What every answer is held against. An answer that differs is an error of kind `status` or `wrong-body`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Expect {
    /// An answer of our own server: 8 bytes, worker digits below `workers`, the digits of the burn.
    Burn {
        /// How many workers the server has.
        workers: u32,
        /// How many steps of the generator each request burns.
        iterations: u64,
    },
    /// An answer of another server.
    Status {
        /// The status it must have; `null` means any from 200 to 399.
        #[serde(default)]
        status: Option<u16>,
        /// The body it must have, where that is known.
        #[serde(default)]
        body: Option<String>,
    },
}

/// What a load generator answers to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadSample {
    /// From the first request's intended send time to the last answer that was awaited.
    pub elapsed_ns: u64,
    /// Opening the connections.
    pub setup_ns: u64,
    /// Requests that were sent, or were to be on a connection that could not be opened: `completed`, `errors` and
    /// `stragglers` together.
    pub sent: u64,
    /// Requests that got the right answer.
    pub completed: u64,
    /// Requests of the schedule that were never sent, because the run was over before a connection was free.
    pub unsent: u64,
    /// Requests that were sent only after the end of the schedule, because no connection was free before.
    #[serde(default)]
    pub sent_late: u64,
    /// Most requests that were out at the same time; of several threads the sum of each one's most.
    pub max_in_flight: u64,
    /// From the intended send time to the whole answer, right answers only. In a closed loop the intended time is the
    /// real one.
    pub latency: Histogram,
    /// From the real send time to the whole answer, right answers only.
    pub service: Histogram,
    /// Real minus intended send time, for requests that found a free connection: how late the client itself was.
    /// Empty in a closed loop.
    pub send_lag: Histogram,
    /// Latency of every answer by its class of status, such as `2xx`.
    pub by_status: BTreeMap<String, Histogram>,
    /// Errors by kind; a kind that did not happen is absent.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Requests that were out when the drain ended.
    pub stragglers: u64,
    /// Age of the oldest of them.
    pub oldest_straggler_ns: Option<u64>,
    /// Right answers by worker of the server, by name (two digits of our own server, a header's value of others).
    pub by_worker: BTreeMap<String, u64>,
    /// What the run cost the client.
    #[serde(default)]
    pub usage: Option<Usage>,
}

words! {
    /// Kinds of errors that a load generator counts.
    ErrorKind {
        /// Nobody listens at the address.
        Refused = "refused",
        /// The server closed or reset the connection in the middle.
        Reset = "reset",
        /// No whole answer in time.
        Timeout = "timeout",
        /// An answer with another status than expected.
        Status = "status",
        /// Something that is not HTTP/1.1.
        Malformed = "malformed",
        /// The connection ended before the body did.
        Short = "short",
        /// A whole answer with another body than expected.
        WrongBody = "wrong-body",
        /// No local port was free (`EADDRNOTAVAIL`): connections in `TIME_WAIT` hold them.
        PortsExhausted = "ports-exhausted",
        /// The limit of open files was reached (`EMFILE`).
        DescriptorsExhausted = "descriptors-exhausted",
    }
}
