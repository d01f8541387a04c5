//! Lines in, lines out: the worker's side of the protocol.

use std::{
    io::{BufRead, Write},
    thread::available_parallelism,
};

use anyhow::{Context, Result, bail};
use protocol::{BatchJob, Job, MalformedLine, Ready, Reply, Request, Usage, VERSION};
use serde_json::Value;

use crate::{Answer, Handler, Identity, Prepared, Refusal, panics::caught, usage::Meter};

/// What executes our tasks.
const RUNTIME: &str = concat!("rust ", env!("RUSTC_VERSION"));

/// Answers every line of `input` on `output` until `input` ends.
///
/// A job that is refused and a run that fails are answered and the conversation goes on.
///
/// # Errors
/// A line is no message of this protocol, or of another version, or comes out of order: it is answered with an error
/// line, and the conversation is over. Or a line could not be read or written.
pub fn converse(
    input: impl BufRead,
    mut output: impl Write,
    identity: &Identity,
    handler: &impl Handler,
) -> Result<()> {
    let mut prepared = None;
    for line in input.split(b'\n') {
        let line = line.context("cannot read stdin")?;
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        match answer(&line, &mut prepared, identity, handler) {
            Ok(reply) => send(&mut output, &reply)?,
            Err(error) => {
                send(&mut output, &Reply::Error { message: format!("{error:#}") })?;
                return Err(error);
            }
        }
    }
    Ok(())
}

fn send(output: &mut impl Write, reply: &Reply) -> Result<()> {
    output.write_all(reply.to_line().as_bytes()).and_then(|()| output.flush()).context("cannot write to stdout")
}

/// The answer to one line. An error breaks the rules of the conversation and ends it.
fn answer(
    line: &str,
    prepared: &mut Option<Box<dyn Prepared>>,
    identity: &Identity,
    handler: &impl Handler,
) -> Result<Reply> {
    match Request::from_line(line) {
        Ok(Request::Job { protocol, job }) => {
            same_version(u64::from(protocol))?;
            Ok(prepare(job, prepared, identity, handler))
        }
        Ok(Request::Run { warmup }) => {
            let prepared = prepared.as_mut().context("a run was asked for before there was a job that can be run")?;
            Ok(match caught(|| measure(prepared.as_mut(), warmup)) {
                Ok(answer) => answer.into(),
                Err(error) => Reply::Error { message: format!("{error:#}") },
            })
        }
        Err(malformed) => not_understood(line, malformed),
    }
}

fn prepare(job: Job, prepared: &mut Option<Box<dyn Prepared>>, identity: &Identity, handler: &impl Handler) -> Reply {
    // A job that is refused leaves none behind: its runs must not measure an earlier job.
    *prepared = None;
    if let Job::Batch(BatchJob { model, .. }) = &job
        && let Some(language) = model.language()
    {
        return Reply::Unsupported { message: format!("Rust has no {model}: a worker for {language} may do it") };
    }
    match caught(|| Ok(handler.prepare(job))) {
        Ok(Ok(job)) => {
            let mut facts = job.facts();
            let cpus = available_parallelism().map_or(Value::Null, |cpus| cpus.get().into());
            facts.insert("usable_cpus".to_owned(), cpus);
            let ready = Ready {
                protocol: VERSION,
                worker: format!("{} {}", identity.name, identity.version),
                runtime: RUNTIME.to_owned(),
                facts,
                ports: job.ports(),
            };
            *prepared = Some(job);
            Reply::Ready(ready)
        }
        Ok(Err(Refusal::Unsupported(message))) => Reply::Unsupported { message },
        Ok(Err(Refusal::Failed(error))) | Err(error) => Reply::Error { message: format!("{error:#}") },
    }
}

fn measure(prepared: &mut dyn Prepared, warmup: bool) -> Result<Answer> {
    let meter = Meter::start();
    let mut answer = prepared.run(warmup)?;
    match &mut answer {
        Answer::Sample { sample, lock_wait_ns } => {
            let cost = match sample.usage.take() {
                Some(children) => meter.stop_with(children, *lock_wait_ns),
                None => Usage { lock_wait_ns: *lock_wait_ns, ..meter.stop_with_programs() },
            };
            sample.usage = Some(cost);
        }
        Answer::Load(sample) => sample.usage = Some(meter.stop()),
        // A server works between the run requests, so it has counted for itself.
        Answer::Served(_) => {}
    }
    Ok(answer)
}

fn same_version(theirs: u64) -> Result<()> {
    if theirs != u64::from(VERSION) {
        bail!("the job speaks protocol {theirs}, this worker protocol {VERSION}: build both from the same source");
    }
    Ok(())
}

/// The answer to a line that is not a request of this version. What is wrong is found in the order in which it matters:
/// a job of another version may differ in anything else; one of this version may only use a word that is not known here.
fn not_understood(line: &str, malformed: MalformedLine) -> Result<Reply> {
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    if value["type"] == "job" {
        if let Some(theirs) = value["protocol"].as_u64() {
            same_version(theirs)?;
        }
        // serde's words for a value of an enum that does not exist.
        if malformed.reason.starts_with("unknown variant") {
            return Ok(Reply::Unsupported {
                message: format!("this worker does not know a word of the job: {}", malformed.reason),
            });
        }
    }
    Err(malformed.into())
}

#[cfg(test)]
mod tests;
