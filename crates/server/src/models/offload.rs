//! `offload`: one event loop, which waits; every burn goes to tokio's blocking pool of `workers` threads, also one of 0
//! steps. The digits of an answer are those of the pool's thread.
//!
//! The usual way to keep an event loop responsive: `spawn_blocking` in tokio, `run_in_executor` in asyncio. Connections
//! are counted for the one loop.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result};
use protocol::ServeJob;
use tokio::task::spawn_blocking;
use worker::{Numbers, Refusal, rehearse};
use workloads::Timer;

use super::{burner::Burner, one_acceptor};
use crate::{counters::Counters, event_loop, host::host, http::Respond, served::InProcess, work::Work};

/// How long a thread of the pool waits for work before it ends; longer than any cell.
const KEEP_ALIVE: Duration = Duration::from_secs(24 * 60 * 60);

/// Starts the loop and the pool of a job.
pub fn start(job: &ServeJob) -> Result<InProcess, Refusal> {
    let workers = job.workers as usize;
    let (source, mut server) = one_acceptor(job, 1)?;
    rehearse(workers)?;
    let numbers = Arc::new(Numbers::default());
    let entering = Arc::clone(&numbers);
    let burner = Burner { work: Work::new(job), requests: server.requests.clone() };
    let connections = server.connections.clone();
    let stop = server.stop();
    let thread = event_loop::start(
        "loop".to_owned(),
        burner.work.lock.clone(),
        move |builder| {
            builder.max_blocking_threads(workers).thread_keep_alive(KEEP_ALIVE).thread_name("worker").on_thread_start(
                move || {
                    entering.enter();
                    entering.begin();
                },
            );
        },
        move |timer| {
            start_pool(&numbers, workers)?;
            let source = source.open().context("cannot wait for connections")?;
            let responder = Offload { burner: Arc::new(burner), timer: Arc::clone(&timer), connections };
            Ok(host(source, timer, responder, stop))
        },
    )?;
    server.add(thread);
    Ok(server)
}

/// Starts all threads of the pool, by work that none of them ends before all have begun.
fn start_pool(numbers: &Arc<Numbers>, workers: usize) -> Result<()> {
    for _ in 0..workers {
        let numbers = Arc::clone(numbers);
        spawn_blocking(move || numbers.wait_for(workers));
    }
    numbers.wait_for(workers)
}

struct Offload {
    burner: Arc<Burner>,
    timer: Arc<Timer>,
    connections: Counters,
}

impl Respond for Offload {
    async fn respond(&self, number: u64) -> Result<[u8; 8]> {
        self.burner.work.wait(&self.timer).await;
        let burner = Arc::clone(&self.burner);
        spawn_blocking(move || burner.burn(number, Numbers::own())).await.context("the pool lost a request")
    }

    fn accepted(&self) {
        self.connections.add(0);
    }
}
