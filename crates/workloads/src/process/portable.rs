//! Waiting for a program where there is no descriptor of a process: by looking again and again.

use std::{
    io,
    process::{Child, Command, ExitStatus},
    time::Duration,
};

use crate::Timer;

/// How often an event loop looks whether a program has ended.
const LOOK_EVERY: Duration = Duration::from_millis(1);

pub fn die_with_parent(_command: &mut Command) {}

pub async fn wait(child: &mut Child, timer: &Timer) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        timer.wait(LOOK_EVERY).await;
    }
}
