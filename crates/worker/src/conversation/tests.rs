use protocol::{Sample, Served, Task, Usage};

use super::*;

const IDENTITY: Identity = Identity { name: "test-worker", version: "0.0.0" };
const JOB: &str = r#"{"type":"job","protocol":1,"kind":"batch","model":"sequential","workers":1,"lock":"none","tasks":1,"task":{"op":"burn","iterations":1}}"#;
const RUN: &str = r#"{"type":"run","warmup":false}"#;

/// Takes burns only. A number of iterations that is not 1 is a way to fail.
struct Scripted;

impl Handler for Scripted {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        let Job::Batch(job) = job else { panic!("not a batch: {job:?}") };
        match job.task {
            Task::Burn { iterations: 10 } => panic!("no preparation"),
            Task::Burn { iterations } => Ok(Box::new(Run(iterations))),
            _ => Err(Refusal::Unsupported("burns only".to_owned())),
        }
    }
}

struct Run(u64);

impl Prepared for Run {
    fn facts(&self) -> std::collections::BTreeMap<String, Value> {
        [("scripted".to_owned(), Value::Bool(true))].into()
    }

    fn ports(&self) -> Vec<u16> {
        vec![4000]
    }

    fn run(&mut self, _warmup: bool) -> Result<Answer> {
        match self.0 {
            2 => bail!("out of luck"),
            3 => panic!("out of range"),
            5 => Ok(Answer::Served(Served { requests: vec![7], connections: vec![1], usage: None })),
            iterations => Ok(Answer::Sample {
                lock_wait_ns: (iterations == 6).then_some(9),
                sample: Sample {
                    elapsed_ns: 5,
                    setup_ns: 1,
                    tasks: 1,
                    checksum: "00".to_owned(),
                    workers: vec![1],
                    usage: matches!(iterations, 4 | 6).then(|| Usage {
                        processes: Some(2),
                        lock_wait_ns: (iterations == 6).then_some(1),
                        ..Usage::default()
                    }),
                },
            }),
        }
    }
}

fn say(lines: &[&str]) -> (Vec<Reply>, Result<()>) {
    let mut output = Vec::new();
    let ending = converse(lines.join("\n").as_bytes(), &mut output, &IDENTITY, &Scripted);
    let replies = String::from_utf8(output).unwrap().lines().map(|line| Reply::from_line(line).unwrap()).collect();
    (replies, ending)
}

fn burn(iterations: u64) -> String {
    JOB.replace("\"iterations\":1", &format!("\"iterations\":{iterations}"))
}

fn error(message: &str) -> Reply {
    Reply::Error { message: message.to_owned() }
}

#[test]
fn a_job_is_answered_with_what_the_worker_is() {
    let (replies, ending) = say(&[JOB]);
    let [Reply::Ready(ready)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!((ready.protocol, ready.worker.as_str(), &ready.ports[..]), (1, "test-worker 0.0.0", &[4000][..]));
    assert!(ready.runtime.starts_with("rust 1."), "{}", ready.runtime);
    assert_eq!(ready.facts["scripted"], true);
    assert!(ready.facts["usable_cpus"].as_u64().unwrap() >= 1);
    ending.unwrap();
}

#[test]
fn every_run_is_answered_with_a_sample_that_has_its_usage() {
    let (replies, ending) = say(&[JOB, RUN, "", RUN]);
    let [_, Reply::Sample(first), Reply::Sample(_)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(first.elapsed_ns, 5);
    assert_eq!(first.usage.as_ref().unwrap().processes, Some(1));
    ending.unwrap();
}

#[test]
fn waiting_for_the_lock_is_added_up_where_there_is_one() {
    let waited = |iterations| {
        let (replies, _) = say(&[&burn(iterations), RUN]);
        let Reply::Sample(sample) = &replies[1] else { panic!("{replies:?}") };
        sample.usage.as_ref().unwrap().lock_wait_ns
    };
    assert_eq!(waited(6), Some(10), "9 in this process, 1 in its children");
    assert_eq!([waited(1), waited(4)], [None; 2]);
}

#[test]
fn the_usage_of_child_processes_is_added() {
    let (replies, _) = say(&[&burn(4), RUN]);
    let Reply::Sample(sample) = &replies[1] else { panic!("{replies:?}") };
    assert_eq!(sample.usage.as_ref().unwrap().processes, Some(3));
}

#[test]
fn nothing_said_is_nothing_answered() {
    let (replies, ending) = say(&[]);
    assert_eq!(replies, []);
    ending.unwrap();
}

#[test]
fn a_failed_run_is_an_error_line_and_the_next_line_is_read() {
    let (replies, ending) = say(&[&burn(2), RUN, RUN]);
    assert_eq!(replies[1..], [error("out of luck"), error("out of luck")]);
    ending.unwrap();
}

#[test]
fn a_panic_is_an_error_line_wherever_it_happens() {
    let (replies, ending) = say(&[&burn(3), RUN, &burn(10), JOB, RUN]);
    assert_eq!(replies[1..3], [error("panicked: out of range"), error("panicked: no preparation")]);
    assert!(matches!(replies[3..], [Reply::Ready(_), Reply::Sample(_)]), "{replies:?}");
    ending.unwrap();
}

#[test]
fn a_run_without_a_job_ends_the_conversation() {
    let (replies, ending) = say(&[RUN, JOB]);
    assert_eq!(replies, [error("a run was asked for before there was a job that can be run")]);
    ending.unwrap_err();
}

#[test]
fn a_refused_job_leaves_no_earlier_job_behind() {
    let wait = JOB.replace(r#""op":"burn","iterations":1"#, r#""op":"wait","io_ns":1"#);
    let (replies, _) = say(&[JOB, &wait, RUN]);
    assert_eq!(replies[1], Reply::Unsupported { message: "burns only".to_owned() });
    assert_eq!(replies[2], error("a run was asked for before there was a job that can be run"));
}

#[test]
fn another_version_is_refused_by_number_whatever_else_the_job_says() {
    let expected = "the job speaks protocol 2, this worker protocol 1: build both from the same source";
    for job in [JOB.replace("\"protocol\":1", "\"protocol\":2"), r#"{"type":"job","protocol":2,"plan":[]}"#.to_owned()]
    {
        let (replies, ending) = say(&[&job, RUN]);
        assert_eq!(replies[..], [error(expected)]);
        ending.unwrap_err();
    }
}

#[test]
fn an_unknown_word_is_unsupported_and_names_the_word() {
    let changes = [
        (r#""kind":"batch""#, r#""kind":"http""#, "http"),
        (r#""model":"sequential""#, r#""model":"actors""#, "actors"),
        (r#""lock":"none""#, r#""lock":"big""#, "big"),
        (r#""op":"burn""#, r#""op":"dream""#, "dream"),
    ];
    for (from, to, word) in changes {
        let (replies, ending) = say(&[&JOB.replace(from, to)]);
        let [Reply::Unsupported { message }] = &replies[..] else { panic!("{replies:?}") };
        assert!(message.contains(&format!("unknown variant `{word}`")), "{message}");
        ending.unwrap();
    }
}

#[test]
fn an_unknown_field_is_ignored() {
    let (replies, _) = say(&[&JOB.replace("\"workers\":1", "\"workers\":1,\"colour\":\"red\"")]);
    assert!(matches!(replies[..], [Reply::Ready(_)]), "{replies:?}");
}

#[test]
fn a_line_that_is_no_message_is_quoted_and_ends_the_conversation() {
    for line in ["hello", "{}", r#"{"type":"dance"}"#, r#"{"type":"job","protocol":1,"kind":"batch"}"#, "\u{0}"] {
        let (replies, ending) = say(&[line, JOB]);
        let [Reply::Error { message }] = &replies[..] else { panic!("{replies:?}") };
        assert!(message.starts_with("not a protocol message: "), "{message}");
        ending.unwrap_err();
    }
}

#[test]
fn bytes_that_are_no_text_are_no_message() {
    let mut output = Vec::new();
    converse(&b"\xff\xfe\n"[..], &mut output, &IDENTITY, &Scripted).unwrap_err();
    assert!(String::from_utf8(output).unwrap().contains("not a protocol message"));
}

#[test]
fn what_a_server_counted_is_passed_on_as_it_is() {
    let (replies, ending) = say(&[&burn(5), RUN]);
    assert!(ending.is_ok());
    assert_eq!(replies[1], Reply::Served(Served { requests: vec![7], connections: vec![1], usage: None }));
}
