//! The worker as a person drives it by hand: lines in, lines out, an exit status.

mod support;

use protocol::{Model, Reply, Task};
use support::{Worker, job};

#[test]
fn a_job_and_a_run_give_a_sample_with_its_evidence() {
    let mut worker = Worker::start();
    worker.accept(job(Model::Threads, 2, Task::Burn { iterations: 300 }));
    let sample = worker.run();
    assert_eq!((sample.tasks, sample.checksum.as_str()), (7, "3551afa3170a1475"));
    assert_eq!(sample.workers.iter().sum::<u64>(), 7);
    let usage = sample.usage.unwrap();
    assert_eq!(usage.processes, Some(1));
    assert!(usage.voluntary_switches.is_some());
    #[cfg(target_os = "linux")]
    assert!(usage.peak_rss_bytes.unwrap() > 500_000);
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn every_operation_of_this_worker_is_done() {
    for (task, checksum) in [
        (Task::SumOfSquares { n: 300 }, "f17f45ed302ed134"),
        (Task::Burn { iterations: 300 }, "3551afa3170a1475"),
        (Task::Primes { limit: 100 }, "2590131bddf0af3d"),
    ] {
        let mut worker = Worker::start();
        worker.accept(job(Model::Sequential, 1, task));
        assert_eq!(worker.run().checksum, checksum);
    }
}

#[test]
fn an_operation_of_the_other_worker_is_unsupported_and_says_whose_it_is() {
    let mut worker = Worker::start();
    worker.say(r#"{"type":"job","protocol":1,"kind":"batch","model":"async","workers":1,"lock":"none","tasks":1,"task":{"op":"wait","io_ns":1}}"#);
    assert_eq!(worker.hear(), Reply::Unsupported { message: "cpu-worker does not do wait: io-worker does".to_owned() });
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn an_unknown_operation_is_unsupported() {
    let mut worker = Worker::start();
    worker.say(r#"{"type":"job","protocol":1,"kind":"batch","model":"async","workers":1,"lock":"none","tasks":1,"task":{"op":"dream"}}"#);
    let Reply::Unsupported { message } = worker.hear() else { panic!("not refused") };
    assert!(message.contains("`dream`"), "{message}");
}

#[test]
fn a_job_that_cannot_be_done_is_an_error() {
    let mut worker = Worker::start();
    worker.say(r#"{"type":"job","protocol":1,"kind":"batch","model":"threads","workers":0,"lock":"none","tasks":1,"task":{"op":"burn","iterations":1}}"#);
    assert_eq!(worker.hear(), Reply::Error { message: "workers is 0: a job needs at least one".to_owned() });
}

#[test]
fn a_line_that_is_not_json_is_answered_and_ends_the_worker() {
    let mut worker = Worker::start();
    worker.say("{\"type\":");
    let message = worker.error_of_run();
    assert!(message.starts_with("not a protocol message"), "{message}");
    assert_eq!(worker.end().code(), Some(1));
}

#[test]
fn another_protocol_version_is_refused_with_both_numbers() {
    let mut worker = Worker::start();
    worker.say(r#"{"type":"job","protocol":2,"kind":"batch"}"#);
    let message = worker.error_of_run();
    assert!(message.contains("protocol 2") && message.contains("protocol 1"), "{message}");
    assert_eq!(worker.end().code(), Some(1));
}

#[test]
fn an_end_of_input_is_an_end_without_complaint() {
    assert_eq!(Worker::start().end().code(), Some(0));
}
