//! Clients that behave badly, limits that are met, and the stop.

mod support;

use std::{
    io::{BufReader, ErrorKind},
    net::SocketAddr,
    process::Command,
    thread,
    time::Duration,
};

use protocol::{HttpModel, ServeJob};
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
        for expected in &RESULTS {
            for client in &mut slow[..20] {
                client.send("a").unwrap();
            }
            assert_eq!(client.get().result(), *expected, "{model}");
        }
        slow[0].send("\r\n\r\n").unwrap();
        assert_eq!(slow[0].receive().unwrap().result(), RESULTS[0], "{model}");
    }
}

#[test]
fn a_client_that_sends_without_reading_is_held_up_in_bounded_memory() {
    // One of those on hyper and the other.
    for model in [HttpModel::Loops, HttpModel::Threads] {
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
