//! `loops`: threads with an event loop each. A loop waits and burns for its own connections; a burn blocks it.

use std::{io, sync::Arc, thread::JoinHandle};

use anyhow::{Context, Result};
use protocol::{Listen, ServeJob};
use tokio::sync::mpsc::unbounded_channel;
use workloads::Timer;

use super::deal;
use crate::{
    answer::digits, counters::Counters, event_loop, host::host, http::Respond, listen, served::InProcess,
    source::Source, work::Work,
};

/// Starts the loops of a job.
pub fn start(job: &ServeJob) -> Result<InProcess> {
    let workers = job.workers as usize;
    let sockets = listen::open(job.listen, workers)?;
    let mut server = InProcess::new(sockets.ports, workers, workers);
    let mut sources: Vec<Source> = sockets.listeners.into_iter().map(Source::Listener).collect();
    if job.listen == Listen::HandOff {
        let listener = sources.pop().context("no socket was made")?;
        let (takers, dealt): (Vec<_>, Vec<_>) = (0..workers)
            .map(|_| {
                let (sender, receiver) = unbounded_channel();
                let take = move |stream| sender.send(stream).map_err(|_| io::Error::other("its event loop has ended"));
                (take, Source::Dealt(receiver))
            })
            .unzip();
        sources = dealt;
        server.add(deal::start(listener, takers, server.stop())?);
    }
    let work = Work::new(job);
    for (worker, source) in sources.into_iter().enumerate() {
        let thread = start_loop(&server, source, work.clone(), worker, worker)?;
        server.add(thread);
    }
    Ok(server)
}

/// Starts the single loop of a child process, whose answers carry this number.
pub fn start_single(job: &ServeJob, source: Source, number: usize) -> Result<InProcess> {
    let mut server = InProcess::new(Vec::new(), 1, 1);
    let thread = start_loop(&server, source, Work::new(job), 0, number)?;
    server.add(thread);
    Ok(server)
}

/// Starts a loop that counts for this worker and answers with this number.
fn start_loop(server: &InProcess, source: Source, work: Work, worker: usize, number: usize) -> Result<JoinHandle<()>> {
    let (requests, connections) = (server.requests.clone(), server.connections.clone());
    let stop = server.stop();
    event_loop::start(
        format!("loop-{number}"),
        work.lock.clone(),
        |_| (),
        move |timer| {
            let source = source.open().context("cannot wait for connections")?;
            let responder = Inline { work, timer: Arc::clone(&timer), worker, number, requests, connections };
            Ok(host(source, timer, responder, stop))
        },
    )
}

/// Waits and burns on the loop.
struct Inline {
    work: Work,
    timer: Arc<Timer>,
    worker: usize,
    number: usize,
    requests: Counters,
    connections: Counters,
}

impl Respond for Inline {
    #[inline]
    async fn respond(&self, number: u64) -> Result<[u8; 8]> {
        self.work.wait(&self.timer).await;
        let result = self.work.burn(number);
        self.requests.add(self.worker);
        Ok(digits(self.number, result))
    }

    fn accepted(&self) {
        self.connections.add(self.worker);
    }
}
