//! A mail server that takes every mail and keeps none: what `smtp-send` talks to.
//!
//! It speaks the worker protocol on stdin and stdout (`docs/protocol.md`, a job of kind `mail`).

mod conversation;
mod sink;

use std::process::ExitCode;

use anyhow::Result;
use protocol::Job;
use worker::{Answer, Handler, Identity, Prepared, Refusal};

use sink::Sink;

fn main() -> ExitCode {
    let identity = Identity { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };
    worker::main(&identity, &MailSink)
}

struct MailSink;

impl Handler for MailSink {
    fn prepare(&self, job: Job) -> Result<Box<dyn Prepared>, Refusal> {
        let Job::Mail(job) = job else {
            return Err(Refusal::Unsupported("mail-sink does mail jobs only".to_owned()));
        };
        Ok(Box::new(Sink::open(std::time::Duration::from_nanos(job.delay_ns))?))
    }
}

impl Prepared for Sink {
    fn ports(&self) -> Vec<u16> {
        vec![self.port()]
    }

    fn run(&mut self, _warmup: bool) -> Result<Answer> {
        Ok(Answer::Served(self.served()))
    }
}
