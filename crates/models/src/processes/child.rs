//! One child process that speaks the worker protocol.

use std::{
    fmt,
    io::{BufRead, BufReader, Write},
    os::fd::{AsFd, BorrowedFd},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use protocol::{PARENT_PID_VARIABLE, Reply, Request};

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
    /// Starts this program again as child `number` of `of`, with our stderr for its stderr.
    pub fn start(number: usize, of: usize) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find the path of this program to start it again")?;
        let mut process = Command::new(&program)
            .env(PARENT_PID_VARIABLE, std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start child process {number} of {of} from {}", program.display()))?;
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
