//! A job that was looked at and prepared: addresses, the bytes of every request, all right answers.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, ensure};
use protocol::{Expect, HttpRequest, LoadJob, Pace};

use crate::check::Check;
use crate::parser::is_token;
use crate::request::{Rendered, render};

/// Most requests of one run. It keeps a slip of the pen from running for years.
const MAX_REQUESTS: f64 = 1e10;
/// Shortest and longest time between two looks at what has timed out.
const SWEEP_NS: std::ops::RangeInclusive<u64> = 1_000_000..=50_000_000;

/// Everything that the client threads share and nobody changes.
#[derive(Debug)]
pub struct Plan {
    /// Where the connections go, in turn.
    pub targets: Vec<SocketAddr>,
    /// The requests, in turn, for each target.
    pub requests: Vec<Vec<Rendered>>,
    /// What answers are held against.
    pub check: Check,
    /// The response header that names the worker.
    pub worker_header: Option<String>,
    /// Connections in all.
    pub connections: usize,
    /// Client threads.
    pub threads: usize,
    /// When requests are sent.
    pub pace: Pace,
    /// How long a request may take.
    pub timeout_ns: u64,
    /// How long is waited after the last one.
    pub drain_ns: u64,
    /// How often is looked for what has timed out.
    pub sweep_ns: u64,
}

impl Plan {
    /// Looks at a job and prepares it.
    ///
    /// # Errors
    /// Something in the job cannot be done; the message names it.
    pub fn new(job: &LoadJob) -> Result<Self> {
        ensure!(!job.targets.is_empty(), "the job has no targets; name at least one address such as 127.0.0.1:8080");
        ensure!(!job.requests.is_empty(), "the job has no requests; give at least one");
        ensure!(job.connections >= 1, "the job has no connections; it needs at least 1");
        ensure!(
            (1..=job.connections).contains(&job.threads),
            "{} threads for {} connections; there must be at least 1 and at most as many as connections",
            job.threads,
            job.connections
        );
        ensure!(job.timeout_ns > 0, "timeout_ns is 0: no request would ever be answered in time");
        check_pace(&job.pace)?;
        if let Expect::Burn { workers, .. } = job.expect {
            ensure!((1..=256).contains(&workers), "{workers} workers; an answer's two digits tell 1 to 256 apart");
        }
        if let Some(name) = &job.worker_header {
            ensure!(is_token(name.as_bytes()), "worker_header {name:?} is not the name of a header field");
        }

        let targets = job.targets.iter().map(|target| address(target)).collect::<Result<Vec<_>>>()?;
        let requests = job.targets.iter().map(|target| render_all(&job.requests, target)).collect::<Result<_>>()?;
        Ok(Self {
            targets,
            requests,
            check: Check::new(&job.expect),
            worker_header: job.worker_header.clone(),
            connections: usize::try_from(job.connections).context("too many connections")?,
            threads: usize::try_from(job.threads).context("too many threads")?,
            pace: job.pace.clone(),
            timeout_ns: job.timeout_ns,
            drain_ns: job.drain_ns,
            sweep_ns: (job.timeout_ns / 16).clamp(*SWEEP_NS.start(), *SWEEP_NS.end()),
        })
    }
}

fn address(target: &str) -> Result<SocketAddr> {
    target.parse().with_context(|| {
        format!("{target:?} is not a target; write address and port, such as 127.0.0.1:8080 or [::1]:8080 (no names)")
    })
}

fn render_all(requests: &[HttpRequest], target: &str) -> Result<Vec<Rendered>> {
    let place = |index| format!("request {} of the job cannot be sent", index + 1);
    requests.iter().enumerate().map(|(index, request)| render(request, target).with_context(|| place(index))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a bound of a magnitude")]
fn check_pace(pace: &Pace) -> Result<()> {
    match *pace {
        Pace::Closed { requests } => {
            ensure!(requests >= 1, "a closed loop of 0 requests measures nothing; it needs at least 1");
        }
        Pace::Open { rate_per_s, duration_ns, .. } => {
            ensure!(
                rate_per_s.is_finite() && rate_per_s > 0.0,
                "a rate of {rate_per_s} requests a second; it must be a number above 0"
            );
            ensure!(duration_ns > 0, "an open loop of 0 seconds measures nothing");
            let requests = rate_per_s * duration_ns as f64 / 1e9;
            ensure!(
                requests <= MAX_REQUESTS,
                "{rate_per_s} requests a second for {} s are more than {MAX_REQUESTS:.0}; lower the rate or the duration",
                duration_ns / 1_000_000_000
            );
        }
    }
    Ok(())
}
