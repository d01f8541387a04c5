//! The end of a server: told, killed in part, or replaced.

mod support;

use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

use protocol::{HttpModel, Listen, Reply, Request, ServeJob};
use support::{Client, GET, MODELS, RESULTS, Server, job};

#[test]
fn at_the_stop_what_is_out_is_answered_and_idle_connections_close() {
    for &model in MODELS {
        let mut server = Server::start(ServeJob { io_ns: 300_000_000, workers: 1, ..job(model) });
        let mut idle = server.connect();
        idle.get();
        let mut silent = server.connect();
        let mut half = server.connect();
        half.send("GET / HT").unwrap();
        let mut busy = server.connect();
        busy.send(GET).unwrap();
        // The request has to be out when the stop comes.
        thread::sleep(Duration::from_millis(150));
        let begun = Instant::now();
        let status = server.stop();
        assert!(status.success(), "{model}: {status}");
        assert_eq!(busy.receive().unwrap().result(), RESULTS[0], "{model}");
        for client in [&mut busy, &mut idle, &mut silent, &mut half] {
            assert!(client.is_closed(), "{model}");
        }
        // Not the whole grace: only the request that was out is waited for.
        assert!(begun.elapsed() < Duration::from_secs(2), "{model}: {:?}", begun.elapsed());
        let port = server.ports[0];
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "{model} still listens");
    }
}

#[test]
fn a_request_that_takes_too_long_does_not_keep_the_server_from_stopping() {
    // All at once, because each takes the whole grace.
    let mut servers: Vec<_> = MODELS
        .iter()
        .map(|&model| {
            let server = Server::start(ServeJob { iterations: u64::MAX, workers: 1, ..job(model) });
            server.connect().send(GET).unwrap();
            server
        })
        .collect();
    thread::sleep(Duration::from_millis(100));
    for server in &mut servers {
        server.tell_to_stop();
    }
    for (server, model) in servers.iter_mut().zip(MODELS) {
        let status = server.stop();
        assert!(status.success(), "{model}: {status}");
    }
}

fn exists(pid: u32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn a_child_that_was_killed_is_an_error_that_says_so_and_the_others_end() {
    for &listen in Listen::ALL {
        let mut server = Server::start(ServeJob { listen, ..job(HttpModel::Processes) });
        let children = server.children();
        assert_eq!(children.len(), 2);
        let killed = Command::new("kill").args(["-9", &children[1].to_string()]).status().unwrap();
        assert!(killed.success());
        let Reply::Error { message } = server.ask(&Request::Run { warmup: false }) else { panic!("no error") };
        assert!(message.contains("child process 1 of 2") && message.contains("signal: 9"), "{message}");
        assert!(server.stop().success());
        assert!(!children.into_iter().any(exists), "a child lives on");
    }
}

#[test]
fn children_end_with_a_parent_that_was_killed() {
    let mut server = Server::start(job(HttpModel::Processes));
    let children = server.children();
    server.process.kill().unwrap();
    server.process.wait().unwrap();
    let begun = Instant::now();
    while children.iter().copied().any(runs) {
        assert!(begun.elapsed() < Duration::from_secs(10), "a child lives on");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the process is there and not only waits to be reaped by whoever adopted it.
fn runs(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

#[test]
fn a_second_job_ends_the_first_server() {
    let mut server = Server::start(job(HttpModel::Loops));
    let first = server.ports[0];
    let second = Request::Job { protocol: protocol::VERSION, job: protocol::Job::Serve(job(HttpModel::Threads)) };
    let Reply::Ready(ready) = server.ask(&second) else { panic!("not ready") };
    assert_eq!(Client::connect(ready.ports[0]).get().result(), RESULTS[0]);
    assert!(std::net::TcpStream::connect(("127.0.0.1", first)).is_err());
}
