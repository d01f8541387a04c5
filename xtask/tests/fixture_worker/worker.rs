//! A worker that misbehaves on request, for the tests of the engine: `fixture-worker MODE`. Modes that begin with
//! `serve-`, `mail-`, `load-` or `listen-` play our servers, the load generator, and a server of somebody else.
//!
//! It does no work. A well-behaved run sleeps a millisecond and answers with checksum 1. Modes that hang do so for
//! [`LONG`], so that a test that fails leaves nothing for ever.

mod asks;
mod conform;
mod listen;
mod load;
mod mail;
mod serve;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::{Command, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{SigHandler, Signal, raise, signal};
use protocol::{Checksum, Job, Ready, Reply, Request, Sample};

const LONG: Duration = Duration::from_secs(30);

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "good".to_owned());
    match mode.as_str() {
        // Not a worker: what the modes leave behind.
        "sleep" => return sleep(LONG),
        "sleep-in-own-session" => {
            nix::unistd::setsid().expect("a child that leads no group");
            return sleep(LONG);
        }
        "exit-at-once" => exit(0),
        "hang-before-ready" => return sleep(LONG),
        "ignore-sigterm" => ignore_sigterm(),
        _ => {}
    }
    let argument = std::env::args().nth(2).unwrap_or_default();
    match mode.split_once('-') {
        Some(("conform", fault)) => return conform::run(fault),
        Some(("serve", mode)) => return serve::run(mode),
        Some(("mail", mode)) => return mail::run(mode),
        Some(("load", mode)) => return load::run(mode),
        Some(("listen", mode)) => return listen::run(mode, &argument),
        _ => {}
    }
    let mut requests = requests();
    let Some(Request::Job { job: Job::Batch(job), .. }) = requests.next() else {
        eprintln!("the first line was not a job");
        exit(2)
    };
    match mode.as_str() {
        "unsupported" => say(&Reply::Unsupported { message: "the fixture has no such model".to_owned() }),
        "protocol-2" => say(&ready(2)),
        "other-language" => write(r#"{"type":"hello","protocol":2,"greeting":"bonjour"}"#, "\n"),
        "chatty" => {
            // In one write, so that nobody can ask in between.
            write(&(ready(1).to_line() + &sample(job.tasks, 1).to_line()), "");
        }
        _ => say(&ready(1)),
    }
    let mut run = 0;
    for request in requests {
        let Request::Run { .. } = request else {
            eprintln!("not a run: {request:?}");
            exit(2)
        };
        run += 1;
        let bad = &mode;
        match bad.as_str() {
            "exit-0" => exit(0),
            "exit-3" => {
                eprintln!("first line\nthe reason is here");
                exit(3)
            }
            "exit-3-in-third-run" if run == 3 => exit(3),
            // The handler that Rust installs for stack overflows lets the first one pass.
            "segfault" => {
                let _ = raise(Signal::SIGSEGV).and_then(|()| raise(Signal::SIGSEGV));
            }
            "slow" => sleep(Duration::from_millis(400)),
            "hang" | "ignore-sigterm" => sleep(LONG),
            "close-stdout" => {
                let _ = nix::unistd::close(1);
                sleep(LONG);
            }
            "half-a-line-and-hang" => {
                write(r#"{"type":"sam"#, "");
                sleep(LONG);
            }
            "half-a-line-and-exit" => {
                write(r#"{"type":"sam"#, "");
                exit(0)
            }
            "garbage" => write("Hello, world!", "\n"),
            "binary" => {
                drop(io::stdout().write_all(&[0xff, 0, 0xfe, b'\n']));
                drop(io::stdout().flush());
            }
            "blank" => write("", "\n"),
            "hundred-megabytes" => flood(&mut io::stdout(), 100, &[b'x'; 1 << 16]),
            "hundred-megabytes-of-lines" => flood(&mut io::stdout(), 100, &b"x\n".repeat(1 << 15)),
            "flood-stderr" => flood(&mut io::stderr(), 20, &b"noise on stderr\n".repeat(1 << 12)),
            "flood-stderr-for-ever" => loop {
                flood(&mut io::stderr(), 20, &[b'x'; 1 << 16]);
            },
            "flood-stderr-and-die" => {
                flood(&mut io::stderr(), 20, &[b'x'; 1 << 16]);
                eprintln!("\nthe last words");
                exit(1)
            }
            "error" => say(&Reply::Error { message: "out of luck".to_owned() }),
            "ready-again" => say(&ready(1)),
            "asks" => {
                if let Err(message) = asks::ask(&job.task) {
                    say(&Reply::Error { message });
                    continue;
                }
            }
            "grandchild-and-no-sample" => {
                leave("sleep", true);
                exit(0)
            }
            _ => {}
        }
        sleep(Duration::from_millis(1));
        let checksum = if mode == "other-checksum" { 2 } else { 1 };
        say(&sample(job.tasks, checksum));
        match mode.as_str() {
            "two-samples" => say(&sample(job.tasks, checksum)),
            "grandchild-holds-stdout" => leave("sleep", true),
            "grandchild-in-own-session" => leave("sleep-in-own-session", true),
            "grandchild-without-environment" => leave("sleep-in-own-session", false),
            _ => {}
        }
    }
    match mode.as_str() {
        "exit-4-after-all" => exit(4),
        "no-exit" => sleep(LONG),
        _ => {}
    }
}

fn ignore_sigterm() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { signal(Signal::SIGTERM, SigHandler::SigIgn) }.expect("SIGTERM can be ignored");
}

/// The requests on stdin.
fn requests() -> impl Iterator<Item = Request> {
    io::stdin().lines().map(|line| Request::from_line(&line.expect("stdin is readable")).expect("a request"))
}

/// Starts a process that holds our stdout and stderr, and does not wait for it.
#[expect(clippy::zombie_processes, reason = "to leave it is what it is for")]
fn leave(mode: &str, keep_environment: bool) {
    let mut command = Command::new(std::env::current_exe().expect("we are a file"));
    if !keep_environment {
        command.env_clear();
    }
    command.arg(mode).stdin(Stdio::null()).spawn().expect("we can be started");
    // Until it has left our group, if it is to.
    sleep(Duration::from_millis(50));
}

fn ready(protocol: u32) -> Reply {
    ready_on(protocol, Vec::new())
}

fn ready_on(protocol: u32, ports: Vec<u16>) -> Reply {
    Reply::Ready(Ready {
        protocol,
        worker: "fixture-worker 1".to_owned(),
        runtime: "fixture".to_owned(),
        facts: BTreeMap::new(),
        ports,
    })
}

fn sample(tasks: u64, checksum: u64) -> Reply {
    Reply::Sample(Sample {
        elapsed_ns: 1_000_000,
        setup_ns: 0,
        tasks,
        checksum: Checksum(checksum).to_string(),
        workers: vec![tasks],
        usage: None,
    })
}

fn say(reply: &Reply) {
    write(&reply.to_line(), "");
}

/// Writes and flushes. That nobody reads any more is nothing to die of here.
fn write(text: &str, end: &str) {
    let mut stdout = io::stdout().lock();
    drop(write!(stdout, "{text}{end}"));
    drop(stdout.flush());
}

/// Writes so many megabytes.
fn flood(to: &mut dyn Write, megabytes: usize, chunk: &[u8]) {
    for _ in 0..megabytes * 1_000_000 / chunk.len() {
        if to.write_all(chunk).is_err() {
            return;
        }
    }
}
