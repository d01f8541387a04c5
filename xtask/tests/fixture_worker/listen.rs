//! Servers of somebody else: no protocol, a port as argument, `200` to every request unless the mode says otherwise.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use super::{LONG, ignore_sigterm, write};

/// What our own server answers: worker 0.
pub const BODY: &str = "00abcdef";

/// What came in so far.
#[derive(Debug, Default)]
pub struct Counters {
    pub connections: AtomicU64,
    pub requests: AtomicU64,
}

pub fn run(mode: &str, argument: &str) {
    let ports: Vec<u16> = argument.split(',').filter_map(|port| port.parse().ok()).collect();
    match mode {
        "not-at-all" => sleep(LONG),
        "dies" => {
            write("on stdout", "\n");
            eprintln!("on stderr");
            write("no such configuration", "\n");
            exit(4);
        }
        "on-port-of-environment" => {
            let port = std::env::var("WHERE").ok().and_then(|port| port.parse().ok()).expect("WHERE is a port");
            serve(&[port], |_| 200);
        }
        "on-port-of-stranger" | "on-port-of-stranger-once" => {
            let marker = std::env::args().nth(3).unwrap_or_default();
            if mode.ends_with("once") && std::fs::exists(&marker).unwrap_or_default() {
                return serve(&ports, |_| 200);
            }
            stranger(ports[0], Some(&marker));
            std::fs::write(&marker, "").expect("the marker can be written");
            eprintln!("bind: Address already in use");
            exit(1);
        }
        "in-background" => {
            stranger(ports[0], None);
            exit(0);
        }
        "as-stranger" => {
            let _ = nix::unistd::setsid();
            serve(&ports, |_| 200);
        }
        "busy-for-a-while" => {
            let began = Instant::now();
            serve(&ports, move |_| if began.elapsed() < Duration::from_millis(150) { 503 } else { 200 });
        }
        "busy-for-ever" => serve(&ports, |_| 503),
        "silent" => {
            let _listener = TcpListener::bind((Ipv4Addr::LOCALHOST, ports[0])).expect("the port is free");
            sleep(LONG);
        }
        "not-http" => serve(&ports, |_| 0),
        "dies-under-load" => serve(&ports, |request| {
            if request == 5 {
                eprintln!("out of memory");
                exit(9);
            }
            200
        }),
        "ignoring-sigterm" => {
            ignore_sigterm();
            serve(&ports, |_| 200);
        }
        // A master and a worker that does the work, as many servers have.
        "with-child" => {
            let mut child = Command::new(std::env::current_exe().expect("we are a file"));
            let mut child = child.args(["listen-burning", argument]).spawn().expect("we can be started");
            let _ = child.wait();
        }
        "burning" => serve(&ports, |_| {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(15) {
                std::hint::black_box(0);
            }
            200
        }),
        "noisily" => serve(&ports, |_| {
            write(&"GET / 200 ".repeat(20_000), "\n");
            200
        }),
        _ => serve(&ports, |_| 200),
    }
}

/// Starts a server in a session of its own and waits until it listens. It is known as our child unless it is given a
/// name of its own, by which the test finds it.
#[expect(clippy::zombie_processes, reason = "to leave it is what it is for")]
fn stranger(port: u16, name: Option<&str>) {
    let mut command = Command::new(std::env::current_exe().expect("we are a file"));
    if name.is_some() {
        command.env_clear();
    }
    command.args(["listen-as-stranger", &port.to_string()]).args(name);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("we can be started");
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        sleep(Duration::from_millis(1));
    }
}

/// Listens and never returns. `status` is asked with the number of each request.
fn serve(ports: &[u16], status: impl Fn(u64) -> u16 + Clone + Send + 'static) {
    let counters = Arc::new(Counters::default());
    for port in ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).expect("the port is free");
        accept(listener, Arc::clone(&counters), status.clone());
    }
    sleep(LONG);
}

/// Answers what comes in on a socket, in threads of its own.
pub fn accept(listener: TcpListener, counters: Arc<Counters>, status: impl Fn(u64) -> u16 + Clone + Send + 'static) {
    spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            counters.connections.fetch_add(1, Ordering::SeqCst);
            let (counters, status) = (Arc::clone(&counters), status.clone());
            spawn(move || answer(stream, &counters, &status));
        }
    });
}

fn answer(mut stream: TcpStream, counters: &Counters, status: &impl Fn(u64) -> u16) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 1024];
    while let Ok(n @ 1..) = stream.read(&mut chunk) {
        bytes.extend_from_slice(&chunk[..n]);
        while let Some(end) = bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            bytes.drain(..end + 4);
            let number = counters.requests.fetch_add(1, Ordering::SeqCst);
            let answer = match status(number) {
                0 => "220 mail.example.org ESMTP\r\n".to_owned(),
                status => format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len()),
            };
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }
}
