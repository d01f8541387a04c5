//! Plays our server: the protocol on stdin and stdout, a real socket, no work.

use std::net::{Ipv4Addr, TcpListener};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use protocol::{Job, Listen, Reply, Request, Served};

use super::listen::{Counters, accept};
use super::{LONG, ignore_sigterm, leave, ready_on, requests, say, write};

pub fn run(mode: &str) {
    let mut requests = requests();
    let Some(Request::Job { job: Job::Serve(job), .. }) = requests.next() else { panic!("not the job of a server") };
    match mode {
        "never-ready" => sleep(LONG),
        "dying-before-ready" => {
            eprintln!("no such lock");
            exit(3)
        }
        "without-ports" => return say(&ready_on(1, Vec::new())),
        "ignoring-sigterm" => ignore_sigterm(),
        _ => {}
    }
    let counters = Arc::new(Counters::default());
    let sockets = if job.listen == Listen::PerPort { job.workers } else { 1 };
    let ports = (0..sockets).map(|_| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let dies = mode == "dying-under-load";
        accept(listener, Arc::clone(&counters), move |request| {
            if dies && request == 5 {
                eprintln!("assertion failed: left == right");
                std::process::abort();
            }
            200
        });
        port
    });
    say(&ready_on(1, ports.collect()));
    let mut told = 0;
    for (run, request) in requests.enumerate() {
        assert!(matches!(request, Request::Run { .. }), "not a run: {request:?}");
        match mode {
            "garbage" if run == 1 => write("served a lot", "\n"),
            "ignoring-sigterm" if run == 1 => sleep(LONG),
            "leaving-grandchildren" if run == 1 => leave("sleep", true),
            _ => {}
        }
        let requests = counters.requests.load(Ordering::SeqCst);
        let connections = vec![counters.connections.load(Ordering::SeqCst)];
        say(&Reply::Served(Served { requests: vec![requests - told], connections, usage: None }));
        told = requests;
    }
    if mode == "not-exiting" {
        sleep(Duration::from_secs(20));
    }
}
