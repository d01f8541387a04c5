//! The worker protocol's conversation. Local: the crate `worker` will hold it for all workers, and this file goes then.

use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use client::Client;
use protocol::{Job, LoadSample, Ready, Reply, Request, VERSION};

use crate::usage::Meter;

/// Answers line after line until stdin ends.
pub fn hold() -> ExitCode {
    let mut client = None;
    for line in io::stdin().lock().lines() {
        let reply = line.context("cannot read from stdin").and_then(|line| answer(&line, &mut client));
        let reply = reply.unwrap_or_else(|error| Reply::Error { message: format!("{error:#}") });
        let mut stdout = io::stdout().lock();
        if stdout.write_all(reply.to_line().as_bytes()).and_then(|()| stdout.flush()).is_err() {
            // Nobody reads any more.
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn answer(line: &str, client: &mut Option<Client>) -> Result<Reply> {
    match Request::from_line(line)? {
        Request::Job { protocol, .. } if protocol != VERSION => {
            bail!("the job speaks protocol {protocol}, this client {VERSION}; build both from one commit")
        }
        Request::Job { job: Job::Load(job), .. } => {
            *client = Some(Client::new(&job)?);
            Ok(Reply::Ready(Ready {
                protocol: VERSION,
                worker: concat!("client ", env!("CARGO_PKG_VERSION")).into(),
                runtime: "rust".into(),
                facts: std::collections::BTreeMap::new(),
                ports: Vec::new(),
            }))
        }
        Request::Job { .. } => Ok(Reply::Unsupported { message: "the client does jobs of kind \"load\" only".into() }),
        Request::Run { .. } => {
            let client = client.as_mut().context("a run before a job; send the job first")?;
            let meter = Meter::start()?;
            let sample = client.run()?;
            Ok(Reply::Load(Box::new(LoadSample { usage: Some(meter.stop()?), ..sample })))
        }
    }
}
