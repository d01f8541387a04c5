//! A running server, as the conversation sees it, and the kind that runs in this process.

use std::{
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Result;
use protocol::Served;
use tokio::sync::watch;
use worker::Meter;

use crate::{counters::Counters, host::Stop, limits::GRACE};

/// A running server. Dropped, it stops: nobody is accepted any more, what is out is answered, for a bounded time.
pub trait Running {
    /// The ports it listens on.
    fn ports(&self) -> Vec<u16>;

    /// What it did since this was last asked.
    ///
    /// # Errors
    /// A part of the server is gone.
    fn served(&mut self) -> Result<Served>;
}

/// A server whose workers are threads of this process.
pub struct InProcess {
    ports: Vec<u16>,
    /// Requests answered, by worker.
    pub requests: Counters,
    /// Connections accepted, by whoever accepts.
    pub connections: Counters,
    reported: Vec<u64>,
    meter: Meter,
    stop: watch::Sender<bool>,
    ends: Vec<End>,
}

/// Waits for a part of the server to end, at most until a point in time.
type End = Box<dyn FnOnce(Instant)>;

impl InProcess {
    /// A server of which nothing runs yet.
    pub fn new(ports: Vec<u16>, workers: usize, acceptors: usize) -> Self {
        Self {
            ports,
            requests: Counters::new(workers),
            connections: Counters::new(acceptors),
            reported: vec![0; workers],
            meter: Meter::start(),
            stop: watch::Sender::new(false),
            ends: Vec::new(),
        }
    }

    /// Tells a part of the server when to stop.
    pub fn stop(&self) -> Stop {
        self.stop.subscribe()
    }

    /// Adds a thread that ends when told to stop.
    pub fn add(&mut self, thread: JoinHandle<()>) {
        self.add_end(move |deadline| join(thread, deadline));
    }

    /// Adds what is to be done at the stop, when all have been told.
    pub fn add_end(&mut self, end: impl FnOnce(Instant) + 'static) {
        self.ends.push(Box::new(end));
    }
}

impl Running for InProcess {
    fn ports(&self) -> Vec<u16> {
        self.ports.clone()
    }

    fn served(&mut self) -> Result<Served> {
        let counted = self.requests.values();
        let requests = counted.iter().zip(&self.reported).map(|(now, before)| now - before).collect();
        self.reported = counted;
        let usage = self.meter.stop();
        self.meter = Meter::start();
        Ok(Served { requests, connections: self.connections.values(), usage: Some(usage) })
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        // Those who were told keep to the grace themselves; one that is in a long burn is left behind.
        let deadline = Instant::now() + GRACE + Duration::from_millis(500);
        for end in self.ends.drain(..) {
            end(deadline);
        }
    }
}

/// Waits for a thread to end, at most until a point in time.
fn join(thread: JoinHandle<()>, deadline: Instant) {
    while !thread.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    if thread.is_finished() {
        // A panic was reported when it happened.
        let _ = thread.join();
    }
}
