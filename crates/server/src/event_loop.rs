//! A thread with an event loop.

use std::{
    future::Future,
    sync::{Arc, mpsc::sync_channel},
    thread::{self, JoinHandle},
};

use anyhow::{Context, Result};
use interpreter_lock::InterpreterLock;
use tokio::runtime::Builder;
use workloads::{Timer, event_loop};

/// Starts a thread with an event loop, and returns when `main` has made the future that the loop then runs to its end.
/// `main` is called in the context of the loop's runtime. The loop holds the lock while it runs and lets go of it
/// whenever it parks.
///
/// # Errors
/// The system has no thread or no descriptor left for it, or `main` failed.
pub fn start<F: Future<Output = ()>>(
    name: String,
    lock: InterpreterLock,
    configure: impl FnOnce(&mut Builder) + Send + 'static,
    main: impl FnOnce(Arc<Timer>) -> Result<F> + Send + 'static,
) -> Result<JoinHandle<()>> {
    let (report, started) = sync_channel(1);
    let thread = thread::Builder::new().name(name).spawn(move || {
        let made = event_loop(&lock, configure).and_then(|(runtime, timer)| {
            let future = {
                let _context = runtime.enter();
                main(Arc::new(timer))?
            };
            Ok((runtime, future))
        });
        match made {
            Ok((runtime, future)) => {
                // Somebody waits for it below.
                let _ = report.send(Ok(()));
                // Dropped before the runtime, whose end then holds nobody up.
                let _held = lock.hold();
                runtime.block_on(future);
            }
            Err(error) => drop(report.send(Err(error))),
        }
    });
    let thread = thread.context("cannot start the thread of an event loop")?;
    started.recv().context("an event loop panicked at its start")??;
    Ok(thread)
}
