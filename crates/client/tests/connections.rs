//! Connections that close, break, or never come about: counted under the right kind, without a hang or a storm.

mod support;

use std::net::SocketAddr;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use client::Client;
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrIn};
use protocol::{Arrivals, ErrorKind, Pace};
use support::{MS, Server, answer, assert_only, check_sums, each_request, errors, job, read_request, run};

/// An address at which nobody listens, and the socket that keeps others from taking its port meanwhile.
fn nobody() -> (SocketAddr, OwnedFd) {
    let socket = socket::socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None).unwrap();
    socket::bind(socket.as_raw_fd(), &SockaddrIn::new(127, 0, 0, 1, 0)).unwrap();
    let name: SockaddrIn = socket::getsockname(socket.as_raw_fd()).unwrap();
    (SocketAddr::from(([127, 0, 0, 1], name.port())), socket)
}

#[test]
fn a_server_that_says_it_closes_has_no_errors() {
    let server = Server::start(|_, stream| {
        each_request(stream, |k| (k == 0).then(|| answer("200 OK\r\nConnection: close", "ok")));
    });
    let sample = run(&job(server.address, 200));
    assert_eq!((sample.completed, sample.errors.len()), (200, 0));
    assert!(server.accepted() >= 200);
}

#[test]
fn a_server_that_closes_without_a_word_resets_at_most_what_was_out() {
    let server = Server::start(|_, stream| each_request(stream, |k| (k < 3).then(|| answer("200 OK", "ok"))));
    let sample = run(&job(server.address, 200));
    assert!(sample.errors.keys().all(|&kind| kind == ErrorKind::Reset), "{:?}", sample.errors);
    // Three answers, then one request that may be out when the connection ends.
    assert!(sample.completed >= 150, "{}", sample.completed);
    assert_eq!(sample.unsent, 0);
}

#[test]
fn a_connection_closed_between_runs_is_no_error() {
    let server = Server::start(|_, stream| each_request(stream, |_| Some(answer("200 OK", "ok"))));
    let job = job(server.address, 100);
    let mut client = Client::new(&job).unwrap();
    for run in 0..2 {
        let sample = client.run().unwrap();
        assert_eq!((sample.completed, sample.errors.len()), (100, 0), "run {run}");
        server.close_connections();
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.accepted(), 8);
}

#[test]
fn a_server_that_never_answers_times_out() {
    let server = Server::start(|_, stream| while read_request(stream) {});
    let mut job = job(server.address, 12);
    job.timeout_ns = 100 * MS;
    let sample = run(&job);
    assert_only(&sample, ErrorKind::Timeout);
    assert_eq!((sample.completed, errors(&sample, ErrorKind::Timeout)), (0, 12));
    assert!(sample.elapsed_ns >= 300 * MS, "three after another on each connection");
}

#[test]
fn a_refused_connection_is_the_error_of_one_request_and_not_retried_in_a_hot_loop() {
    let (address, _port) = nobody();
    let sample = run(&job(address, 1_000_000));
    assert_only(&sample, ErrorKind::Refused);
    // Twenty attempts a connection, one of them before the start.
    assert_eq!(errors(&sample, ErrorKind::Refused), 76);
    assert_eq!(sample.unsent, 999_924);
    assert_eq!(sample.completed, 0);
}

#[test]
fn an_open_loop_against_nobody_ends_with_its_schedule() {
    let (address, _port) = nobody();
    let mut job = job(address, 0);
    job.pace = Pace::Open { rate_per_s: 10_000.0, duration_ns: 300 * MS, arrivals: Arrivals::Constant, seed: 0 };
    job.drain_ns = 100 * MS;
    let began = Instant::now();
    let sample = run(&job);
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_only(&sample, ErrorKind::Refused);
    assert_eq!(sample.sent + sample.unsent, 3000);
    assert!(sample.unsent > 2000);
}

#[test]
fn a_server_that_dies_in_the_middle_is_reset_then_refused() {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let server = Server::start(move |_, stream| {
        each_request(stream, |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
            Some(answer("200 OK", "ok"))
        });
    });
    let job = job(server.address, 100_000);
    let watcher = thread::spawn(move || {
        while count.load(Ordering::SeqCst) < 50 {
            thread::sleep(Duration::from_millis(1));
        }
        drop(server);
    });
    let sample = run(&job);
    watcher.join().unwrap();
    assert!(sample.completed >= 40, "{}", sample.completed);
    assert!(errors(&sample, ErrorKind::Refused) > 0);
    assert!(
        sample.errors.keys().all(|kind| [ErrorKind::Refused, ErrorKind::Reset].contains(kind)),
        "{:?}",
        sample.errors
    );
    assert!(sample.unsent > 0);
}

#[test]
fn what_is_out_when_the_drain_ends_is_a_straggler_with_an_age() {
    let server = Server::start(|_, stream| {
        each_request(stream, |k| {
            if k == 5 {
                thread::sleep(Duration::from_secs(2));
            }
            Some(answer("200 OK", "ok"))
        });
    });
    let mut job = job(server.address, 22);
    job.timeout_ns = 60_000 * MS;
    job.drain_ns = 150 * MS;
    let mut client = Client::new(&job).unwrap();
    let sample = client.run().unwrap();
    check_sums(&job, &sample);
    assert_eq!(sample.errors.len(), 0);
    // Each connection is stuck at its sixth request, if it got that far.
    assert!((2..=4).contains(&sample.stragglers), "{sample:?}");
    assert_eq!(sample.completed + sample.stragglers, 22);
    assert!(sample.oldest_straggler_ns.unwrap() >= 150 * MS);
    assert!(sample.elapsed_ns < 1_900 * MS);
}
