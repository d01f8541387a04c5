//! The HTTP server under test, in every concurrency model.
//!
//! A request waits, burns and is answered with 8 bytes: two hexadecimal digits of the worker that burned, six of the
//! low 24 bits of the result ([`protocol::ServeJob`]). What differs from model to model is who waits and who burns:
//! `models/` has one file for each. What they share:
//!
//! - `listen.rs` makes the listening sockets, `source.rs` is where a worker gets its connections from, `accept.rs` takes
//!   them without end and without spinning;
//! - `event_loop.rs` is a thread with a loop, `host.rs` serves connections on it until told to stop;
//! - `http/` is HTTP/1.1 on hyper for everything that is asynchronous; a thread a connection has its own small parser
//!   beside its model;
//! - `registry.rs` knows the open connections: it ends those whose head never ends, and all of them at the stop;
//! - `work.rs` is what a request does, `counters.rs` who did how much.
//!
//! The conversation with the orchestrator is the `worker` crate's; the lock and the burn are not made here either.
//!
//! # What an answer looks like
//!
//! `HTTP/1.1 200 OK`, `content-length: 8`, a blank line and the 8 bytes, to any method and any target; no other field, so
//! also no `date`, which a server in front of the world would have to send. A head of more than 16 KiB or 100 fields is
//! answered with 431 and the connection closed; a head that takes more than 10 s closes the connection.
//!
//! # The interpreter lock
//!
//! A thread holds the lock whenever it may run a request's code, and lets go around waits: an event loop whenever it
//! parks, a thread of its own around reads, writes and sleeps. A thread of a pool holds it for one burn. Acceptors that
//! run no request never have it. Each process of `processes` has a lock of its own.

mod accept;
mod answer;
mod counters;
mod event_loop;
mod fuzz;
mod handler;
mod host;
mod http;
mod limits;
mod listen;
mod models;
mod registry;
mod served;
mod source;
mod work;

use std::process::ExitCode;

pub use fuzz::{respond, respond_blocking};

/// The whole of the server's `main` function. Returns the exit status: 0 if stdin ended and all went by the rules.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    limits::raise_open_files();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => worker::main(&handler::IDENTITY, &handler::Server),
        [models::processes::CHILD, number] => models::processes::child_main(number),
        _ => {
            eprintln!("server takes no arguments: it speaks the worker protocol on stdin and stdout");
            ExitCode::from(2)
        }
    }
}
