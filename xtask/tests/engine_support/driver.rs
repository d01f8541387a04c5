//! The engine in a process of its own, which is the test program again, asked for its test `driver` alone: for what
//! concerns a whole process, such as signals.

use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{MARK, marked, new_mark, processes_where};

/// The process, and what it prints.
pub struct Driver {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// The mark of its workers.
    pub mark: String,
}

impl Driver {
    /// Starts this program again, with these environment variables.
    pub fn start(variables: &[(&str, &str)]) -> Self {
        Self::start_by(&mut Command::new(std::env::current_exe().unwrap()), variables)
    }

    /// By this command, which has to start this program with the arguments that it is given.
    pub fn start_by(command: &mut Command, variables: &[(&str, &str)]) -> Self {
        let mark = new_mark();
        let mut child = command
            .args(["--exact", "driver", "--ignored", "--nocapture", "--test-threads=1"])
            .env(MARK, &mark)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            // Not the group of the test, which Ctrl-Z must not stop.
            .process_group(0)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines, mark }
    }

    /// Reads on until this line.
    pub fn wait_for(&mut self, line: &str) {
        let found = self.lines.by_ref().any(|next| next.unwrap().ends_with(line));
        assert!(found, "it ended without {line:?}");
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    /// Its process id.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// How it ended, whatever it leaves.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// The lines that are left, and how it ended.
    pub fn finish(mut self) -> (Vec<String>, ExitStatus) {
        let lines = self.lines.by_ref().map(Result::unwrap).filter(|line| !line.is_empty()).collect();
        let status = self.child.wait().unwrap();
        assert_eq!(marked(&self.mark), [""; 0], "processes are left");
        (lines, status)
    }

    /// The states of its processes, such as `T` for stopped.
    pub fn states(&self) -> String {
        let mut states = String::new();
        let wanted = format!("{MARK}={}", self.mark);
        processes_where(|folder| {
            let environ = std::fs::read(folder.join("environ")).unwrap_or_default();
            if environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
                let stat = std::fs::read_to_string(folder.join("stat")).unwrap_or_default();
                states.extend(stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()));
            }
            false
        });
        states
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Only after a failed assertion is it still there.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
