//! Every answer is checked, and each kind of wrong one has its name.

mod support;

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use client::Client;
use protocol::{ErrorKind, Expect, HttpRequest};
use support::{MS, Server, answer, assert_only, burnt, check_sums, each_request, errors, get, job, read_request, run};

#[test]
fn a_server_that_answers_right_has_no_errors_and_its_workers_are_counted() {
    let server =
        Server::start(|number, stream| each_request(stream, |k| Some(answer("200 OK", &burnt(number % 2, 50, k)))));
    let mut job = job(server.address, 1000);
    job.expect = Expect::Burn { workers: 2, iterations: 50 };
    let mut client = Client::new(&job).unwrap();
    for _ in 0..2 {
        let sample = client.run().unwrap();
        check_sums(&job, &sample);
        assert_eq!((sample.sent, sample.completed, sample.errors.len()), (1000, 1000, 0));
        assert_eq!(sample.by_worker.keys().collect::<Vec<_>>(), ["00", "01"]);
        assert_eq!(sample.by_worker.values().sum::<u64>(), 1000);
        assert_eq!(sample.by_status["2xx"].count, 1000);
        assert_eq!((sample.max_in_flight, sample.send_lag.count), (4, 0));
        assert!(sample.elapsed_ns > 0);
    }
    assert_eq!(server.accepted(), 4, "connections outlive runs");
}

#[test]
fn several_threads_share_the_requests_and_deal_out_the_targets() {
    let respond = |_, stream: &mut _| each_request(stream, |k| Some(answer("200 OK", &burnt(0, 9, k))));
    let (one, two) = (Server::start(respond), Server::start(respond));
    let mut job = job(one.address, 999);
    job.targets.push(two.address.to_string());
    job.threads = 3;
    job.connections = 10;
    job.expect = Expect::Burn { workers: 1, iterations: 9 };
    let sample = run(&job);
    assert_eq!((sample.completed, sample.errors.len()), (999, 0));
    assert_eq!((one.accepted(), two.accepted()), (5, 5));
}

#[test]
fn a_wrong_checksum_is_a_wrong_body() {
    let server = Server::start(|_, stream| {
        each_request(stream, |k| Some(answer("200 OK", &burnt(0, if k % 5 == 0 { 8 } else { 9 }, k))));
    });
    let mut job = job(server.address, 500);
    job.connections = 1;
    job.expect = Expect::Burn { workers: 1, iterations: 9 };
    let sample = run(&job);
    assert_only(&sample, ErrorKind::WrongBody);
    assert_eq!((sample.completed, errors(&sample, ErrorKind::WrongBody)), (400, 100));
    assert_eq!(sample.by_status["2xx"].count, 500, "wrong answers have a latency too");
}

#[test]
fn a_wrong_length_is_a_wrong_body() {
    for body in ["0000000", "000000000", ""] {
        let server = Server::start(move |_, stream| each_request(stream, |_| Some(answer("200 OK", body))));
        let mut job = job(server.address, 20);
        job.expect = Expect::Burn { workers: 1, iterations: 0 };
        let sample = run(&job);
        assert_only(&sample, ErrorKind::WrongBody);
        assert_eq!(errors(&sample, ErrorKind::WrongBody), 20);
        assert_eq!(server.accepted(), 4, "a whole answer leaves the connection open");
    }
}

#[test]
fn a_wrong_status_has_its_own_class_of_latencies() {
    let server = Server::start(|_, stream| {
        each_request(stream, |k| Some(answer(if k % 2 == 1 { "500 Oh" } else { "204 Fine" }, "")));
    });
    let mut job = job(server.address, 100);
    job.connections = 1;
    let sample = run(&job);
    assert_only(&sample, ErrorKind::Status);
    assert_eq!((sample.completed, errors(&sample, ErrorKind::Status)), (50, 50));
    assert_eq!((sample.by_status["2xx"].count, sample.by_status["5xx"].count), (50, 50));
}

#[test]
fn the_worker_of_another_server_is_named_by_a_header() {
    let server = Server::start(|number, stream| {
        each_request(stream, |_| Some(format!("HTTP/1.1 200 OK\r\nX-Pid: p{number}\r\nContent-Length: 2\r\n\r\nok")));
    });
    let mut job = job(server.address, 100);
    job.connections = 2;
    job.expect = Expect::Status { status: Some(200), body: Some("ok".into()) };
    job.worker_header = Some("x-pid".into());
    let sample = run(&job);
    assert_eq!(sample.by_worker.keys().collect::<Vec<_>>(), ["p0", "p1"]);
    assert_eq!(sample.by_worker.values().sum::<u64>(), 100);
}

#[test]
fn requests_are_used_in_turn_and_head_has_no_body() {
    let server = Server::start(|_, stream| {
        // GET, HEAD, GET, …: only a GET may be followed by its body.
        each_request(stream, |k| {
            Some(if k % 2 == 0 {
                answer("200 OK", "body")
            } else {
                answer("200 OK", "body").replace("\r\n\r\nbody", "\r\n\r\n")
            })
        });
    });
    let mut job = job(server.address, 100);
    job.connections = 1;
    job.requests.push(HttpRequest { method: "HEAD".into(), ..get("/") });
    job.expect = Expect::Status { status: None, body: Some("body".into()) };
    let sample = run(&job);
    assert_eq!((sample.completed, sample.errors.len()), (100, 0));
}

#[test]
fn an_answer_in_small_pieces_and_a_large_one_are_both_read_whole() {
    let large = "x".repeat(300_000);
    let body = large.clone();
    let server = Server::start(move |_, stream| {
        while read_request(stream) {
            let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            for piece in head.as_bytes().chunks(7) {
                stream.write_all(piece).unwrap();
                thread::sleep(Duration::from_micros(200));
            }
            let (one, two) = body.split_at(100_001);
            write!(stream, "{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n", one.len(), two.len()).unwrap();
        }
    });
    let mut job = job(server.address, 12);
    job.expect = Expect::Status { status: None, body: Some(large) };
    let sample = run(&job);
    assert_eq!((sample.completed, sample.errors.len()), (12, 0));
}

#[test]
fn half_an_answer_is_short_and_half_a_head_is_a_reset() {
    for (bytes, kind) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1234", ErrorKind::Short),
        ("HTTP/1.1 200 OK\r\nContent-Le", ErrorKind::Reset),
        ("", ErrorKind::Reset),
    ] {
        let server = Server::start(move |_, stream| {
            read_request(stream);
            let _ = stream.write_all(bytes.as_bytes());
        });
        let sample = run(&job(server.address, 12));
        assert_only(&sample, kind);
        assert_eq!((sample.completed, errors(&sample, kind)), (0, 12));
    }
}

#[test]
fn a_body_that_lasts_until_the_connection_ends_is_whole_then() {
    let server = Server::start(|_, stream| {
        read_request(stream);
        let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nall of it");
    });
    let mut job = job(server.address, 40);
    job.expect = Expect::Status { status: None, body: Some("all of it".into()) };
    let sample = run(&job);
    assert_eq!((sample.completed, sample.errors.len()), (40, 0));
}

#[test]
fn what_is_not_http_is_malformed() {
    let huge = format!("HTTP/1.1 200 OK\r\nX-Fill: {}\r\n\r\n", "y".repeat(1 << 20));
    for bytes in ["SSH-2.0-OpenSSH_9.2\r\n".to_owned(), answer("200 OK", "a") + "b", huge] {
        let server = Server::start(move |_, stream| each_request(stream, |_| Some(bytes.clone())));
        let sample = run(&job(server.address, 12));
        // The end of a long answer may come as a reset, as the client stops reading it.
        assert_only(&sample, ErrorKind::Malformed);
        assert_eq!(errors(&sample, ErrorKind::Malformed), 12);
    }
}

#[test]
fn a_server_that_stops_reading_is_a_timeout() {
    let server = Server::start(|_, _| thread::sleep(Duration::from_secs(3)));
    let mut job = job(server.address, 4);
    job.requests[0].method = "POST".into();
    job.requests[0].body = Some("z".repeat(20_000_000));
    job.timeout_ns = 200 * MS;
    let sample = run(&job);
    assert_only(&sample, ErrorKind::Timeout);
    assert_eq!(errors(&sample, ErrorKind::Timeout), 4);
}

#[test]
fn a_large_request_is_sent_whole() {
    let server = Server::start(|_, stream| {
        use std::io::Read as _;
        let mut rest = vec![0; 3_000_000];
        loop {
            // The head's length is known: "POST / HTTP/1.1", a host, a length of seven digits, an empty line.
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") {
                if stream.read_exact(&mut byte).is_err() {
                    return;
                }
                head.push(byte[0]);
            }
            stream.read_exact(&mut rest).unwrap();
            let sum: u64 = rest.iter().map(|&byte| u64::from(byte)).sum();
            stream.write_all(answer("200 OK", &sum.to_string()).as_bytes()).unwrap();
        }
    });
    let mut job = job(server.address, 8);
    job.requests[0].method = "POST".into();
    job.requests[0].body = Some("z".repeat(3_000_000));
    job.expect = Expect::Status { status: None, body: Some("366000000".into()) };
    let sample = run(&job);
    assert_eq!((sample.completed, sample.errors.len()), (8, 0));
}
