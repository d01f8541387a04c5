//! Requests to servers that behave well and badly.

use std::{
    io::BufRead,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use tokio::runtime::Builder;

use super::*;
use crate::testing::both_ways;

/// A server on a port of its own, which hands each connection to `answer`; and how many there have been.
fn server(answer: impl Fn(TcpStream) + Send + Sync + 'static) -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let connections = Arc::new(AtomicU64::new(0));
    let (answer, count) = (Arc::new(answer), Arc::clone(&connections));
    thread::spawn(move || {
        for stream in listener.incoming() {
            count.fetch_add(1, Ordering::SeqCst);
            let answer = Arc::clone(&answer);
            thread::spawn(move || answer(stream.unwrap()));
        }
    });
    (address, connections)
}

/// Reads a request up to its empty line; false at the end of the connection.
fn read_request(reader: &mut impl BufRead) -> bool {
    let mut line = String::new();
    loop {
        line.clear();
        match reader.read_line(&mut line) {
            Ok(0) | Err(_) => return false,
            Ok(_) if line == "\r\n" => return true,
            Ok(_) => {}
        }
    }
}

/// A server that answers every request on a connection with these bytes, up to `requests` of them, and then closes it.
fn answering(answer: &'static str, requests: usize) -> (String, Arc<AtomicU64>) {
    server(move |mut stream| {
        let mut reader = io::BufReader::new(stream.try_clone().unwrap());
        for _ in 0..requests {
            if !read_request(&mut reader) || stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    })
}

const HELLO: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

fn errors(address: &str) -> [String; 2] {
    let patience = Duration::from_millis(200);
    let get = HttpGet::with_patience(address, "/", false, patience).unwrap();
    both_ways(&get, 0).map(|result| result.unwrap_err().replace(address, "ADDRESS"))
}

#[test]
fn the_result_is_the_length_of_the_body() {
    let (address, connections) = answering(HELLO, 1);
    let get = HttpGet::new(&address, "/page", false, 0).unwrap();
    assert_eq!(both_ways(&get, 0), [Ok(5), Ok(5)]);
    assert_eq!(both_ways(&get, 1), [Ok(5), Ok(5)]);
    assert_eq!(connections.load(Ordering::SeqCst), 4, "a new connection each time");
}

#[test]
fn a_kept_connection_is_used_again() {
    let (address, connections) = answering(HELLO, usize::MAX);
    let get = HttpGet::new(&address, "/", true, 0).unwrap();
    for index in 0..5 {
        assert_eq!(get.wait_blocking(index, &InterpreterLock::none()).unwrap(), 5);
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// Waits until a server has had so many connections.
fn until(connections: &AtomicU64, expected: u64) {
    let begun = Instant::now();
    while connections.load(Ordering::SeqCst) < expected {
        assert!(begun.elapsed() < Duration::from_secs(10), "{connections:?} of {expected}");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn kept_connections_are_open_before_the_start_and_no_more_are_opened() {
    let (address, connections) = answering(HELLO, usize::MAX);
    let get = HttpGet::new(&address, "/", true, 2).unwrap();
    until(&connections, 2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(get.wait_blocking(0, &InterpreterLock::none()).unwrap(), 5));
        }
    });
    assert_eq!(connections.load(Ordering::SeqCst), 2);

    let runtime = Timer::enable(&mut Builder::new_current_thread()).build().unwrap();
    runtime.block_on(async {
        let (get, timer) = (get.for_loop(), Arc::new(Timer::new().unwrap()));
        get.connect(3).await.unwrap();
        until(&connections, 5);
        for _ in 0..2 {
            let waits = [0, 1, 2].map(|index| {
                let (get, timer) = (get.clone(), Arc::clone(&timer));
                tokio::spawn(async move { get.wait(index, &timer).await })
            });
            for wait in waits {
                assert_eq!(wait.await.unwrap().unwrap(), 5);
            }
        }
        get.for_loop().connect(1000).await.unwrap();
    });
    // Never more than may be in use.
    until(&connections, 5 + 64);
    assert_eq!(connections.load(Ordering::SeqCst), 5 + 64);
}

#[test]
fn without_keeping_nothing_is_opened_before_the_start() {
    let (address, connections) = answering(HELLO, 1);
    let get = HttpGet::new(&address, "/", false, 2).unwrap();
    assert_eq!(both_ways(&get, 0), [Ok(5), Ok(5)]);
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[test]
fn a_kept_connection_that_the_server_has_closed_is_opened_again() {
    let (address, connections) = answering(HELLO, 2);
    let get = HttpGet::new(&address, "/", true, 0).unwrap();
    for index in 0..6 {
        assert_eq!(get.wait_blocking(index, &InterpreterLock::none()).unwrap(), 5);
        // The server's close must have arrived, or else it might break the next request in its middle.
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    for error in errors(&address) {
        assert_eq!(error, "connection refused by ADDRESS: is the HTTP server running there?");
    }
}

#[test]
fn a_server_that_fails_or_talks_something_else_is_an_error() {
    let (address, _) = answering("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", 1);
    for error in errors(&address) {
        assert_eq!(error, "the HTTP server at ADDRESS answered wrongly: its status is 500, and 200 was expected");
    }
    let (address, _) = answering("SSH-2.0-OpenSSH\r\n", 1);
    for error in errors(&address) {
        assert!(error.starts_with("the HTTP server at ADDRESS answered wrongly: that is no HTTP"), "{error}");
    }
}

#[test]
fn a_server_that_closes_in_the_middle_is_an_error() {
    let (address, _) = answering("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", 1);
    for error in errors(&address) {
        assert_eq!(error, "the HTTP server at ADDRESS closed the connection in the middle: look at its log");
    }
    let (address, _) = answering("", 1);
    for error in errors(&address) {
        assert_eq!(error, "the HTTP server at ADDRESS closed the connection in the middle: look at its log");
    }
}

#[test]
fn a_server_that_never_answers_or_never_ends_is_given_up() {
    let (address, _) = server(|stream| {
        thread::sleep(Duration::from_secs(5));
        drop(stream);
    });
    for error in errors(&address) {
        assert!(error.starts_with("the HTTP server at ADDRESS has not answered for"), "{error}");
    }
    let (address, _) = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
    });
    for error in errors(&address) {
        assert!(error.starts_with("the HTTP server at ADDRESS has not answered for"), "{error}");
    }
}

#[test]
fn what_is_no_address_or_path_is_refused() {
    let reason = |address, path| format!("{:#}", HttpGet::new(address, path, false, 0).unwrap_err());
    assert!(reason("localhost", "/").starts_with("\"localhost\" is no address: give host:port"));
    assert!(reason("127.0.0.1:80", "page").starts_with("\"page\" is no path"));
    assert!(reason("127.0.0.1:80", "/a b").starts_with("\"/a b\" is no path"));
}
