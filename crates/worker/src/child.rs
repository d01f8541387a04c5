//! A child process of a worker: the same program again, to which the worker speaks the protocol as the orchestrator does.
//!
//! Nothing is forked by hand, because a program with threads cannot be. Children stay in the process group of their
//! parent and die with it.

use std::{
    fmt,
    fs::File,
    io::{BufRead, BufReader, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::{self, Command, Stdio},
};

use anyhow::{Context, Result, anyhow, bail};
use protocol::{Job, PARENT_PID_VARIABLE, Reply, Request, VERSION};

/// A running child. Dropped before [`Child::end`], it is killed and reaped.
pub struct Child {
    process: process::Child,
    /// `None` when the child has been told to end.
    wires: Option<Wires>,
    number: usize,
    of: usize,
}

/// What a child is spoken to over. Closed, they tell it to end.
struct Wires {
    input: File,
    output: BufReader<File>,
}

impl Child {
    /// This program, for a child that dies with this process.
    ///
    /// # Errors
    /// Nobody knows where it is.
    pub fn program() -> Result<Command> {
        let program = std::env::current_exe().context("cannot find the path of this program to start it again")?;
        let mut command = Command::new(program);
        command.env(PARENT_PID_VARIABLE, process::id().to_string());
        Ok(command)
    }

    /// Starts child `number` of `of`, which is spoken to over its stdin and its stdout.
    ///
    /// # Errors
    /// The system refuses a process.
    pub fn start(mut command: Command, number: usize, of: usize) -> Result<Self> {
        let mut process = spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()), number, of)?;
        let input = process.stdin.take().expect("stdin is piped");
        let output = process.stdout.take().expect("stdout is piped");
        Ok(Self::new(process, input.into(), output.into(), number, of))
    }

    /// Starts child `number` of `of`, which is spoken to over a socket in place of its stdout, in both directions: it inherits
    /// something else as its stdin.
    ///
    /// # Errors
    /// The system refuses a process or a socket.
    pub fn start_with_stdin(mut command: Command, stdin: OwnedFd, number: usize, of: usize) -> Result<Self> {
        let (ours, theirs) = UnixStream::pair().context("cannot make a socket to talk to a child process over")?;
        let input = ours.try_clone().context("cannot write to the socket of a child process")?;
        let process = spawn(command.stdin(stdin).stdout(OwnedFd::from(theirs)), number, of)?;
        // With the command goes our copy of the child's end: when the child ends, so does the socket.
        drop(command);
        Ok(Self::new(process, input.into(), ours.into(), number, of))
    }

    fn new(process: process::Child, input: OwnedFd, output: OwnedFd, number: usize, of: usize) -> Self {
        let wires = Wires { input: input.into(), output: BufReader::new(output.into()) };
        Self { process, wires: Some(wires), number, of }
    }

    /// Gives the child its job. Whether it takes it is told by [`Child::wait_until_ready`].
    ///
    /// # Errors
    /// It has ended.
    pub fn give(&mut self, job: Job) -> Result<()> {
        self.send(&Request::Job { protocol: VERSION, job })
    }

    /// Waits until the child has prepared its job.
    ///
    /// # Errors
    /// It has ended, or does not take the job.
    pub fn wait_until_ready(&mut self) -> Result<()> {
        self.receive()?.takes_the_job().map_err(|why| anyhow!("{self} {why}"))
    }

    /// Asks for a run.
    ///
    /// # Errors
    /// It has ended.
    pub fn ask(&mut self) -> Result<()> {
        self.send(&Request::Run { warmup: false })
    }

    fn send(&mut self, request: &Request) -> Result<()> {
        let sent = self.wires.as_mut().is_some_and(|wires| wires.input.write_all(request.to_line().as_bytes()).is_ok());
        // Over a broken wire the reason is how the child ended.
        if sent { Ok(()) } else { Err(self.gone()) }
    }

    /// Waits for a reply.
    ///
    /// # Errors
    /// It has ended, or says something else.
    pub fn receive(&mut self) -> Result<Reply> {
        let mut line = String::new();
        let read = self.wires.as_mut().and_then(|wires| wires.output.read_line(&mut line).ok());
        if read.unwrap_or(0) == 0 {
            return Err(self.gone());
        }
        Reply::from_line(&line).with_context(|| format!("{self} answered something else"))
    }

    /// Where the child's replies come from, to wait for several children at once.
    ///
    /// # Panics
    /// The child has been told to end.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.wires.as_ref().expect("open until the child is told to end").output.get_ref().as_fd()
    }

    /// Tells the child to end.
    pub fn tell_to_end(&mut self) {
        self.wires = None;
    }

    /// Whether the child still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Tells the child to end and waits until it has.
    ///
    /// # Errors
    /// It did not end well.
    pub fn end(mut self) -> Result<()> {
        self.tell_to_end();
        let status = self.process.wait().with_context(|| format!("cannot wait for {self}"))?;
        if !status.success() {
            bail!("{self} did its work, but then ended with {status}");
        }
        Ok(())
    }

    /// Why a child that has closed its end of a wire is not there any more.
    fn gone(&mut self) -> anyhow::Error {
        // A child that closed its output but lives on would keep us waiting.
        let _ = self.process.kill();
        match self.process.wait() {
            Ok(status) => anyhow!("{self} ended before it had answered, with {status}"),
            Err(error) => anyhow!("{self} ended before it had answered, and nobody knows how: {error}"),
        }
    }
}

fn spawn(command: &mut Command, number: usize, of: usize) -> Result<process::Child> {
    command.spawn().with_context(|| format!("cannot start child process {number} of {of}: {command:?}"))
}

impl fmt::Display for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "child process {} of {} (pid {})", self.number, self.of, self.process.id())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Both do nothing to a child that has been waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// A child over pipes.
    fn shell(script: &str) -> Child {
        Child::start(command(script), 0, 1).unwrap()
    }

    /// A child over a socket.
    fn shell_with_stdin(script: &str) -> Child {
        let nothing = File::open("/dev/null").unwrap();
        Child::start_with_stdin(command(script), nothing.into(), 0, 1).unwrap()
    }

    /// The error without the child's name, which has its process id in it.
    fn reason(result: Result<impl Sized>) -> String {
        let error = format!("{:#}", result.err().expect("should fail"));
        error.split_once("(pid ").and_then(|(_, rest)| rest.split_once(") ")).expect("names the child").1.to_owned()
    }

    #[test]
    fn a_child_that_exits_early_is_reported_with_its_status() {
        for mut child in [shell("exit 3"), shell_with_stdin("exit 3")] {
            assert_eq!(reason(child.receive()), "ended before it had answered, with exit status: 3");
        }
    }

    #[test]
    fn a_child_that_is_killed_is_reported_with_its_signal() {
        let reason = reason(shell("kill -SEGV $$").receive());
        assert!(reason.starts_with("ended before it had answered, with signal: 11 (SIGSEGV)"), "{reason}");
    }

    #[test]
    fn a_child_that_closes_its_output_and_lives_on_is_ended() {
        for mut child in [shell("exec sleep 100 >&-"), shell_with_stdin("exec sleep 100 >&-")] {
            assert_eq!(reason(child.receive()), "ended before it had answered, with signal: 9 (SIGKILL)");
        }
    }

    #[test]
    fn a_child_that_says_something_else_is_quoted() {
        let reason = reason(shell("echo hello; exec sleep 100").receive());
        assert!(reason.starts_with("answered something else: not a protocol message: \"hello\""), "{reason}");
    }

    #[test]
    fn a_child_that_refuses_its_job_is_quoted() {
        let refusal = Reply::Unsupported { message: "not here".to_owned() }.to_line();
        let reason = reason(shell(&format!("echo '{}'; exec sleep 100", refusal.trim_end())).wait_until_ready());
        assert_eq!(reason, "refused its job: not here");
    }

    #[test]
    fn a_request_to_a_child_that_is_gone_tells_how_it_ended() {
        for mut child in [shell("exit 4"), shell_with_stdin("exit 4")] {
            child.process.wait().unwrap();
            assert_eq!(reason(child.ask()), "ended before it had answered, with exit status: 4");
        }
    }

    #[test]
    fn a_child_ends_when_it_is_told_to_over_pipes_and_over_a_socket() {
        assert!(shell("read line; exit 0").end().is_ok());
        assert!(shell_with_stdin("read line <&1; exit 0").end().is_ok());
    }

    #[test]
    fn a_child_that_fails_after_its_work_is_reported() {
        assert_eq!(reason(shell("read line; exit 5").end()), "did its work, but then ended with exit status: 5");
    }
}
