//! Lines: what a worker makes of empty ones, wrong ones, those of another version, and of words and fields that nobody
//! knows.

use indexmap::IndexMap;
use protocol::{Job, Reply, Request};
use serde_json::{Value, json};

use super::Inspector;
use super::ledger::{Breach, Ledger};
use super::rules::Rule;
use super::support::Known;
use super::talk::{Answer, Stop, Talk};

/// A version that no orchestrator speaks.
const OTHER_VERSION: u32 = 999;
const WORD: &str = "no-such-word";

/// The fields of a message, in their order.
type Fields = IndexMap<String, Value>;

pub(super) fn check(inspector: &Inspector<'_>, known: &Known, ledger: &mut Ledger) -> Result<(), Stop> {
    let base = object(&known.base);

    let mut talk = inspector.start()?;
    talk.send("");
    ledger.note(Rule::EmptyLine, is_ready(&mut talk, &line(&base), "before the job")?);
    ready(&mut talk, &known.base, ledger);
    ledger.note(Rule::OnlyAnswers, silent(&mut talk, "after `ready`")?);
    talk.end();

    let mut talk = inspector.start()?;
    let mut more = base.clone();
    more.insert("of_a_later_version".to_owned(), json!({ "nested": [1, null, "text"] }));
    ledger.note(Rule::UnknownFields, is_ready(&mut talk, &line(&more), "a job")?);
    if !matches!(known.base, Job::Load(_)) {
        let run = r#"{"type":"run","warmup":false,"of_a_later_version":7}"#;
        let answer = talk.ask(run)?;
        let good = matches!(answer, Answer::Reply(Reply::Sample(_) | Reply::Served(_)));
        let breach = || talk.breach("a run", "the answer to a run");
        ledger.note(Rule::UnknownFields, if good { Ok(()) } else { Err(breach()) });
        ledger.note(Rule::OnlyAnswers, silent(&mut talk, "after a run")?);
    }
    talk.end();

    // `type` last, the others backwards.
    let mut talk = inspector.start()?;
    let fields: Vec<String> = base.iter().map(|(key, value)| format!("{}:{value}", json!(key))).rev().collect();
    let backwards = format!("{{{}}}", fields.join(","));
    ledger.note(Rule::FieldOrder, is_ready(&mut talk, &backwards, "a job backwards")?);
    talk.end();

    for (case, job) in unknown_words(&base) {
        let mut talk = inspector.start()?;
        let answer = talk.ask(&job)?;
        let result = match answer {
            // Only then is it asked whether it goes on.
            Answer::Reply(Reply::Unsupported { .. }) => match known.takes_second_job {
                true => is_ready(&mut talk, &line(&base), &format!("{case}, then a good job"))?,
                false => Ok(()),
            },
            _ => Err(talk.breach(&case, "`unsupported`")),
        };
        ledger.note(Rule::UnknownWords, result);
        talk.end();
    }

    let mut other = base.clone();
    other.insert("protocol".to_owned(), json!(OTHER_VERSION));
    let stranger = format!(r#"{{"type":"job","protocol":{OTHER_VERSION},"work":["of","another","shape"]}}"#);
    for (case, job) in [("the same job", line(&other)), ("a job of another shape", stranger)] {
        let names = |message: &str| message.contains("999") && message.contains(&protocol::VERSION.to_string());
        let expected = format!("an `error` that names both versions, {OTHER_VERSION} and {}", protocol::VERSION);
        ledger.note(Rule::OtherVersion, fatal(inspector, &job, case, &expected, names)?);
    }
    let run = Request::Run { warmup: false }.to_line();
    ledger.note(Rule::RunBeforeJob, fatal(inspector, run.trim_end(), "a run", "an `error`", |_| true)?);
    let garbage = ["hello", "{\"type\":\"job\",", "[]", "{}", "{\"type\":\"dance\"}", "\u{fffd}\u{0}"];
    for text in garbage {
        let case = format!("the line {text:?}");
        ledger.note(Rule::Garbage, fatal(inspector, text, &case, "an `error`", |_| true)?);
    }
    Ok(())
}

/// The fields as a line.
fn line(fields: &Fields) -> String {
    serde_json::to_string(fields).expect("fields have names")
}

/// A job as an object.
fn object(job: &Job) -> Fields {
    let line = Request::Job { protocol: protocol::VERSION, job: job.clone() }.to_line();
    serde_json::from_str(&line).expect("a job is an object")
}

/// The job with a word that nobody knows, in each place where it has a word.
fn unknown_words(job: &Fields) -> Vec<(String, String)> {
    let mut jobs = Vec::new();
    for key in ["kind", "model", "lock", "listen"] {
        if job.get(key).is_some_and(Value::is_string) {
            let mut other = job.clone();
            other.insert(key.to_owned(), json!(WORD));
            jobs.push((format!("`{key}`"), line(&other)));
        }
    }
    for (key, inner) in [("task", "op"), ("pace", "loop"), ("expect", "answer")] {
        let mut other = job.clone();
        if let Some(Value::Object(table)) = other.get_mut(key) {
            table.insert(inner.to_owned(), json!(WORD));
            jobs.push((format!("`{inner}`"), line(&other)));
        }
    }
    jobs
}

/// Whether a line is answered with `ready`.
fn is_ready(talk: &mut Talk, line: &str, case: &str) -> Result<Result<(), Breach>, Stop> {
    Ok(match talk.ask(line)? {
        Answer::Reply(Reply::Ready(_)) => Ok(()),
        _ => Err(talk.breach(case, "`ready`")),
    })
}

/// What `ready` says.
fn ready(talk: &mut Talk, job: &Job, ledger: &mut Ledger) {
    // `is_ready` has heard it; ask again only if it was heard.
    let Some(ready) = talk.last_ready() else { return };
    let fields =
        ready.protocol == protocol::VERSION && !ready.worker.trim().is_empty() && !ready.runtime.trim().is_empty();
    let expected = "`protocol` 1, and a name and version each as `worker` and `runtime`";
    ledger.note(Rule::ReadyFields, if fields { Ok(()) } else { Err(talk.breach("a job", expected)) });
    let listens = matches!(job, Job::Serve(_) | Job::Mail(_));
    let expected = if listens { "`ready` with at least one port" } else { "`ready` without ports: it is no server" };
    let ports = ready.ports.is_empty() != listens;
    ledger.note(Rule::ReadyPorts, if ports { Ok(()) } else { Err(talk.breach("a job", expected)) });
}

/// Whether nothing comes that nobody asked for.
fn silent(talk: &mut Talk, case: &str) -> Result<Result<(), Breach>, Stop> {
    Ok(match talk.unasked()? {
        None => Ok(()),
        Some(line) => Err(talk.breach_by(case, line, "nothing more until the next line is sent")),
    })
}

/// Whether a first line is answered with an `error` of which `good` is true, and ends the worker with a status that is
/// not 0, without its stdin being ended.
fn fatal(
    inspector: &Inspector<'_>,
    line: &str,
    case: &str,
    expected: &str,
    good: impl Fn(&str) -> bool,
) -> Result<Result<(), Breach>, Stop> {
    let mut talk = inspector.start()?;
    let answer = talk.ask(line)?;
    let result = match answer {
        Answer::Reply(Reply::Error { message }) if good(&message) => {
            let (wrote, status) = talk.wait_for_end(inspector.limits.exit)?;
            match (wrote, status) {
                (None, Some(status)) if !status.success() => Ok(()),
                (Some(line), _) => Err(talk.breach_by(case, line, "nothing after the `error`")),
                _ => Err(talk.breach(case, "after the `error` it exits with a status that is not 0")),
            }
        }
        _ => Err(talk.breach(case, expected)),
    };
    talk.end();
    Ok(result)
}
