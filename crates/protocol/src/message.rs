//! The lines themselves: one JSON object each.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Job, LoadSample, Ready, Sample, Served, VERSION};

/// A line to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// What to do; the first line.
    Job {
        /// The protocol version that the orchestrator speaks.
        protocol: u32,
        /// The work.
        #[serde(flatten)]
        job: Job,
    },
    /// One repetition.
    Run {
        /// Whether this repetition only warms up. A worker does the same work either way.
        warmup: bool,
    },
}

/// A line from the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// The answer to a job that the worker can do.
    Ready(Ready),
    /// The answer to a job that the worker understands but cannot do, and why.
    Unsupported {
        /// One sentence for a person.
        message: String,
    },
    /// The answer to a run of a batch.
    Sample(Sample),
    /// The answer to a run by a server.
    Served(Served),
    /// The answer to a run by a load generator.
    Load(Box<LoadSample>),
    /// Instead of a ready or a sample: what went wrong.
    Error {
        /// One sentence for a person.
        message: String,
    },
}

/// A line that is not a message of this protocol.
#[derive(Debug)]
pub struct MalformedLine {
    /// The line, shortened for a report.
    pub line: String,
    /// What the JSON reader said.
    pub reason: String,
}

impl fmt::Display for MalformedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a protocol message: {:?} ({})", self.line, self.reason)
    }
}

impl std::error::Error for MalformedLine {}

/// How much of a malformed line a report shows, in characters.
const EXCERPT_CHARS: usize = 120;

fn decode<T: for<'de> Deserialize<'de>>(line: &str) -> Result<T, MalformedLine> {
    serde_json::from_str(line.trim_end()).map_err(|error| MalformedLine {
        line: line.trim_end().chars().take(EXCERPT_CHARS).collect(),
        reason: error.to_string(),
    })
}

fn encode<T: Serialize>(message: &T) -> String {
    let mut line = serde_json::to_string(message).expect("messages have string keys only");
    line.push('\n');
    line
}

impl Request {
    /// Reads one line.
    ///
    /// # Errors
    /// The line is not JSON, or not a request that this version knows.
    pub fn from_line(line: &str) -> Result<Self, MalformedLine> {
        decode(line)
    }

    /// The line, with its line feed.
    #[must_use]
    pub fn to_line(&self) -> String {
        encode(self)
    }
}

impl Reply {
    /// Whether a child process that is the same program as this one took its job.
    ///
    /// # Errors
    /// It did not: what goes on after the child's name, for a person.
    pub fn takes_the_job(&self) -> Result<(), String> {
        match self {
            Self::Ready(ready) if ready.protocol == VERSION => Ok(()),
            Self::Ready(ready) => {
                Err(format!("speaks protocol {}, this worker {VERSION}: was the program replaced?", ready.protocol))
            }
            reply => Err(format!("refused its job: {}", reply.why_not())),
        }
    }

    /// What a reply says that is not the one that was waited for.
    #[must_use]
    pub fn why_not(&self) -> String {
        match self {
            Self::Error { message } | Self::Unsupported { message } => message.clone(),
            Self::Ready(_) => "it said ready when it should not".to_owned(),
            Self::Sample(_) | Self::Served(_) | Self::Load(_) => "it sent a sample when it should not".to_owned(),
        }
    }

    /// Reads one line.
    ///
    /// # Errors
    /// The line is not JSON, or not a reply that this version knows.
    pub fn from_line(line: &str) -> Result<Self, MalformedLine> {
        decode(line)
    }

    /// The line, with its line feed.
    #[must_use]
    pub fn to_line(&self) -> String {
        encode(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BatchJob, Lock, Model, Task};

    #[test]
    fn a_job_is_one_flat_object() {
        let line = r#"{"type":"job","protocol":1,"kind":"batch","model":"work-stealing","workers":2,"lock":"gil","switch_interval_ns":null,"tasks":32,"first_task":0,"steps":5,"task":{"op":"wait-and-burn","io_ns":1000,"iterations":7}}"#;
        let job = Request::Job {
            protocol: 1,
            job: Job::Batch(BatchJob {
                model: Model::WorkStealing,
                workers: 2,
                lock: Lock::Gil,
                switch_interval_ns: None,
                tasks: 32,
                first_task: 0,
                steps: 5,
                task: Task::WaitAndBurn { io_ns: 1000, iterations: 7 },
            }),
        };
        assert_eq!(Request::from_line(line).unwrap(), job);
        assert_eq!(job.to_line(), format!("{line}\n"));
    }

    #[test]
    fn what_may_be_left_out_has_a_default() {
        let line = r#"{"type":"job","protocol":1,"kind":"batch","model":"sequential","workers":1,"lock":"none","tasks":1,"task":{"op":"burn","iterations":1}}"#;
        let Request::Job { job: Job::Batch(job), .. } = Request::from_line(line).unwrap() else { panic!("not a job") };
        assert_eq!((job.steps, job.first_task, job.switch_interval_ns), (1, 0, None));
    }

    #[test]
    fn only_a_ready_line_of_this_version_takes_the_job() {
        let ready = |protocol| {
            let [worker, runtime] = ["cpu-worker 0.1.0", "rust 1.95"].map(str::to_owned);
            Reply::Ready(Ready { protocol, worker, runtime, facts: Default::default(), ports: Vec::new() })
        };
        assert_eq!(ready(VERSION).takes_the_job(), Ok(()));
        assert_eq!(
            ready(99).takes_the_job(),
            Err(format!("speaks protocol 99, this worker {VERSION}: was the program replaced?"))
        );
        let refusal = Reply::Unsupported { message: "no threads here".to_owned() };
        assert_eq!(refusal.takes_the_job(), Err("refused its job: no threads here".to_owned()));
    }

    #[test]
    fn a_malformed_line_is_quoted_in_part() {
        let error = Reply::from_line(&"x".repeat(500)).unwrap_err();
        assert_eq!(error.line, "x".repeat(120));
    }

    #[test]
    fn a_word_that_nobody_knows_is_refused() {
        let error = Request::from_line(r#"{"type":"dance"}"#).unwrap_err();
        assert!(error.reason.contains("dance"), "{}", error.reason);
    }
}
