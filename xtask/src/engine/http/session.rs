//! An HTTP cell: a server, and a load generator that is started when the server is ready and ended before it.

use std::time::Duration;

use protocol::{ErrorKind, Job, LoadSample, Pace, Ready, Reply};

use super::limits;
use super::server::Server;
use crate::engine::answer;
use crate::engine::conversation::{Break, Conversation, Limit};
use crate::engine::ending::Manner;
use crate::engine::failure::{Failure, FailureKind};
use crate::engine::launcher::{Halt, HttpDuty, Session};
use crate::engine::process::describe;
use crate::engine::spawn::WorkerCommand;
use crate::engine::starter::Starter;
use crate::matrix::plan::{BurnRate, HttpWork};
use crate::results::record::{HttpSample, Measured};

/// What an open loop may take besides its duration and its drain: opening connections, and the client's own work.
const OPEN_LOOP_MARGIN: Duration = Duration::from_secs(5);
/// A process that dies closes its connections first. So long after an error that may be the news of that, its death
/// is waited for.
const DEATH: Duration = Duration::from_millis(200);

/// A server and its client.
#[derive(Debug)]
pub struct HttpSession {
    server: Box<dyn Server>,
    client: Option<Conversation>,
    command: WorkerCommand,
    work: HttpWork,
    pace: Pace,
    rate: BurnRate,
    timeout: Duration,
    starter: Starter,
    warnings: Vec<String>,
}

impl HttpSession {
    /// A cell of which nothing runs yet.
    ///
    /// # Errors
    /// A limit of the system is too low for it.
    pub fn new(
        server: Box<dyn Server>,
        command: WorkerCommand,
        duty: &HttpDuty<'_>,
        timeout: Duration,
        starter: Starter,
    ) -> Result<Self, Failure> {
        Ok(Self {
            server,
            client: None,
            command,
            work: duty.work.clone(),
            pace: duty.pace.clone(),
            rate: duty.rate,
            timeout: run_limit(timeout, &duty.pace, duty.work.load.drain),
            starter,
            warnings: limits::check(duty.work)?,
        })
    }

    /// The halt of a client that got no further; `when` is what the server died in, if it did.
    fn halt(&mut self, stop: Break, when: &str) -> Halt {
        match stop {
            Break::Halt(halt) => halt,
            Break::Beside => self.server_died(when),
        }
    }

    /// The server ended by itself: the client is of no use any more.
    fn server_died(&mut self, when: &str) -> Halt {
        if let Some(client) = &mut self.client {
            client.end(Manner::Terminate);
        }
        let status = self.server.process().and_then(|process| process.status());
        let how = status.map_or_else(|| "ended".to_owned(), describe);
        self.server.fail(FailureKind::Died, format!("the server {how} {when}"))
    }

    /// Has the client put its load on the server.
    fn load(&mut self, warmup: bool) -> Result<LoadSample, Halt> {
        const UNDER_LOAD: &str = "while it was under load";
        let client = self.client.as_mut().expect("the client was started");
        let limit = Limit::run(self.timeout);
        let sample = match client.run(warmup, limit, self.server.process()) {
            Ok(Reply::Load(sample)) => *sample,
            Ok(other) => return Err(client.unexpected(limit.asked, &other)),
            Err(stop) => return Err(self.halt(stop, UNDER_LOAD)),
        };
        let cut = [ErrorKind::Reset, ErrorKind::Refused, ErrorKind::Short];
        let suspicious = cut.iter().any(|kind| sample.errors.contains_key(kind));
        if let Some(process) = self.server.process()
            && (if suspicious { process.exits_within(DEATH) } else { process.has_exited() })
        {
            return Err(self.server_died(UNDER_LOAD));
        }
        if let Err(failure) = answer::check_load(&sample) {
            // What the server wrote may tell why.
            if let Some(client) = &mut self.client {
                client.end(Manner::Ask);
            }
            return Err(self.server.fail(failure.kind, failure.reason));
        }
        Ok(sample)
    }
}

impl Session for HttpSession {
    fn prepare(&mut self) -> Result<Vec<Ready>, Halt> {
        let listening = self.server.start()?;
        let last = self.server.process().is_none();
        let client = self.starter.converse("the client", &self.command, last).map_err(Halt::Failed)?;
        let client = self.client.insert(client);
        let job = Job::Load(self.work.load_job(listening.targets, self.pace.clone(), self.rate));
        let ready = client.prepare(job, Limit::ready(self.starter.limits.ready), self.server.process());
        let ready = ready.map_err(|stop| self.halt(stop, "before the client was ready"))?;
        Ok(listening.ready.into_iter().chain([ready]).collect())
    }

    fn run(&mut self, warmup: bool) -> Result<Measured, Halt> {
        let time_wait = limits::time_wait();
        if self.warnings.is_empty() {
            self.warnings.extend(time_wait.and_then(limits::exhaustion));
        }
        self.server.begin(warmup)?;
        let load = self.load(warmup)?;
        let account = self.server.account(warmup)?;
        Ok(Measured::Http(Box::new(HttpSample {
            load,
            served: account.served,
            server_usage: account.usage,
            asked_rate_per_s: match self.pace {
                Pace::Open { rate_per_s, .. } => Some(rate_per_s),
                Pace::Closed { .. } => None,
            },
            time_wait,
        })))
    }

    fn close(mut self: Box<Self>) -> Vec<String> {
        let mut warnings = self.warnings;
        warnings.extend(self.client.as_mut().map(Conversation::close).unwrap_or_default());
        warnings.extend(self.server.close());
        warnings
    }
}

/// How long one run may take: what the matrix allows, or as long as an open loop lasts by its own account.
fn run_limit(timeout: Duration, pace: &Pace, drain: Duration) -> Duration {
    match pace {
        Pace::Closed { .. } => timeout,
        Pace::Open { duration_ns, .. } => {
            timeout.max(Duration::from_nanos(*duration_ns).saturating_add(drain).saturating_add(OPEN_LOOP_MARGIN))
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::Arrivals;

    use super::*;

    #[test]
    fn an_open_loop_has_the_time_that_it_needs() {
        let seconds = Duration::from_secs;
        let open = Pace::Open { rate_per_s: 1.0, duration_ns: 60_000_000_000, arrivals: Arrivals::Constant, seed: 1 };
        assert_eq!(run_limit(seconds(60), &open, seconds(10)), seconds(75));
        assert_eq!(run_limit(seconds(90), &open, seconds(10)), seconds(90));
        assert_eq!(run_limit(seconds(60), &Pace::Closed { requests: 1 }, seconds(10)), seconds(60));
    }
}
