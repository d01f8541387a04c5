//! `work-stealing`: one multi-thread runtime. A connection is a task, which any of the threads may run next; the digits of
//! an answer are those of the thread that burned.
//!
//! Whoever accepts is a task of the runtime too. Driven by `block_on` it would run on a thread beside the pool, and every
//! connection would come through the queue for foreign threads.

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use protocol::ServeJob;
use tokio::runtime::Builder;
use worker::{Numbers, Refusal, rehearse};
use workloads::{Timer, release_while_parked};

use super::one_acceptor;
use crate::{answer::digits, counters::Counters, host::host, http::Respond, served::InProcess, work::Work};

/// Starts the runtime of a job.
pub fn start(job: &ServeJob) -> Result<InProcess, Refusal> {
    let workers = job.workers as usize;
    let (source, mut server) = one_acceptor(job, workers)?;
    rehearse(workers)?;
    let work = Work::new(job);
    let numbers = Arc::new(Numbers::default());
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers).thread_name("worker");
    let (entering, acquiring, releasing) = (Arc::clone(&numbers), work.lock.clone(), work.lock.clone());
    builder
        .on_thread_start(move || {
            entering.enter();
            entering.begin();
            acquiring.acquire();
        })
        .on_thread_stop(move || releasing.release());
    release_while_parked(&mut builder, &work.lock);
    let runtime = Timer::enable(&mut builder)
        .build()
        .context("cannot make a runtime; is the limit of open files (ulimit -n) too low?")?;
    let (source, timer) = {
        let _context = runtime.enter();
        let timer =
            Timer::new().context("cannot make the timer of the runtime; is the limit of open files too low?")?;
        (source.open().context("cannot wait for connections")?, Arc::new(timer))
    };
    numbers.wait_for(workers)?;
    let responder = Inline {
        work,
        timer: Arc::clone(&timer),
        requests: server.requests.clone(),
        connections: server.connections.clone(),
    };
    let (finish, finished) = mpsc::channel::<()>();
    let stop = server.stop();
    runtime.spawn(async move {
        host(source, timer, responder, stop).await;
        drop(finish);
    });
    server.add_end(move |deadline| {
        // Nothing is sent: it ends when the other side is dropped.
        let _ = finished.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        runtime.shutdown_timeout(Duration::from_millis(100));
    });
    Ok(server)
}

/// Waits as a task and burns on whichever thread runs it.
struct Inline {
    work: Work,
    timer: Arc<Timer>,
    requests: Counters,
    connections: Counters,
}

impl Respond for Inline {
    #[inline]
    async fn respond(&self, number: u64) -> Result<[u8; 8]> {
        self.work.wait(&self.timer).await;
        let result = self.work.burn(number);
        let worker = Numbers::own();
        self.requests.add(worker);
        Ok(digits(worker, result))
    }

    fn accepted(&self) {
        self.connections.add(Numbers::own());
    }
}
