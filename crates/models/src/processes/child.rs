//! One child process that speaks the worker protocol.

use std::{
    fmt,
    io::{BufRead, BufReader, Write},
    os::fd::{AsFd, BorrowedFd},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use protocol::{PARENT_PID_VARIABLE, Reply, Request};
use workloads::INPUTS_VARIABLE;

/// A running child. Dropped before [`ChildWorker::end`], it is killed and reaped.
pub struct ChildWorker {
    process: Child,
    /// Closed by taking it, which tells the child to exit.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: usize,
    of: usize,
}

impl ChildWorker {
    /// Starts this program again as child `number` of `of`, with our stderr for its stderr. `inputs` is the folder with the
    /// files that we have made for its tasks.
    pub fn start(number: usize, of: usize, inputs: Option<&Path>) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find the path of this program to start it again")?;
        let mut command = Command::new(program);
        command.env(PARENT_PID_VARIABLE, std::process::id().to_string());
        if let Some(inputs) = inputs {
            command.env(INPUTS_VARIABLE, inputs);
        }
        Self::spawn(&mut command, number, of)
    }

    fn spawn(command: &mut Command, number: usize, of: usize) -> Result<Self> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start child process {number} of {of}: {command:?}"))?;
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("stdout is piped"));
        Ok(Self { process, input, output, number, of })
    }

    /// Sends one line.
    pub fn send(&mut self, request: &Request) -> Result<()> {
        let input = self.input.as_mut().expect("open until the end");
        if input.write_all(request.to_line().as_bytes()).is_err() {
            // The pipe is broken: the reason is how the child ended.
            return Err(self.gone());
        }
        Ok(())
    }

    /// Waits for one line.
    pub fn receive(&mut self) -> Result<Reply> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).with_context(|| format!("cannot read the output of {self}"))?;
        if read == 0 {
            return Err(self.gone());
        }
        Reply::from_line(&line).with_context(|| format!("{self} answered something else"))
    }

    /// Where the child's lines come from.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.output.get_ref().as_fd()
    }

    /// Tells the child to exit and waits until it has.
    pub fn end(mut self) -> Result<()> {
        self.input = None;
        let status = self.process.wait().with_context(|| format!("cannot wait for {self}"))?;
        if !status.success() {
            bail!("{self} did its work, but then ended with {status}");
        }
        Ok(())
    }

    /// Why a child that has closed its end of a pipe is not there any more.
    fn gone(&mut self) -> anyhow::Error {
        // A child that closed its output but lives on would keep us waiting.
        let _ = self.process.kill();
        match self.process.wait() {
            Ok(status) => anyhow::anyhow!("{self} ended before it had answered, with {status}"),
            Err(error) => anyhow::anyhow!("{self} ended before it had answered, and nobody knows how: {error}"),
        }
    }
}

impl fmt::Display for ChildWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "child process {} of {} (pid {})", self.number, self.of, self.process.id())
    }
}

impl Drop for ChildWorker {
    fn drop(&mut self) {
        // Both do nothing to a child that has been waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> ChildWorker {
        ChildWorker::spawn(Command::new("sh").arg("-c").arg(script), 0, 1).unwrap()
    }

    /// The error without the child's name, which has its process id in it.
    fn reason(result: Result<impl Sized>) -> String {
        let error = format!("{:#}", result.err().expect("should fail"));
        error.split_once("(pid ").and_then(|(_, rest)| rest.split_once(") ")).expect("names the child").1.to_owned()
    }

    #[test]
    fn a_child_that_exits_early_is_reported_with_its_status() {
        assert_eq!(reason(shell("exit 3").receive()), "ended before it had answered, with exit status: 3");
    }

    #[test]
    fn a_child_that_is_killed_is_reported_with_its_signal() {
        let reason = reason(shell("kill -SEGV $$").receive());
        assert!(reason.starts_with("ended before it had answered, with signal: 11 (SIGSEGV)"), "{reason}");
    }

    #[test]
    fn a_child_that_closes_its_output_and_lives_on_is_ended() {
        let reason = reason(shell("exec sleep 100 >&-").receive());
        assert_eq!(reason, "ended before it had answered, with signal: 9 (SIGKILL)");
    }

    #[test]
    fn a_child_that_says_something_else_is_quoted() {
        let reason = reason(shell("echo hello; exec sleep 100").receive());
        assert!(reason.starts_with("answered something else: not a protocol message: \"hello\""), "{reason}");
    }

    #[test]
    fn a_request_to_a_child_that_is_gone_tells_how_it_ended() {
        let mut child = shell("exit 4");
        child.process.wait().unwrap();
        assert_eq!(
            reason(child.send(&Request::Run { warmup: false })),
            "ended before it had answered, with exit status: 4"
        );
    }

    #[test]
    fn a_child_that_fails_after_its_work_is_reported() {
        assert_eq!(reason(shell("read line; exit 5").end()), "did its work, but then ended with exit status: 5");
    }
}
