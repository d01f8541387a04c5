//! Plays the load generator: the protocol on stdin and stdout, a few real requests one after another, and a sample that
//! claims that all the others went the same way. Ten thousand requests take a second, by its own account.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind as Io, Read, Write};
use std::net::TcpStream;
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use protocol::{ErrorKind, Histogram, Job, LoadJob, LoadSample, Pace, Reply, Request};

use super::listen::BODY;
use super::{LONG, ignore_sigterm, ready, requests, say, write};

/// Requests that are really made.
const REAL: u64 = 20;

pub fn run(mode: &str) {
    let mut requests = requests();
    let Some(Request::Job { job: Job::Load(job), .. }) = requests.next() else { panic!("not the job of a client") };
    match mode {
        "dying-before-ready" => exit(5),
        "ignoring-sigterm" => ignore_sigterm(),
        _ => {}
    }
    say(&ready(1));
    for request in requests {
        assert!(matches!(request, Request::Run { .. }), "not a run: {request:?}");
        match mode {
            "dying" => {
                eprintln!("too many open files");
                exit(3)
            }
            "hanging" | "ignoring-sigterm" => sleep(LONG),
            "garbage" => write("a lot of load", "\n"),
            "erring" => say(&Reply::Error { message: "no such header".to_owned() }),
            "patient" => sleep(Duration::from_millis(400)),
            _ => {}
        }
        // Errors do not end it: until the server is gone it goes on, and after that.
        let patience = if mode == "stubborn" { Duration::from_millis(500) } else { Duration::ZERO };
        say(&Reply::Load(Box::new(sample(&job, patience))));
    }
}

fn sample(job: &LoadJob, patience: Duration) -> LoadSample {
    let requests = match job.pace {
        Pace::Closed { requests } => requests,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "few")]
        Pace::Open { rate_per_s, duration_ns, .. } => (rate_per_s * duration_ns as f64 / 1e9) as u64,
    };
    let (mut completed, mut errors, mut by_worker) = (0, BTreeMap::new(), BTreeMap::new());
    let mut connections: Vec<Option<TcpStream>> = job.targets.iter().map(|target| connect(target).ok()).collect();
    for index in 0..requests.min(REAL) as usize {
        let target = index % job.targets.len();
        let result = match &mut connections[target] {
            Some(stream) => ask(stream, &job.targets[target]),
            None => Err(ErrorKind::Refused),
        };
        match result {
            Ok(worker) => {
                completed += 1;
                *by_worker.entry(worker).or_insert(0) += 1;
            }
            Err(kind) => {
                *errors.entry(kind).or_insert(0) += 1;
                sleep(patience);
                connections[target] = connect(&job.targets[target]).ok();
            }
        }
    }
    // The others went the same way, whichever that was.
    let others = requests.saturating_sub(REAL);
    if completed > 0 {
        completed += others;
    } else if let Some(count) = errors.values_mut().next() {
        *count += others;
    }
    LoadSample {
        elapsed_ns: requests * 100_000,
        setup_ns: 1_000,
        sent: requests,
        completed,
        unsent: 0,
        sent_late: 0,
        max_in_flight: 1,
        latency: Histogram { count: 1, max_ns: 100_000, buckets: vec![(100_000, 1)] },
        service: Histogram::default(),
        send_lag: Histogram::default(),
        by_status: BTreeMap::new(),
        errors,
        stragglers: 0,
        oldest_straggler_ns: None,
        by_worker,
        usage: None,
    }
}

fn connect(target: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(target)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    Ok(stream)
}

/// One request; the worker's digits.
fn ask(stream: &mut TcpStream, host: &str) -> Result<String, ErrorKind> {
    let kind = |error: io::Error| match error.kind() {
        Io::WouldBlock | Io::TimedOut => ErrorKind::Timeout,
        _ => ErrorKind::Reset,
    };
    stream.write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).map_err(kind)?;
    let mut answer = Vec::new();
    while !answer.ends_with(BODY.as_bytes()) {
        let mut chunk = [0; 512];
        match stream.read(&mut chunk).map_err(kind)? {
            0 => return Err(ErrorKind::Reset),
            n => answer.extend_from_slice(&chunk[..n]),
        }
    }
    if answer.starts_with(b"HTTP/1.1 200 ") { Ok(BODY[..2].to_owned()) } else { Err(ErrorKind::Status) }
}
