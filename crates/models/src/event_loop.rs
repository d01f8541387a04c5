//! One event loop on one thread: what `async`, `loops` and `offload` have in common.

use std::{cell::Cell, ops::Range, rc::Rc, time::Instant};

use anyhow::{Context, Error, Result, ensure};
use interpreter_lock::InterpreterLock;
use protocol::Checksum;
use tokio::{
    runtime::{Builder, LocalRuntime},
    sync::oneshot,
    task::spawn_local,
};
use workloads::{Timer, event_loop};

use crate::pool::Part;

/// A current-thread runtime and its timer. It lets go of the interpreter lock whenever it parks.
#[derive(Debug)]
pub struct EventLoop {
    runtime: LocalRuntime,
    timer: Timer,
}

impl EventLoop {
    /// Makes a loop for the calling thread; `configure` adds to the runtime's builder.
    pub fn new(lock: &InterpreterLock, configure: impl FnOnce(&mut Builder)) -> Result<Self> {
        let (runtime, timer) = event_loop(lock, configure)?;
        Ok(Self { runtime, timer })
    }

    /// The runtime, for what has to be warmed up in it before the start.
    pub fn runtime(&self) -> &LocalRuntime {
        &self.runtime
    }

    /// Opens the connections of the tasks with these indices, holding `lock` as the tasks do.
    pub fn connect(&self, lock: &InterpreterLock, indices: &Range<u64>, tasks: &impl Tasks) -> Result<()> {
        let _held = lock.hold();
        self.runtime.block_on(tasks.connect(indices.end - indices.start))
    }

    /// Does the tasks with these indices, all at once, holding `lock`, and ends the loop.
    pub fn run_all(self, lock: &InterpreterLock, indices: Range<u64>, tasks: impl Tasks) -> Result<Part> {
        let Self { runtime, timer } = self;
        let count = indices.end - indices.start;
        let (finish, finished) = oneshot::channel();
        let shared = Rc::new(Shared { sum: Sum::new(finish), timer, tasks });
        // Dropped before the runtime, so that the runtime's end does not hold up other threads.
        let _held = lock.hold();
        let part = runtime.block_on(async move {
            for index in indices {
                let shared = Rc::clone(&shared);
                // No handle is kept: a task's memory is free again as soon as the task has ended.
                spawn_local(async move { shared.sum.add(shared.tasks.run(index, &shared.timer).await) });
            }
            // From here on only the tasks share it: the last one to end drops it, and that reports the sum.
            drop(shared);
            finished.await
        });
        let part = part.context("an event loop lost its tasks")??;
        ensure!(part.done == count, "{} of {count} tasks panicked", count - part.done);
        Ok(part)
    }
}

/// How a task is done on a loop.
pub trait Tasks: 'static {
    /// Opens the connections that the tasks share, of which there are so many, before the start.
    fn connect(&self, tasks: u64) -> impl Future<Output = Result<()>>;

    /// Does the task with this index and returns its last state.
    fn run(&self, index: u64, timer: &Timer) -> impl Future<Output = Result<u64>>;
}

/// What the tasks of a loop share.
struct Shared<T> {
    // First, so that the end is noted before anything else is dropped.
    sum: Sum,
    timer: Timer,
    tasks: T,
}

/// What the tasks of a loop come to, reported when it is dropped.
struct Sum {
    checksum: Cell<Checksum>,
    done: Cell<u64>,
    failure: Cell<Option<Error>>,
    finish: Option<oneshot::Sender<Result<Part>>>,
}

impl Sum {
    fn new(finish: oneshot::Sender<Result<Part>>) -> Self {
        Self { checksum: Cell::default(), done: Cell::default(), failure: Cell::default(), finish: Some(finish) }
    }

    fn add(&self, state: Result<u64>) {
        match state {
            Ok(state) => {
                let mut checksum = self.checksum.get();
                checksum.add(state);
                self.checksum.set(checksum);
            }
            // The first counts: others may come of it.
            Err(error) => {
                let first = self.failure.take().unwrap_or(error);
                self.failure.set(Some(first));
            }
        }
        self.done.set(self.done.get() + 1);
    }
}

impl Drop for Sum {
    fn drop(&mut self) {
        let part = Part { checksum: self.checksum.get(), done: self.done.get(), ended: Instant::now() };
        let report = self.failure.take().map_or(Ok(part), Err);
        if let Some(finish) = self.finish.take() {
            // Nobody listens when the loop itself was dropped.
            let _ = finish.send(report);
        }
    }
}
