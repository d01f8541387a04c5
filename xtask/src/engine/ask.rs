//! Asks a program one thing, such as its version: runs it to its end, for a limited time and for a limited answer.

use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::linux;
use super::process::describe;
use super::spawn::WorkerCommand;

/// How much of an answer is kept; what comes after is read and forgotten.
const LONGEST_ANSWER: u64 = 64 * 1024;
/// How often it is looked whether the program has ended.
const POLL: Duration = Duration::from_millis(2);

/// What a program said, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

/// Why a program gave no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// It could not be started.
    NotStarted(io::Error),
    /// It did not end in time and was killed.
    TimedOut(Duration),
    /// It ended, and not well.
    Failed(Answer),
}

impl fmt::Display for NoAnswer {
    /// The second half of a sentence: `could not be started: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(error) => write!(f, "could not be started: {error}"),
            Self::TimedOut(limit) => write!(f, "did not answer within {}", humantime::format_duration(*limit)),
            Self::Failed(answer) => {
                let said = [&answer.stderr, &answer.stdout].into_iter().find_map(|text| text.trim().lines().last());
                write!(f, "{}", describe(answer.status))?;
                said.map_or(Ok(()), |said| write!(f, ": {said}"))
            }
        }
    }
}

/// Runs a program to its end, its stdin empty, and tells what it wrote. The program and all that it starts die with the
/// thread that asks.
///
/// # Errors
/// It could not be started, did not end within `limit`, or ended with another status than 0.
pub fn ask(command: &WorkerCommand, limit: Duration) -> Result<Answer, NoAnswer> {
    let mut builder = Command::new(&command.program);
    builder.args(&command.arguments).envs(command.environment.iter().map(|(name, value)| (name, value)));
    builder.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    if let Some(folder) = &command.folder {
        builder.current_dir(folder);
    }
    linux::die_with_parent(&mut builder);
    let mut child = builder.spawn().map_err(NoAnswer::NotStarted)?;
    let deadline = Instant::now() + limit;
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let status = wait(&mut child, deadline);
    let stdout = text(&stdout, deadline);
    let stderr = text(&stderr, deadline);
    // Whatever it left holds a pipe or nothing of ours; its group is of no use to anybody.
    let _ = kill(Pid::from_raw(-child.id().cast_signed()), Signal::SIGKILL);
    let (Some(status), Some(stdout), Some(stderr)) = (status, stdout, stderr) else {
        let _ = child.wait();
        return Err(NoAnswer::TimedOut(limit));
    };
    let answer = Answer { status, stdout, stderr };
    if answer.status.success() { Ok(answer) } else { Err(NoAnswer::Failed(answer)) }
}

fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(POLL);
    }
}

/// Reads a pipe to its end in a thread of its own: whoever holds the pipe for ever holds that thread only.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.by_ref().take(LONGEST_ANSWER).read_to_end(&mut bytes);
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn text(pipe: &Receiver<String>, deadline: Instant) -> Option<String> {
    pipe.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Answer, NoAnswer> {
        let arguments = vec!["-c".to_owned(), script.to_owned()];
        ask(&WorkerCommand { arguments, ..WorkerCommand::of("/bin/sh".into()) }, limit)
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn what_a_program_writes_is_its_answer() {
        let answer = shell("echo one; echo two >&2", LONG).unwrap();
        assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("one\n", "two\n"));
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let error = shell("echo nothing; echo 'no such option' >&2; exit 3", LONG).unwrap_err();
        assert_eq!(error.to_string(), "exited with status 3: no such option");
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_all_that_it_started() {
        let error = shell("sleep 30 & sleep 30", Duration::from_millis(100)).unwrap_err();
        assert_eq!(error.to_string(), "did not answer within 100ms");
    }

    #[test]
    fn a_pipe_that_somebody_else_holds_does_not_hang() {
        let error = shell("sleep 30 & exit 0", Duration::from_millis(100)).unwrap_err();
        assert_eq!(error.to_string(), "did not answer within 100ms");
    }

    #[test]
    fn of_a_flood_only_the_beginning_is_kept() {
        let answer = shell("head -c 1000000 /dev/zero", LONG).unwrap();
        assert_eq!(answer.stdout.len(), 64 * 1024);
    }

    #[test]
    fn a_program_that_is_not_there_could_not_be_started() {
        let error = ask(&WorkerCommand::of("/no/such/program".into()), LONG).unwrap_err();
        assert!(error.to_string().starts_with("could not be started: No such file"), "{error}");
    }
}
