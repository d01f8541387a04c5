//! `work-stealing`: one multi-thread tokio runtime. Tasks are spawned on it and move to whichever thread is free.
//!
//! Whoever spawns the tasks is itself a task of the runtime. Driven by `block_on` it would run on a thread that is not
//! part of the pool, and each spawn would go through the queue for foreign threads.

use std::{
    cell::Cell,
    mem,
    ops::Range,
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::Instant,
};

use anyhow::{Context, Error, Result, ensure};
use protocol::Checksum;
use tokio::runtime::{Builder, Runtime};
use worker::Numbers;
use workloads::{Step, Timer, with_step};

use crate::{Batch, Outcome, tally::Tally, task::Inline};

thread_local! {
    /// Whether this thread has parked before.
    static BEGUN: Cell<bool> = const { Cell::new(false) };
}

pub fn run(batch: &Arc<Batch>) -> Result<Outcome> {
    with_step!(&batch.operation, step => run_step(batch, step))
}

fn run_step<S: Step>(batch: &Arc<Batch>, step: &S) -> Result<Outcome> {
    let begun = Instant::now();
    let tally = Arc::new(Tally::new(batch.workers));
    let (runtime, timer) = start_runtime(batch, step, &tally)?;
    let tasks = Inline::new(step, batch);
    runtime.block_on(tasks.connect(batch.job.tasks))?;
    let (finish, finished) = mpsc::channel();
    let report = Report { failure: Mutex::default(), finish };
    let shared = Arc::new(Shared { report, tally: Arc::clone(&tally), timer, tasks });
    let started = Instant::now();
    runtime.spawn(spawn_all(shared, batch.indices.clone()));
    let (ended, failure) = finished.recv().context("the runtime lost its tasks")?;
    if let Some(error) = failure {
        return Err(error);
    }
    let by_worker = tally.by_worker();
    let lost = batch.job.tasks - by_worker.iter().sum::<u64>();
    ensure!(lost == 0, "{lost} of {} tasks panicked", batch.job.tasks);
    Ok(Outcome {
        setup: started - begun,
        elapsed: ended - started,
        checksum: tally.checksum(),
        by_worker,
        children: None,
    })
}

/// Makes the runtime and its timer, and returns when all its workers have begun. Workers hold the lock but while they are parked.
fn start_runtime<S: Step>(batch: &Batch, step: &S, tally: &Arc<Tally>) -> Result<(Runtime, Timer)> {
    let workers = batch.workers;
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers).thread_name("worker");
    let (entering, acquiring, releasing) = (Arc::clone(tally), batch.lock.clone(), batch.lock.clone());
    let (beginning, parking, unparked) = (Arc::clone(tally), batch.lock.clone(), batch.lock.clone());
    builder
        // Threads for blocking calls, which only file operations ask for, start when all workers have begun: they run no code
        // of a task and have nothing to do with the lock.
        .on_thread_start(move || {
            entering.numbers.enter();
            if Numbers::own() < workers {
                acquiring.acquire();
            }
        })
        .on_thread_stop(move || {
            if Numbers::own() < workers {
                releasing.release();
            }
        })
        // A worker has begun when it has found nothing to do. Until then it may still wait for the lock at its start, and
        // a thread for blocking calls would take over what it was to run.
        .on_thread_park(move || {
            if !BEGUN.replace(true) {
                beginning.numbers.begin();
            }
            parking.release();
        })
        .on_thread_unpark(move || unparked.acquire());
    step.configure(&mut builder);
    let runtime = Timer::enable(&mut builder)
        .build()
        .context("cannot make a runtime; is the limit of open files (ulimit -n) too low?")?;
    let timer = {
        let _context = runtime.enter();
        Timer::new().context("cannot make the timer of the runtime; is the limit of open files too low?")?
    };
    tally.wait_until_all_run()?;
    Ok((runtime, timer))
}

/// Spawns the tasks, from inside the pool.
async fn spawn_all<S: Step>(shared: Arc<Shared<S>>, indices: Range<u64>) {
    for index in indices {
        let shared = Arc::clone(&shared);
        // No handle is kept: a task's memory is free again as soon as the task has ended.
        tokio::spawn(async move {
            let state = shared.tasks.run(index, &shared.timer).await;
            shared.record(state);
        });
    }
    // From here on only the tasks share it: the last one to end drops it, and that reports the end.
}

/// What the tasks share.
struct Shared<S> {
    // First, so that the end is noted before anything else is dropped.
    report: Report,
    tally: Arc<Tally>,
    timer: Timer,
    tasks: Inline<S>,
}

impl<S> Shared<S> {
    fn record(&self, state: Result<u64>) {
        match state {
            Ok(state) => self.tally.add(Numbers::own(), Checksum(state), 1),
            Err(error) => self.report.fail(error),
        }
    }
}

/// Tells when the last task ended, by being dropped.
struct Report {
    failure: Mutex<Option<Error>>,
    finish: mpsc::Sender<(Instant, Option<Error>)>,
}

impl Report {
    fn fail(&self, error: Error) {
        // The first counts: others may come of it.
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let failure = mem::take(self.failure.get_mut().unwrap_or_else(PoisonError::into_inner));
        // Nobody listens when the run was given up.
        let _ = self.finish.send((Instant::now(), failure));
    }
}
