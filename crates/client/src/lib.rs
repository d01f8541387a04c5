//! The load generator: HTTP/1.1 requests in a closed or an open loop, every answer checked.
//!
//! The binary speaks the worker protocol. By hand, against a server on port 8080:
//!
//! ```text
//! job='{"type":"job","protocol":1,"kind":"load","targets":["127.0.0.1:8080"],"connections":64,"threads":1,
//!   "pace":{"loop":"closed","requests":100000},"requests":[{"method":"GET","path":"/"}],
//!   "timeout_ns":5000000000,"drain_ns":1000000000,"expect":{"answer":"status"}}'
//! printf '%s\n' "$(echo "$job" | tr -d '\n')" '{"type":"run","warmup":false}' | client
//! ```
//!
//! It answers a `ready` line, then a `load` line for each `run`. An open loop has this `pace`:
//!
//! ```text
//! {"loop":"open","rate_per_s":10000,"duration_ns":5000000000,"arrivals":"poisson","seed":1}
//! ```
//!
//! How it is built: each client thread (`lane`) owns its connections and an epoll instance, and does everything on
//! non-blocking sockets; there is no runtime. A request of a closed loop costs one read, a parse where the bytes lie, an
//! entry in a histogram and one write. What is here measures and counts; whether the figures mean anything is judged
//! by the orchestrator.

pub mod parser;

mod check;
mod client;
mod connection;
mod handler;
mod lane;
mod limits;
mod plan;
mod recorder;
mod request;
mod schedule;
mod scheduling;
mod socket;
mod source;
mod system;
mod tally;

use std::process::ExitCode;

pub use client::Client;

/// Runs the worker on stdin and stdout until stdin ends.
pub fn main() -> ExitCode {
    worker::main(&handler::IDENTITY, &handler::LoadGenerator)
}
