//! A lane against a server that answers at once.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use protocol::{Arrivals, Expect, HttpRequest, LoadJob, Pace};

use super::*;
use crate::schedule::{Schedule, Share};
use crate::tally::merge;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

/// A server for this many connections.
fn server(connections: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().take(connections) {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                for _end_of_head in lines.filter(String::is_empty) {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                }
            });
        }
    });
    address
}

#[test]
fn a_thread_that_comes_late_to_the_start_of_a_schedule_is_late_itself() {
    const CONNECTIONS: usize = 5;
    let pace = Pace::Open { rate_per_s: 1000.0, duration_ns: 5 * MS, arrivals: Arrivals::Constant, seed: 0 };
    let request = HttpRequest { method: "GET".into(), path: "/".into(), headers: Vec::new(), body: None };
    let plan = Plan::new(&LoadJob {
        targets: vec![server(CONNECTIONS).to_string()],
        connections: CONNECTIONS as u32,
        threads: 1,
        pace,
        requests: vec![request],
        timeout_ns: 10 * SECOND,
        drain_ns: 10 * SECOND,
        expect: Expect::Status { status: None, body: None },
        worker_header: None,
    });
    let mut lane = Lane::new(&Arc::new(plan.unwrap()), 0).unwrap();
    lane.open().unwrap();
    let schedule = Schedule::new(1000.0, 5 * MS, Arrivals::Constant, 0);
    let late = Source::open(Share::new(schedule, 0, 1, CONNECTIONS), now_ns() - 50 * MS);
    let sample = merge(&[lane.run(late).unwrap()]);
    assert_eq!((sample.completed, sample.errors.len()), (5, 0));
    // Each had a connection of its own from the beginning.
    assert_eq!(sample.send_lag.count, 5);
    assert!(sample.send_lag.max_ns >= 50 * MS, "{}", sample.send_lag.max_ns);
}
