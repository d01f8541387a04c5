//! `offload-rayon`: one event loop, which waits; every burn goes to a rayon pool of `workers` threads, also one of 0
//! steps. The digits of an answer are those of the pool's thread. Connections are counted for the one loop.

use std::sync::Arc;

use anyhow::{Context, Result};
use protocol::ServeJob;
use rayon::{ThreadPool, ThreadPoolBuilder, current_thread_index};
use tokio::sync::oneshot;
use worker::Refusal;
use workloads::Timer;

use super::{burner::Burner, one_acceptor};
use crate::{counters::Counters, event_loop, host::host, http::Respond, served::InProcess, work::Work};

/// Starts the loop and the pool of a job.
pub fn start(job: &ServeJob) -> Result<InProcess, Refusal> {
    let (source, mut server) = one_acceptor(job, 1)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(job.workers as usize)
        .thread_name(|number| format!("worker-{number}"))
        .build()
        .context("cannot start the threads of a rayon pool")?;
    // Returns when every thread of the pool has run it, so all of them are up.
    pool.broadcast(|_| ());
    let burner = Burner { work: Work::new(job), requests: server.requests.clone() };
    let connections = server.connections.clone();
    let stop = server.stop();
    let thread = event_loop::start(
        "loop".to_owned(),
        burner.work.lock.clone(),
        |_| (),
        move |timer| {
            let source = source.open().context("cannot wait for connections")?;
            let responder = Offload { pool, burner: Arc::new(burner), timer: Arc::clone(&timer), connections };
            Ok(host(source, timer, responder, stop))
        },
    )?;
    server.add(thread);
    Ok(server)
}

struct Offload {
    pool: ThreadPool,
    burner: Arc<Burner>,
    timer: Arc<Timer>,
    connections: Counters,
}

impl Respond for Offload {
    async fn respond(&self, number: u64) -> Result<[u8; 8]> {
        self.burner.work.wait(&self.timer).await;
        let (sender, burned) = oneshot::channel();
        let burner = Arc::clone(&self.burner);
        self.pool.spawn(move || {
            // The connection may be gone.
            let _ = sender.send(burner.burn(number, current_thread_index().unwrap_or_default()));
        });
        burned.await.context("the pool lost a request")
    }

    fn accepted(&self) {
        self.connections.add(0);
    }
}
