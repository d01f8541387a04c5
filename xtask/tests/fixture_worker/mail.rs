//! Plays our mail server: the protocol on stdin and stdout, a real socket, no mail.

use std::net::{Ipv4Addr, TcpListener};
use std::process::exit;
use std::thread::{sleep, spawn};
use std::time::Duration;

use protocol::{Job, Request};

use super::{LONG, ready_on, requests, say};

pub fn run(mode: &str) {
    let mut requests = requests();
    let Some(Request::Job { job: Job::Mail(_), .. }) = requests.next() else { panic!("not the job of a mail server") };
    match mode {
        "never-ready" => sleep(LONG),
        "without-ports" => return say(&ready_on(1, Vec::new())),
        _ => {}
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
    let port = listener.local_addr().expect("it is bound").port();
    spawn(move || listener.incoming().for_each(drop));
    say(&ready_on(1, vec![port]));
    if mode == "dying" {
        sleep(Duration::from_millis(100));
        eprintln!("no space left in the queue");
        exit(3)
    }
    requests.for_each(drop);
}
