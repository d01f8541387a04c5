//! How long a server is under load, before anything has run.

use std::time::Duration;

use protocol::{HttpModel, Lock};

use super::super::plan::{HttpWork, PaceSpec, ServerSpec};
use super::{CHILD_SETUP, PROCESS, THREAD_SETUP, burn};

/// What a request costs our own server besides its wait and its work, in seconds of CPU time: parsing, answering, the
/// system's share.
const SERVER_REQUEST: f64 = 15e-6;
/// What a request costs the client, on the same CPUs.
const CLIENT_REQUEST: f64 = 10e-6;
/// What a request costs a server of which nothing is known, in seconds of CPU time.
const UNKNOWN_REQUEST: f64 = 100e-6;
/// Starting a server of which nothing is known: an interpreter with its modules, say.
const UNKNOWN_START: Duration = Duration::from_millis(300);

impl ServerSpec {
    /// Starting the server and ending it.
    pub(super) fn start(&self) -> Duration {
        match self {
            Self::Own(own) if own.model == HttpModel::Processes => PROCESS + CHILD_SETUP * own.workers,
            Self::Own(own) => PROCESS + THREAD_SETUP * own.workers,
            Self::Command(_) => UNKNOWN_START,
            Self::Running(_) => Duration::ZERO,
        }
    }
}

impl HttpWork {
    /// How long one run takes on this many CPUs.
    pub(super) fn estimate(&self, cores: u32) -> Duration {
        let requests = match self.load.pace {
            // Some answers are still out when the last request is sent, at most until the drain ends.
            PaceSpec::Open { duration, .. } => return duration,
            PaceSpec::Closed { requests } => requests as f64,
        };
        let cores = f64::from(cores);
        let connections = f64::from(self.load.connections).min(requests);
        let (io, cpu, computing) = match &self.server {
            ServerSpec::Own(own) => {
                let workers = if own.model == HttpModel::Threads { connections } else { f64::from(own.workers) };
                let locked = own.lock != Lock::None && own.model != HttpModel::Processes;
                let computing = if locked { 1.0 } else { workers.min(cores) };
                (own.io.as_secs_f64(), burn(own.cpu) + SERVER_REQUEST, computing)
            }
            // Nothing tells how many of its CPUs it uses.
            ServerSpec::Command(_) | ServerSpec::Running(_) => (0.0, UNKNOWN_REQUEST, 1.0),
        };
        // Whichever is the narrowest: each connection has one request out, the server's workers compute, and the client
        // wants its share of the same CPUs.
        let one_connection = (requests / connections).ceil() * (io + cpu + CLIENT_REQUEST);
        let server_busy = requests * cpu / computing;
        let all_busy = requests * (cpu + CLIENT_REQUEST) / cores;
        Duration::try_from_secs_f64(one_connection.max(server_busy).max(all_busy)).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Arrivals, HttpRequest, Listen};

    use super::super::super::plan::{CpuWork, LoadSpec, OwnServer, Rate};
    use super::*;

    fn work(model: HttpModel, workers: u32, lock: Lock, io_us: u64, cpu_us: u64, pace: PaceSpec) -> HttpWork {
        let server = ServerSpec::Own(OwnServer {
            model,
            workers,
            lock,
            switch_interval: None,
            listen: Listen::PerPort,
            io: Duration::from_micros(io_us),
            cpu: CpuWork::Time(Duration::from_micros(cpu_us)),
        });
        let request = HttpRequest { method: "GET".into(), path: "/".into(), headers: vec![], body: None };
        let load = LoadSpec {
            connections: 10,
            threads: 1,
            pace,
            requests: vec![request],
            timeout: Duration::from_secs(1),
            drain: Duration::from_secs(1),
            status: None,
            expect_body: None,
            worker_header: None,
        };
        HttpWork { server, load }
    }

    fn milliseconds(model: HttpModel, workers: u32, lock: Lock, io_us: u64, cpu_us: u64) -> u128 {
        let pace = PaceSpec::Closed { requests: 1000 };
        work(model, workers, lock, io_us, cpu_us, pace).estimate(4).as_millis()
    }

    #[test]
    fn a_closed_loop_takes_as_long_as_its_narrowest_part() {
        assert_eq!(milliseconds(HttpModel::Loops, 1, Lock::None, 10_000, 0), 1002, "100 waits on each connection");
        assert_eq!(milliseconds(HttpModel::Loops, 1, Lock::None, 0, 985), 1000, "one loop computes");
        assert_eq!(milliseconds(HttpModel::Loops, 2, Lock::None, 0, 985), 500, "two loops compute");
        assert_eq!(milliseconds(HttpModel::Loops, 8, Lock::None, 0, 985), 252, "four CPUs, also for the client");
        assert_eq!(milliseconds(HttpModel::Loops, 4, Lock::Gil, 0, 985), 1000, "a lock");
        assert_eq!(milliseconds(HttpModel::Processes, 2, Lock::Gil, 0, 985), 500, "a lock each");
        assert_eq!(milliseconds(HttpModel::Threads, 1, Lock::None, 0, 985), 252, "a thread a connection");
    }

    #[test]
    fn an_open_loop_takes_its_time() {
        let duration = Duration::from_secs(3);
        let pace = PaceSpec::Open { rate: Rate::OfCapacity(0.8), duration, arrivals: Arrivals::Poisson };
        assert_eq!(work(HttpModel::Loops, 1, Lock::None, 0, 5000, pace).estimate(4), duration);
    }
}
