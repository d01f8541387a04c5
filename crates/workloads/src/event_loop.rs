//! An event loop on the calling thread: a current-thread runtime that lets go of the interpreter lock whenever it parks.

use anyhow::{Context, Result};
use interpreter_lock::InterpreterLock;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};

use crate::Timer;

/// Makes a loop for the calling thread, and its timer; `configure` adds to the runtime's builder.
///
/// # Errors
/// The process has no file descriptor left.
pub fn event_loop(lock: &InterpreterLock, configure: impl FnOnce(&mut Builder)) -> Result<(LocalRuntime, Timer)> {
    let mut builder = Builder::new_current_thread();
    release_while_parked(&mut builder, lock);
    configure(&mut builder);
    let runtime = Timer::enable(&mut builder)
        .build_local(LocalOptions::default())
        .context("cannot make an event loop; is the limit of open files (ulimit -n) too low?")?;
    let timer = {
        let _context = runtime.enter();
        Timer::new().context("cannot make the timer of an event loop; is the limit of open files too low?")?
    };
    Ok((runtime, timer))
}

/// Makes the threads of a runtime let go of the lock while they have nothing to do.
pub fn release_while_parked(builder: &mut Builder, lock: &InterpreterLock) {
    let (parking, unparked) = (lock.clone(), lock.clone());
    builder.on_thread_park(move || parking.release()).on_thread_unpark(move || unparked.acquire());
}
