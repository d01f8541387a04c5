//! What the tests of several operations need.

use anyhow::Result;
use interpreter_lock::InterpreterLock;
use tokio::runtime::{Builder, LocalOptions};

use crate::{Step, Timer};

/// One step of a waiting operation on an event loop of its own.
pub fn on_an_event_loop<S: Step>(step: &S, index: u64) -> Result<u64> {
    let mut builder = Builder::new_current_thread();
    step.configure(&mut builder);
    let runtime = Timer::enable(&mut builder).build_local(LocalOptions::default()).unwrap();
    let step = step.for_loop();
    runtime.block_on(async move {
        step.connect(1).await?;
        step.wait(index, &Timer::new().unwrap()).await
    })
}

/// One step of a waiting operation, on a thread and on an event loop; an error in words.
pub fn both_ways<S: Step>(step: &S, index: u64) -> [Result<u64, String>; 2] {
    [step.wait_blocking(index, &InterpreterLock::none()), on_an_event_loop(step, index)]
        .map(|result| result.map_err(|error| format!("{error:#}")))
}
