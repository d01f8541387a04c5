//! One worker: what it was sent, and what it answered.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use protocol::{Job, Ready, Reply, Request};

use super::Inspector;
use super::ledger::Breach;
use crate::engine::dialogue::{Dialogue, Heard};
use crate::engine::process::describe;
use crate::engine::spawn::WorkerCommand;

/// How long it is listened for what nobody asked for. A worker that writes more writes it together with its answer.
const QUIET: Duration = Duration::from_millis(40);
/// How much of a line a report shows, in characters.
const EXCERPT_CHARS: usize = 300;

/// Why the check ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// Somebody asked for it.
    Interrupted,
    /// The program cannot be started; why.
    NotStarted(String),
}

/// What a worker did when it was sent a line.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, for a moment")]
pub(super) enum Answer {
    /// A message of the protocol.
    Reply(Reply),
    /// A line that is none.
    Malformed,
    /// It ended.
    Exited,
    /// Nothing.
    Nothing,
}

/// A worker that was started.
pub(super) struct Talk {
    dialogue: Dialogue,
    limits: super::Limits,
    sent: Vec<String>,
    /// What it did last, for a report.
    did: String,
    /// The last `ready`.
    ready: Option<Ready>,
}

impl Inspector<'_> {
    /// Starts the worker.
    pub(super) fn start(&self) -> Result<Talk, Stop> {
        self.start_as(self.command)
    }

    /// Starts it by another command.
    pub(super) fn start_as(&self, command: &WorkerCommand) -> Result<Talk, Stop> {
        if self.control.stopped() {
            return Err(Stop::Interrupted);
        }
        let dialogue = self.stage.start(command).map_err(|failure| Stop::NotStarted(failure.reason))?;
        Ok(Talk { dialogue, limits: self.limits, sent: Vec::new(), did: "nothing yet".to_owned(), ready: None })
    }
}

fn excerpt(line: &str) -> String {
    let mut text: String = line.chars().take(EXCERPT_CHARS).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}

impl Talk {
    /// Sends a line, without waiting.
    pub(super) fn send(&mut self, line: &str) {
        self.sent.push(excerpt(line));
        self.dialogue.send(line);
    }

    /// Waits for an answer.
    pub(super) fn hear(&mut self) -> Result<Answer, Stop> {
        let limit = self.limits.answer;
        let answer = match self.dialogue.hear(limit) {
            Heard::Line(line) => {
                self.did = excerpt(&line);
                match Reply::from_line(&line) {
                    Ok(reply) => {
                        if let Reply::Ready(ready) = &reply {
                            self.ready = Some(ready.clone());
                        }
                        Answer::Reply(reply)
                    }
                    Err(error) => {
                        self.did += &format!(" (no message of the protocol: {})", error.reason);
                        Answer::Malformed
                    }
                }
            }
            Heard::TooLong(beginning) => {
                self.did = format!("a line without end: {beginning}");
                Answer::Malformed
            }
            Heard::Exited(status) => {
                self.did = format!("it {}", describe(status));
                Answer::Exited
            }
            Heard::Silence(half) => {
                self.did = format!("nothing within {}", humantime::format_duration(limit));
                if !half.is_empty() {
                    self.did += &format!("; half a line: {half:?}");
                }
                Answer::Nothing
            }
            Heard::Interrupted => return Err(Stop::Interrupted),
        };
        Ok(answer)
    }

    /// Sends a line and waits for the answer.
    pub(super) fn ask(&mut self, line: &str) -> Result<Answer, Stop> {
        self.send(line);
        self.hear()
    }

    /// Sends a job, from which on a report begins.
    pub(super) fn job(&mut self, job: &Job) -> Result<Answer, Stop> {
        self.sent.clear();
        let line = Request::Job { protocol: protocol::VERSION, job: job.clone() }.to_line();
        self.ask(line.trim_end())
    }

    /// Asks for a run.
    pub(super) fn run(&mut self, warmup: bool) -> Result<Answer, Stop> {
        self.ask(Request::Run { warmup }.to_line().trim_end())
    }

    /// A job that the worker is known to do; the breach if it does not this time.
    pub(super) fn prepare(&mut self, job: &Job, case: &str) -> Result<Result<Ready, Breach>, Stop> {
        Ok(match self.job(job)? {
            Answer::Reply(Reply::Ready(ready)) => Ok(ready),
            _ => Err(self.breach(case, "`ready`, as it has been ready for this job before")),
        })
    }

    /// The last `ready` that it said.
    pub(super) fn last_ready(&self) -> Option<Ready> {
        self.ready.clone()
    }

    /// The breach of a rule by what the worker did last.
    pub(super) fn breach(&self, case: &str, expected: impl Into<String>) -> Breach {
        Breach {
            case: case.to_owned(),
            sent: self.sent.clone(),
            answered: self.did.clone(),
            expected: expected.into(),
            stderr_tail: self.dialogue.stderr_tail(),
        }
    }

    /// The breach of a rule by something else than an answer.
    pub(super) fn breach_by(&self, case: &str, did: impl Into<String>, expected: impl Into<String>) -> Breach {
        Breach { answered: did.into(), ..self.breach(case, expected) }
    }

    /// What it writes without being asked, if it does.
    pub(super) fn unasked(&mut self) -> Result<Option<String>, Stop> {
        match self.dialogue.hear(QUIET) {
            Heard::Line(line) | Heard::TooLong(line) => Ok(Some(excerpt(&line))),
            Heard::Silence(half) if !half.is_empty() => Ok(Some(half)),
            Heard::Silence(_) | Heard::Exited(_) => Ok(None),
            Heard::Interrupted => Err(Stop::Interrupted),
        }
    }

    /// Ends its stdin.
    pub(super) fn close_stdin(&mut self) {
        self.dialogue.close_stdin();
    }

    /// Waits for its end, whatever it still writes; what it wrote first, and how it ended, if it did in time.
    pub(super) fn wait_for_end(&mut self, limit: Duration) -> Result<(Option<String>, Option<ExitStatus>), Stop> {
        let mut wrote = None;
        let deadline = Instant::now() + limit;
        loop {
            match self.dialogue.hear(deadline.saturating_duration_since(Instant::now())) {
                Heard::Line(line) | Heard::TooLong(line) if wrote.is_none() => wrote = Some(excerpt(&line)),
                // More than one line is no better than one; only the clock ends a flood.
                Heard::Line(_) if Instant::now() < deadline => {}
                Heard::Line(_) | Heard::TooLong(_) | Heard::Silence(_) => {
                    self.did = format!("it did not exit within {}", humantime::format_duration(limit));
                    return Ok((wrote, None));
                }
                Heard::Exited(status) => {
                    self.did = format!("it {}", describe(status));
                    return Ok((wrote, Some(status)));
                }
                Heard::Interrupted => return Err(Stop::Interrupted),
            }
        }
    }

    /// The raw worker.
    pub(super) fn dialogue(&mut self) -> &mut Dialogue {
        &mut self.dialogue
    }

    /// Ends it; what was left of it that should not have been.
    pub(super) fn end(self) -> Vec<String> {
        self.dialogue.end()
    }
}
