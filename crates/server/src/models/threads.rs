//! `threads`: a thread a connection, which reads, waits, burns and writes, one after another.
//!
//! There are as many threads as connections, whatever `workers` says. So that answers can name a worker all the same,
//! connections are counted round robin over `workers` groups, and the digits of an answer are those of its group.

mod conversation;
mod crew;
mod head;

use std::{io, net::TcpStream, sync::Arc, time::Duration};

use anyhow::Result;
use interpreter_lock::InterpreterLock;
use protocol::ServeJob;
use worker::Refusal;

pub use conversation::{Wire, converse};

use self::crew::Crew;
use super::one_acceptor;
use crate::{accept, answer::digits, counters::Counters, served::InProcess, work::Work};

/// Starts the acceptor of a job, which starts a thread for each connection.
pub fn start(job: &ServeJob) -> Result<InProcess, Refusal> {
    let workers = job.workers as usize;
    let (source, mut server) = one_acceptor(job, workers)?;
    let shared = Arc::new(Shared { work: Work::new(job), requests: server.requests.clone() });
    let connections = server.connections.clone();
    let crew = Arc::new(Crew::default());
    let members = Arc::clone(&crew);
    let mut group = 0;
    let acceptor = accept::start(source, server.stop(), move |stream| {
        let (shared, number) = (Arc::clone(&shared), group);
        members.employ(stream.into_std()?, move |stream, crew| shared.serve(stream, crew, number))?;
        connections.add(number);
        group = (group + 1) % workers;
        Ok(())
    })?;
    server.add(acceptor);
    server.add_end(move |deadline| crew.finish(deadline));
    Ok(server)
}

struct Shared {
    work: Work,
    requests: Counters,
}

impl Shared {
    /// Serves one connection on the calling thread.
    fn serve(&self, stream: &TcpStream, crew: &Crew, group: usize) {
        let _held = self.work.lock.hold();
        let wire = Unlocked { stream, lock: &self.work.lock };
        let answer = |number| {
            self.work.wait_blocking();
            let result = self.work.burn(number);
            self.requests.add(group);
            digits(group, result)
        };
        // What can go wrong is the client's doing, and the client knows: it is gone, or silent.
        let _ = converse(wire, answer, || crew.is_closing());
    }
}

/// A socket whose reads and writes let go of the lock, as those of an interpreter do.
struct Unlocked<'a> {
    stream: &'a TcpStream,
    lock: &'a InterpreterLock,
}

impl Wire for Unlocked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.lock.unlocked(|| io::Read::read(&mut self.stream, buffer))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lock.unlocked(|| io::Write::write_all(&mut self.stream, bytes))
    }

    fn set_patience(&mut self, patience: Option<Duration>) -> io::Result<()> {
        self.stream.set_read_timeout(patience)
    }
}
