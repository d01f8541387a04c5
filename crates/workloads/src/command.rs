//! `command`: a program, run to its end.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use interpreter_lock::InterpreterLock;

use crate::{Step, Timer, in_flight::InFlight, process};

/// Starts a program without a shell and waits for its end. Its stdin is empty and its output goes nowhere; a status other
/// than 0 is an error. The result is 0.
#[derive(Debug, Clone)]
pub struct Command {
    argv: Arc<[String]>,
    in_flight: Arc<InFlight>,
}

impl Command {
    /// The program and its arguments.
    ///
    /// # Errors
    /// There is no program.
    pub fn new(argv: &[String]) -> Result<Self> {
        ensure!(argv.first().is_some_and(|program| !program.is_empty()), "argv is empty: it begins with a program");
        Ok(Self { argv: argv.into(), in_flight: Arc::default() })
    }

    fn command(&self) -> Result<std::process::Command> {
        let (program, arguments) = self.argv.split_first().context("argv is empty")?;
        let mut command = process::program(program);
        command.args(arguments);
        Ok(command)
    }
}

impl Step for Command {
    fn waits(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        false
    }

    fn for_loop(&self) -> Self {
        Self { in_flight: Arc::default(), ..self.clone() }
    }

    async fn wait(&self, _index: u64, timer: &Timer) -> Result<u64> {
        let mut command = self.command()?;
        self.in_flight.run(process::run(&mut command, timer)).await?;
        Ok(0)
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        process::run_blocking(&mut self.command()?, lock)?;
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::both_ways;

    fn run(argv: &[&str]) -> [Result<u64, String>; 2] {
        let argv: Vec<String> = argv.iter().map(|&argument| argument.to_owned()).collect();
        both_ways(&Command::new(&argv).unwrap(), 0)
    }

    #[test]
    fn a_program_that_ends_well_has_the_result_0() {
        assert_eq!(run(&["true"]), [Ok(0), Ok(0)]);
        assert_eq!(run(&["sh", "-c", "read line; test $? -ne 0"]), [Ok(0), Ok(0)], "stdin is empty");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let expected = "cannot start the program no-such-program-here: No such file or directory (os error 2): \
                        is it installed, and on the PATH?";
        assert_eq!(run(&["no-such-program-here"]), [Err(expected.to_owned()), Err(expected.to_owned())]);
    }

    #[test]
    fn a_program_that_fails_or_is_killed_is_an_error_with_its_status() {
        for error in run(&["sh", "-c", "exit 3"]).map(Result::unwrap_err) {
            assert!(error.starts_with("the program sh ended with exit status: 3"), "{error}");
        }
        for error in run(&["sh", "-c", "kill -SEGV $$"]).map(Result::unwrap_err) {
            assert!(error.starts_with("the program sh ended with signal: 11 (SIGSEGV)"), "{error}");
        }
    }

    #[test]
    fn fifty_megabytes_of_output_go_nowhere() {
        assert_eq!(run(&["sh", "-c", "head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2"]), [Ok(0), Ok(0)]);
    }

    #[test]
    fn a_command_without_a_program_is_refused() {
        assert!(Command::new(&[]).is_err());
        assert!(Command::new(&[String::new()]).is_err());
    }
}
