//! A worker that does what the protocol says, for one model and two operations, but for the one fault that its mode
//! names. `none` has no fault.

use std::io;
use std::process::exit;
use std::sync::Arc;
use std::thread::sleep;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use protocol::{
    Checksum, Histogram, Job, LoadJob, LoadSample, Lock, Model, Pace, Reply, Request, Sample, Served, Task, fold,
    task_seed,
};
use serde_json::Value;

use super::{LONG, leave, ready_on, say, write};

pub fn run(fault: &str) {
    if fault != "outlives-its-parent"
        && let Ok(parent) = std::env::var(protocol::PARENT_PID_VARIABLE)
    {
        let _ = set_pdeathsig(Signal::SIGKILL);
        if getppid().to_string() != parent {
            exit(1);
        }
    }
    let mut job: Option<Job> = None;
    let mut runs = 0;
    for line in io::stdin().lines() {
        let line = line.expect("stdin is readable");
        if line.is_empty() && fault != "minds-empty-lines" {
            continue;
        }
        match fault {
            "says-nothing" => continue,
            "forgets-the-line-feed" => {
                write(r#"{"type":"error","message":"no"}"#, "");
                continue;
            }
            "is-no-worker" => {
                write("usage: fixture [options]", "\n");
                continue;
            }
            _ => {}
        }
        let request = match read(&line, fault) {
            Ok(request) => request,
            Err(reply) => {
                let goes_on = matches!(*reply, Reply::Unsupported { .. });
                say(&reply);
                match fault {
                    _ if goes_on => {}
                    "survives-garbage" => {}
                    "exits-0-after-garbage" => exit(0),
                    _ => exit(1),
                }
                continue;
            }
        };
        match request {
            Request::Job { job: new, .. } => {
                let again = job.is_some() && fault == "takes-one-job";
                if again {
                    say(&Reply::Error { message: "I have a job".to_owned() });
                    continue;
                }
                if let Some(reply) = accept(&new, fault) {
                    say(&reply);
                    job = matches!(reply, Reply::Ready(_)).then_some(new);
                    runs = 0;
                }
                if fault == "logs-to-stdout" {
                    write("INFO ready", "\n");
                }
            }
            Request::Run { warmup } => {
                runs += 1;
                match &job {
                    Some(Job::Batch(batch)) => say(&sample(batch, fault, warmup, runs)),
                    Some(Job::Serve(job)) => {
                        let workers = job.workers as usize;
                        say(&Reply::Served(Served {
                            requests: vec![0; workers],
                            connections: vec![0; workers],
                            usage: None,
                        }));
                    }
                    Some(Job::Load(job)) => say(&Reply::Load(Box::new(made_up(job)))),
                    Some(Job::Mail(_)) => unreachable!("it was not accepted"),
                    None if fault == "runs-without-a-job" => say(&Reply::Sample(Sample {
                        elapsed_ns: 1,
                        setup_ns: 0,
                        tasks: 0,
                        checksum: Checksum(0).to_string(),
                        workers: vec![],
                        usage: None,
                    })),
                    None => {
                        say(&Reply::Error { message: "a run before a job".to_owned() });
                        exit(1);
                    }
                }
                match fault {
                    "answers-twice" => write("done", "\n"),
                    "leaves-a-child" => leave("sleep", true),
                    _ => {}
                }
            }
        }
    }
    match fault {
        "exits-with-3" => exit(3),
        "does-not-exit" => sleep(LONG),
        _ => {}
    }
}

/// The request, or what is said instead.
fn read(line: &str, fault: &str) -> Result<Request, Box<Reply>> {
    let error = |message: String| Box::new(Reply::Error { message });
    let value: Value = serde_json::from_str(line).map_err(|malformed| error(malformed.to_string()))?;
    if fault == "wants-type-first" && !line.starts_with("{\"type\"") {
        return Err(error("type comes first".to_owned()));
    }
    if fault == "minds-unknown-fields" && line.contains("of_a_later_version") {
        return Err(error("unknown field".to_owned()));
    }
    if value.get("type") == Some(&"job".into()) {
        if value["protocol"] != 1 && fault != "does-not-look-at-the-version" {
            let message = match fault {
                "does-not-name-the-version" => "wrong version".to_owned(),
                _ => format!("this worker speaks protocol 1, not {}", value["protocol"]),
            };
            return Err(error(message));
        }
        if let Some(word) = line.contains("no-such-word").then_some("no-such-word") {
            let message = format!("unknown word {word}");
            return Err(match fault {
                "calls-unknown-words-errors" => error(message),
                _ => Box::new(Reply::Unsupported { message }),
            });
        }
    }
    let mut value = value;
    if value.get("protocol").is_some() {
        value["protocol"] = 1.into();
    }
    Request::from_line(&value.to_string()).map_err(|malformed| match (value.get("type"), fault) {
        (Some(kind), "does-not-look-at-the-version") if *kind == "job" => Box::new(ready_on(1, vec![])),
        _ => error(malformed.to_string()),
    })
}

/// The answer to a job.
fn accept(job: &Job, fault: &str) -> Option<Reply> {
    let known = match job {
        Job::Batch(batch) => {
            matches!(batch.model, Model::Sequential | Model::Threads)
                && batch.lock == Lock::None
                && matches!(batch.task, Task::Burn { .. } | Task::Wait { .. })
        }
        Job::Serve(_) => fault == "serves-something-else",
        Job::Load(_) => fault == "makes-its-load-up",
        Job::Mail(_) => false,
    };
    let ports = match job {
        Job::Serve(job) if known => (0..job.workers).map(|_| listen()).collect(),
        _ if fault == "listens-for-no-reason" => vec![1],
        _ => vec![],
    };
    Some(match (known && fault != "does-nothing", fault) {
        (true, "has-no-name") => match ready_on(1, ports) {
            Reply::Ready(mut ready) => {
                ready.worker.clear();
                Reply::Ready(ready)
            }
            other => other,
        },
        (true, _) => ready_on(1, ports),
        (false, "refuses-with-errors") => Reply::Error { message: "I cannot do that".to_owned() },
        (false, _) => Reply::Unsupported { message: "sequential and threads; burn and wait".to_owned() },
    })
}

/// A server that answers everything with the same bytes.
fn listen() -> u16 {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
    let port = listener.local_addr().expect("it is bound").port();
    super::listen::accept(listener, Arc::default(), |_| 200);
    port
}

/// What a perfect load would have been, without a request.
fn made_up(job: &LoadJob) -> LoadSample {
    let requests = match job.pace {
        Pace::Closed { requests } => requests,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "few")]
        Pace::Open { rate_per_s, duration_ns, .. } => (rate_per_s * duration_ns as f64 / 1e9) as u64,
    };
    let latency = Histogram { count: requests, max_ns: 1000, buckets: vec![(1000, requests)] };
    LoadSample {
        elapsed_ns: 1_000_000,
        setup_ns: 0,
        sent: requests,
        completed: requests,
        unsent: 0,
        sent_late: 0,
        max_in_flight: 1,
        latency: latency.clone(),
        service: latency,
        send_lag: Histogram::default(),
        by_status: [].into(),
        errors: [].into(),
        stragglers: 0,
        oldest_straggler_ns: None,
        by_worker: [("00".to_owned(), requests)].into(),
        usage: None,
    }
}

fn sample(batch: &protocol::BatchJob, fault: &str, warmup: bool, runs: u32) -> Reply {
    let first_task = match fault {
        "reads-floats" => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "the fault"
            )]
            let rounded = batch.first_task as f64 as u64;
            rounded
        }
        "ignores-first-task" => 0,
        _ => batch.first_task,
    };
    let steps = if fault == "ignores-steps" { 1 } else { batch.steps };
    let mut checksum: Checksum = (first_task..first_task + batch.tasks)
        .map(|index| {
            (0..steps).fold(task_seed(index), |state, _| {
                let result = match batch.task {
                    Task::Burn { iterations } => burn(state, iterations),
                    _ => 1,
                };
                fold(state, result)
            })
        })
        .collect();
    if fault == "is-lazy-in-later-runs" && runs > 1 || fault == "is-lazy-in-warm-ups" && warmup {
        checksum = Checksum(7);
    }
    let wait_ns = match batch.task {
        Task::Wait { io_ns } if fault != "does-not-wait" => io_ns,
        _ => 0,
    };
    let waits = u64::from(batch.steps) * if batch.model == Model::Sequential { batch.tasks } else { 1 };
    Reply::Sample(Sample {
        elapsed_ns: wait_ns * waits + 1,
        setup_ns: 0,
        tasks: if fault == "counts-wrong" { batch.tasks + 1 } else { batch.tasks },
        checksum: checksum.to_string(),
        workers: match fault {
            "shares-wrong" => vec![batch.tasks, 1],
            "counts-wrong" => vec![],
            _ => vec![batch.tasks],
        },
        usage: None,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what the protocol takes")]
fn burn(state: u64, iterations: u64) -> u64 {
    let step =
        |value: u32, index: u64| value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).wrapping_add(index as u32);
    (0..iterations).fold(state as u32, step).into()
}
