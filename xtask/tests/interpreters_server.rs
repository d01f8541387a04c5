//! The HTTP server of the worker for Python: its answers byte by byte, who gives them, and how it ends.

mod interpreters_support;

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use interpreters_support::{Worker, command, found, wait_until, with};
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

/// Digits of the burns of 1000 iterations from the seeds 0 to 7: the test vector of `docs/protocol.md`.
const DIGITS: [&str; 8] = ["733634", "dc5dd5", "458576", "aead17", "17d4b8", "80fc59", "ea23fa", "534b9b"];

fn server() -> Option<Worker> {
    let newest = found::pythons().into_iter().rfind(|(version, _)| version[..2] >= [3, 9][..]);
    if newest.is_none() {
        eprintln!("skipped: there is no Python 3.9 or later here; apt-get install python3, or uv python install");
    }
    newest.map(|(_, path)| Worker::start(command(&path, "python/worker.py")))
}

fn job(model: &str, listen: &str) -> Value {
    json!({"type": "job", "protocol": 1, "kind": "serve", "model": model, "workers": 2, "lock": "none",
           "listen": listen, "io_ns": 100_000, "iterations": 1000})
}

struct Client(TcpStream);

impl Client {
    fn connect(port: u16) -> Self {
        Self(TcpStream::connect(("127.0.0.1", port)).unwrap())
    }

    fn say(&mut self, request: &str) {
        self.0.write_all(request.as_bytes()).unwrap();
    }

    /// So many bytes of answer.
    fn hear(&mut self, length: usize) -> String {
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// What comes until the connection is closed.
    fn rest(&mut self) -> String {
        let mut answer = String::new();
        self.0.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Asks once, and returns the two digits of the worker and the six of the burn.
    fn get(&mut self) -> (String, String) {
        self.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n";
        let answer = self.hear(head.len() + 8);
        let body = answer.strip_prefix(head).unwrap_or_else(|| panic!("{answer:?}"));
        (body[..2].to_owned(), body[2..].to_owned())
    }
}

#[test]
fn every_model_and_way_to_listen_gives_the_right_answers_and_counts_them() {
    for (model, listen, ports) in [
        ("loops", "per-port", 2),
        ("loops", "reuse-port", 1),
        ("loops", "shared", 1),
        ("loops", "hand-off", 1),
        ("processes", "per-port", 2),
        ("processes", "reuse-port", 1),
        ("processes", "shared", 1),
    ] {
        let Some(mut worker) = server() else { return };
        let ready = worker.accept(&job(model, listen));
        assert_eq!(ready.ports.len(), ports, "{model} {listen}");
        assert_eq!(worker.served().requests, [0, 0]);
        let mut by_worker = [0, 0];
        for number in 0..6 {
            let mut client = Client::connect(ready.ports[number % ports]);
            for k in 0..9 {
                let (worker, digits) = client.get();
                assert_eq!(digits, DIGITS[k % 8], "{model} {listen}");
                by_worker[worker.parse::<usize>().unwrap()] += 1;
            }
        }
        let served = worker.served();
        assert_eq!(
            (served.requests, served.connections.iter().sum::<u64>()),
            (by_worker.to_vec(), 6),
            "{model} {listen}"
        );
        if matches!(listen, "per-port" | "hand-off") {
            assert_eq!(served.connections, [3, 3], "{model} {listen}");
        }
        let usage = served.usage.unwrap();
        assert_eq!(usage.processes, Some(if model == "processes" { 3 } else { 1 }));
        let again = worker.served();
        assert_eq!((again.requests.as_slice(), again.connections.iter().sum::<u64>()), (&[0, 0][..], 6));
        assert_eq!(worker.end().code(), Some(0));
        assert_eq!(worker.stderr(), "", "{model} {listen}");
    }
}

#[test]
fn bodies_are_thrown_away_and_requests_at_once_are_answered_in_order() {
    let Some(mut worker) = server() else { return };
    let port = worker.accept(&job("loops", "shared")).ports[0];
    let mut client = Client::connect(port);
    client.say("POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloHEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    let answer = client.rest();
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n";
    let number = &answer[head.len() + 2..][..2];
    let expected =
        format!("{head}\r\n{number}{}{head}\r\n{head}connection: close\r\n\r\n{number}{}", DIGITS[0], DIGITS[2]);
    assert_eq!(answer, expected);
    let mut old = Client::connect(port);
    old.say("GET / HTTP/1.0\r\n\r\n");
    assert!(old.rest().starts_with("HTTP/1.1 200 OK\r\ncontent-length: 8\r\nconnection: close\r\n\r\n"));
}

#[test]
fn what_is_no_request_is_refused_and_the_server_goes_on() {
    let Some(mut worker) = server() else { return };
    let port = worker.accept(&job("loops", "shared")).ports[0];
    for (request, status) in [
        ("nonsense\r\n\r\n".to_owned(), "400 Bad Request"),
        ("GET / HTTP/2\r\n\r\n".to_owned(), "400 Bad Request"),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n".to_owned(), "400 Bad Request"),
        ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n".to_owned(), "400 Bad Request"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(), "411 Length Required"),
        ("GET / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n".to_owned(), "413 Content Too Large"),
        (format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(17_000)), "431 Request Header Fields Too Large"),
    ] {
        let mut client = Client::connect(port);
        client.say(&request);
        let mut answer = String::new();
        // Bytes that nobody has read may reset the connection behind the answer.
        let _ = client.0.read_to_string(&mut answer);
        assert_eq!(answer, format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"));
    }
    Client::connect(port).say("GET / HT"); // and goes
    assert_eq!(Client::connect(port).get().1, DIGITS[0]);
    assert_eq!(worker.served().requests.iter().sum::<u64>(), 1);
    assert_eq!(worker.end().code(), Some(0));
    assert_eq!(worker.stderr(), "");
}

#[test]
fn a_server_that_is_told_to_end_closes_what_is_idle_and_answers_what_is_out() {
    for model in ["loops", "processes"] {
        let Some(mut worker) = server() else { return };
        let port = worker.accept(&with(job(model, "shared"), "io_ns", json!(300_000_000))).ports[0];
        let mut idle = Client::connect(port);
        let mut busy = Client::connect(port);
        busy.say("GET / HTTP/1.1\r\n\r\n");
        wait_until("both are accepted", || worker.served().connections.iter().sum::<u64>() == 2);
        assert_eq!(worker.end().code(), Some(0), "{model}");
        assert_eq!(idle.rest(), "", "{model}");
        let answer = busy.rest();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with(DIGITS[0]), "{model}: {answer:?}");
    }
}

#[test]
fn a_second_job_ends_the_first_server() {
    let Some(mut worker) = server() else { return };
    let first = worker.accept(&job("processes", "per-port")).ports;
    let second = worker.accept(&job("loops", "shared")).ports[0];
    assert!(first.into_iter().all(|port| TcpStream::connect(("127.0.0.1", port)).is_err()));
    assert_eq!(Client::connect(second).get().1, DIGITS[0]);
}

#[test]
fn a_server_that_has_lost_a_process_says_which() {
    let Some(mut worker) = server() else { return };
    worker.accept(&job("processes", "per-port"));
    let victim = worker.children(2)[1];
    kill(victim, Signal::SIGKILL).unwrap();
    let expected = format!("error: child process {victim} was ended by signal 9 before it had answered");
    assert_eq!(worker.refusal(&interpreters_support::run()), expected);
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn what_this_server_does_not_do_is_unsupported() {
    let Some(mut worker) = server() else { return };
    for (refused, word) in [
        (job("threads", "shared"), "model of a server 'threads'"),
        (job("loops", "by-mail"), "way to listen 'by-mail'"),
        (job("processes", "hand-off"), "to loops only"),
        (with(job("loops", "shared"), "lock", json!("gil")), "a real interpreter's lock"),
    ] {
        let message = worker.refusal(&refused);
        assert!(message.starts_with("unsupported: ") && message.contains(word), "{message}");
    }
    let message = worker.refusal(&with(job("loops", "shared"), "workers", json!(257)));
    assert!(message.starts_with("error: ") && message.contains("workers is 257"), "{message}");
}
