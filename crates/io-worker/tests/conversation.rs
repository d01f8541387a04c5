//! The worker as a person drives it by hand: all lines at once into a pipe.

use std::{
    io::Write,
    process::{Command, ExitStatus, Stdio},
};

use protocol::{Lock, Model, Reply};

fn say(lines: &[String]) -> (Vec<Reply>, ExitStatus) {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_io-worker"))
        .env_remove(protocol::PARENT_PID_VARIABLE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    worker.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let output = worker.wait_with_output().unwrap();
    let replies = String::from_utf8(output.stdout).unwrap();
    (replies.lines().map(|line| Reply::from_line(line).unwrap()).collect(), output.status)
}

fn job(model: Model, lock: Lock, task: &str) -> String {
    format!(
        r#"{{"type":"job","protocol":1,"kind":"batch","model":"{model}","workers":3,"lock":"{lock}","tasks":7,"steps":2,"task":{task}}}"#
    )
}

fn run() -> String {
    r#"{"type":"run","warmup":false}"#.to_owned()
}

#[test]
fn both_operations_give_the_same_under_every_model_and_lock() {
    for (task, checksum) in [
        (r#"{"op":"wait","io_ns":100000}"#, "af5a5c3583097f60"),
        (r#"{"op":"wait-and-burn","io_ns":100000,"iterations":300}"#, "3551afa3170a1475"),
    ] {
        for &model in Model::ALL.iter().filter(|model| model.language().is_none()) {
            for &lock in Lock::ALL {
                let (replies, status) = say(&[job(model, lock, task), run(), run()]);
                let [Reply::Ready(ready), Reply::Sample(first), Reply::Sample(second)] = &replies[..] else {
                    panic!("{model} {lock}: {replies:?}")
                };
                assert!(ready.worker.starts_with("io-worker "));
                assert_eq!([&first.checksum, &second.checksum], [checksum; 2], "{model} {lock} {task}");
                assert_eq!(first.workers.iter().sum::<u64>(), 7, "{model} {lock} {task}");
                assert!(first.elapsed_ns >= 200_000, "{model} {lock}: two waits of 0.1 ms in {} ns", first.elapsed_ns);
                assert!(status.success());
            }
        }
    }
}

#[test]
fn an_operation_of_the_other_worker_is_unsupported_and_says_whose_it_is() {
    let (replies, status) = say(&[job(Model::Async, Lock::None, r#"{"op":"primes","limit":9}"#)]);
    assert_eq!(replies, [Reply::Unsupported { message: "io-worker does not do primes: cpu-worker does".to_owned() }]);
    assert!(status.success());
}

#[test]
fn a_line_that_is_not_json_is_answered_and_ends_the_worker() {
    let (replies, status) = say(&["wait".to_owned(), run()]);
    assert!(matches!(&replies[..], [Reply::Error { message }] if message.contains("\"wait\"")), "{replies:?}");
    assert_eq!(status.code(), Some(1));
}
