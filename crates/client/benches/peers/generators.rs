//! Load generators: one run of each, with what it cost.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use protocol::{Expect, HttpRequest, Job, LoadJob, Pace, Reply, Request, VERSION};

const CONNECTIONS: u32 = 64;
/// About two seconds.
const REQUESTS: u64 = 250_000;

/// What a run came to.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Requests a second.
    pub per_s: f64,
    /// CPU time of the generator's whole process a request.
    pub cpu_us: f64,
}

/// A load generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    Ours,
    Wrk,
    Oha,
}

impl Generator {
    /// Ours first: the others are compared with it.
    pub const ALL: [Self; 3] = [Self::Ours, Self::Wrk, Self::Oha];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Wrk => "wrk",
            Self::Oha => "oha",
        }
    }

    pub fn is_there(self) -> bool {
        self == Self::Ours || Command::new(self.name()).arg("--version").output().is_ok()
    }

    pub fn run(self, port: u16) -> Result<Load> {
        let before = children_ns()?;
        let (requests, per_s) = match self {
            Self::Ours => ours(port),
            Self::Wrk => wrk(port),
            Self::Oha => oha(port),
        }
        .with_context(|| format!("{} failed", self.name()))?;
        Ok(Load { per_s, cpu_us: (children_ns()? - before) as f64 / 1e3 / requests })
    }
}

/// CPU time of all child processes that have ended.
fn children_ns() -> Result<i64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(usage.user_time().num_nanoseconds() + usage.system_time().num_nanoseconds())
}

fn ours(port: u16) -> Result<(f64, f64)> {
    let job = Job::Load(LoadJob {
        targets: vec![format!("127.0.0.1:{port}")],
        connections: CONNECTIONS,
        threads: 1,
        pace: Pace::Closed { requests: REQUESTS },
        requests: vec![HttpRequest { method: "GET".into(), path: "/".into(), headers: vec![], body: None }],
        timeout_ns: 5_000_000_000,
        drain_ns: 1_000_000_000,
        expect: Expect::Status { status: Some(200), body: None },
        worker_header: None,
    });
    let lines = Request::Job { protocol: VERSION, job }.to_line() + &Request::Run { warmup: false }.to_line();
    let mut child = Command::new(env!("CARGO_BIN_EXE_client")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().context("it has a stdin")?.write_all(lines.as_bytes())?;
    let output = String::from_utf8(child.wait_with_output()?.stdout)?;
    let last = output.lines().last().context("it said nothing")?;
    let Reply::Load(sample) = Reply::from_line(last)? else { anyhow::bail!("it said {last}") };
    ensure!(sample.completed == REQUESTS, "{} of {REQUESTS} requests were answered", sample.completed);
    Ok((REQUESTS as f64, REQUESTS as f64 * 1e9 / sample.elapsed_ns as f64))
}

fn wrk(port: u16) -> Result<(f64, f64)> {
    let output = said(Command::new("wrk").args(["-t1", "-c64", "-d2s"]).arg(format!("http://127.0.0.1:{port}/")))?;
    // "  281234 requests in 2.00s, 40.00MB read", "Requests/sec: 140000.00"
    let requests = word_before(&output, " requests in ")?;
    let per_s = output.lines().find_map(|line| line.strip_prefix("Requests/sec:")).context("no rate")?;
    Ok((requests, per_s.trim().parse()?))
}

fn oha(port: u16) -> Result<(f64, f64)> {
    let mut command = Command::new("oha");
    command.args(["--no-tui", "-c", "64", "-n"]).arg(REQUESTS.to_string()).args(["--output-format", "json"]);
    let output = said(command.arg(format!("http://127.0.0.1:{port}/")))?;
    let json: serde_json::Value = serde_json::from_str(&output)?;
    Ok((REQUESTS as f64, json["summary"]["requestsPerSec"].as_f64().context("no rate")?))
}

fn said(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

fn word_before(text: &str, mark: &str) -> Result<f64> {
    let before = &text[..text.find(mark).context("no number of requests")?];
    Ok(before.split_whitespace().next_back().context("no number of requests")?.parse()?)
}
