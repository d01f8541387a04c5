//! Clients that behave badly, limits that are met, and the stop.

mod support;

use std::{
    io::{BufReader, ErrorKind},
    net::SocketAddr,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use protocol::{HttpModel, Listen, Reply, Request, ServeJob};
use socket2::{Domain, Socket, Type};
use support::{Client, GET, MODELS, RESULTS, Server, job};

const MIB: u64 = 1024 * 1024;

fn peak(server: &mut Server) -> u64 {
    server.served().usage.unwrap().peak_rss_bytes.unwrap()
}

#[test]
fn a_head_of_a_megabyte_is_refused_in_bounded_memory() {
    for &model in MODELS {
        let mut server = Server::start(ServeJob { workers: 1, ..job(model) });
        server.connect().get();
        let before = peak(&mut server);
        for _ in 0..8 {
            let mut client = server.connect();
            let head = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
            // The server may have closed before all was sent; its answer may be lost with that.
            let sent = client.send(head);
            match client.receive() {
                Ok(answer) => assert_eq!(answer.status, 431, "{model}"),
                Err(error) => assert!(
                    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof),
                    "{model}: {error}, after {sent:?}"
                ),
            }
            assert!(client.is_closed(), "{model}");
        }
        assert!(peak(&mut server) < before + 4 * MIB, "{model}");
        assert_eq!(server.connect().get().result(), RESULTS[0], "{model}");
    }
}

#[test]
fn a_head_that_is_a_little_too_large_is_told_so() {
    for &model in MODELS {
        let server = Server::start(job(model));
        let mut client = server.connect();
        client.send(format!("GET / HTTP/1.1\r\nx: {}", "a".repeat(16 * 1024 - 19))).unwrap();
        assert_eq!(client.receive().unwrap().status, 431, "{model}");
        assert!(client.is_closed(), "{model}");
    }
}

#[test]
fn connections_that_never_end_their_head_do_not_keep_others_from_being_served() {
    for &model in MODELS {
        let server = Server::start(ServeJob { workers: 1, ..job(model) });
        let mut slow: Vec<_> = (0..200).map(|_| server.connect()).collect();
        for client in &mut slow {
            client.send("GET / HTTP/1.1\r\nx-slow: ").unwrap();
        }
        let mut client = server.connect();
        for number in 0..10 {
            for client in &mut slow[..20] {
                client.send("a").unwrap();
            }
            assert_eq!(client.get().result(), RESULTS[number], "{model}");
        }
        slow[0].send("\r\n\r\n").unwrap();
        assert_eq!(slow[0].receive().unwrap().result(), RESULTS[0], "{model}");
    }
}

#[test]
fn a_client_that_sends_without_reading_is_held_up_in_bounded_memory() {
    for &model in MODELS {
        let mut server = Server::start(ServeJob { workers: 1, iterations: 0, ..job(model) });
        server.connect().get();
        let before = peak(&mut server);
        // A small buffer here makes for a short test.
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        socket.connect(&SocketAddr::from(([127, 0, 0, 1], server.ports[0])).into()).unwrap();
        socket.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
        let mut greedy = Client(BufReader::new(socket.into()));
        let requests = GET.repeat(10_000);
        let error = (0..100).find_map(|_| greedy.send(&requests).err());
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::WouldBlock), "{model}");
        server.connect().get();
        assert!(peak(&mut server) < before + 4 * MIB, "{model}");
    }
}

#[test]
fn half_a_request_and_the_end_leave_nothing_behind() {
    for &model in MODELS {
        let mut server = Server::start(job(model));
        for _ in 0..5 {
            server.connect().send("GET / HT").unwrap();
            server.connect().send(GET).unwrap();
        }
        assert_eq!(server.connect().get().result(), RESULTS[0], "{model}");
        assert!(server.stop().success(), "{model}");
    }
}

#[test]
fn what_is_not_http_is_refused() {
    for &model in MODELS {
        let server = Server::start(job(model));
        let mut client = server.connect();
        client.send("\x16\x03\x01 hello\r\n\r\n").unwrap();
        assert_eq!(client.receive().unwrap().status, 400, "{model}");
        assert!(client.is_closed(), "{model}");
    }
}

#[test]
fn a_server_without_descriptors_rests_and_goes_on() {
    for model in [HttpModel::Loops, HttpModel::Threads] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -n 40 && exec \"$0\" 2>/dev/null", env!("CARGO_BIN_EXE_server")]);
        let mut server = Server::start_by(shell, ServeJob { workers: 1, ..job(model) });
        let mut clients: Vec<_> = (0..100).map(|_| server.connect()).collect();
        assert_eq!(clients[0].get().result(), RESULTS[0], "{model}");
        server.served();
        thread::sleep(Duration::from_millis(500));
        let usage = server.served().usage.unwrap();
        let busy = Duration::from_nanos(usage.user_ns.unwrap() + usage.sys_ns.unwrap());
        assert!(busy < Duration::from_millis(250), "{model}: it spins, {busy:?} of 500 ms");
        let mut last = clients.pop().unwrap();
        drop(clients);
        assert_eq!(last.get().result(), RESULTS[0], "{model}");
    }
}

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
