//! The binary speaks the worker protocol, and refuses what it cannot do with a sentence that helps.

mod support;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use protocol::{Job, LoadJob, Reply, Request, VERSION};
use support::{Server, answer, each_request, job};

const CLIENT: &str = env!("CARGO_BIN_EXE_client");

fn talk(mut command: Command, lines: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn replies(output: &Output) -> Vec<Reply> {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(|line| Reply::from_line(line).unwrap()).collect()
}

fn job_line(job: LoadJob) -> String {
    Request::Job { protocol: VERSION, job: Job::Load(job) }.to_line()
}

fn message(reply: &Reply) -> &str {
    match reply {
        Reply::Error { message } | Reply::Unsupported { message } => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_is_answered_by_ready_and_each_run_by_a_sample_until_stdin_ends() {
    let server = Server::start(|_, stream| each_request(stream, |_| Some(answer("200 OK", "ok"))));
    let run = Request::Run { warmup: true }.to_line();
    let output = talk(Command::new(CLIENT), &(job_line(job(server.address, 50)) + &run + &run));
    let replies = replies(&output);
    let [Reply::Ready(ready), Reply::Load(_), Reply::Load(sample)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(ready.protocol, 1);
    assert!(ready.worker.starts_with("client "));
    assert_eq!((sample.completed, sample.errors.len()), (50, 0));
    let usage = sample.usage.as_ref().unwrap();
    assert!(usage.user_ns.is_some() && usage.sys_ns.is_some() && usage.peak_rss_bytes.unwrap() > 0);
}

#[test]
fn what_cannot_be_done_is_said_with_what_to_do() {
    let address = "127.0.0.1:1".parse().unwrap();
    let change = |change: fn(&mut LoadJob)| {
        let mut job = job(address, 1);
        change(&mut job);
        job_line(job)
    };
    for (line, words) in [
        ("dance\n".to_owned(), "not a protocol message"),
        (Request::Run { warmup: false }.to_line(), "send the job first"),
        (change(|job| job.targets = vec!["localhost:80".into()]), "write address and port, such as 127.0.0.1:8080"),
        (change(|job| job.targets.clear()), "no targets"),
        (change(|job| job.requests.clear()), "no requests"),
        (change(|job| job.threads = 5), "5 threads for 4 connections"),
        (change(|job| job.timeout_ns = 0), "timeout_ns"),
        (change(|job| job.requests[0].path = "a b".into()), "request 1 of the job cannot be sent"),
        (change(|job| job.worker_header = Some("a b".into())), "worker_header"),
        (job_line(job(address, 0)), "at least 1"),
        (job_line(job(address, 1)).replace("\"protocol\":1", "\"protocol\":2"), "protocol 2"),
    ] {
        let output = talk(Command::new(CLIENT), &line);
        let replies = replies(&output);
        assert_eq!(replies.len(), 1);
        assert!(message(&replies[0]).contains(words), "{replies:?}");
    }
}

#[test]
fn a_job_for_another_worker_is_unsupported() {
    let line = r#"{"type":"job","protocol":1,"kind":"batch","model":"sequential","workers":1,"lock":"none","tasks":1,"task":{"op":"burn","iterations":1}}"#;
    let output = talk(Command::new(CLIENT), &format!("{line}\n"));
    assert!(matches!(&replies(&output)[..], [Reply::Unsupported { .. }]));
}

#[test]
fn too_few_open_files_are_named_before_the_start() {
    let mut job = job("127.0.0.1:1".parse().unwrap(), 1);
    job.connections = 500;
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 64 && exec \"$0\"", CLIENT]);
    let output = talk(command, &job_line(job));
    let replies = replies(&output);
    for words in ["500 connections need 534 open files", "may have 64", "RLIMIT_NOFILE", "ulimit"] {
        assert!(message(&replies[0]).contains(words), "{replies:?}");
    }
}

#[test]
fn a_soft_limit_is_raised_as_far_as_the_hard_one_allows() {
    let server = Server::start(|_, stream| each_request(stream, |_| Some(answer("200 OK", "ok"))));
    let mut job = job(server.address, 300);
    job.connections = 100;
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 64 && exec \"$0\"", CLIENT]);
    let output = talk(command, &(job_line(job) + &Request::Run { warmup: false }.to_line()));
    let replies = replies(&output);
    let [Reply::Ready(_), Reply::Load(sample)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!((sample.completed, sample.max_in_flight), (300, 100));
}
