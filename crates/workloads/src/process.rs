//! A program that an operation starts, on a thread and on an event loop.

use std::{
    io,
    process::{Child, Command, ExitStatus, Stdio},
};

use anyhow::{Context, Result, bail};
use interpreter_lock::InterpreterLock;

use crate::Timer;

#[cfg(target_os = "linux")]
#[path = "process/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "process/portable.rs"]
mod platform;

/// A program that is to be started with empty stdin; what it prints goes nowhere. It dies with the thread that starts it,
/// where the system knows how to do that, so that no program outlives a worker that was killed.
pub fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    platform::die_with_parent(&mut command);
    command
}

/// Runs a program to its end on a thread that holds the lock. Starting it is done with the lock held, as CPython's
/// `fork_exec` does it; waiting for it is not.
pub fn run_blocking(command: &mut Command, lock: &InterpreterLock) -> Result<()> {
    let mut running = Running::start(command)?;
    let status = lock.unlocked(|| running.0.wait());
    judge(command, status)
}

/// Runs a program to its end on an event loop. Starting it blocks the loop for a moment: no system offers another way.
pub async fn run(command: &mut Command, timer: &Timer) -> Result<()> {
    let mut running = Running::start(command)?;
    let status = platform::wait(&mut running.0, timer).await;
    judge(command, status)
}

/// A program that runs. Dropped before its end, it is killed and reaped.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Result<Self> {
        command.spawn().map(Self).map_err(|error| {
            let program = command.get_program().display();
            let advice = match error.kind() {
                io::ErrorKind::NotFound => ": is it installed, and on the PATH?",
                io::ErrorKind::PermissionDenied => ": may it be executed?",
                io::ErrorKind::WouldBlock => ": too many processes; look at ulimit -u",
                _ => "",
            };
            anyhow::anyhow!("cannot start the program {program}: {error}{advice}")
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both do nothing to a program that has been waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn judge(command: &Command, status: io::Result<ExitStatus>) -> Result<()> {
    let program = || command.get_program().display();
    let status = status.with_context(|| format!("cannot wait for the program {}", program()))?;
    if !status.success() {
        bail!("the program {} ended with {status}: run it by hand to see why ({command:?})", program());
    }
    Ok(())
}
