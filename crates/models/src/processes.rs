//! `processes`: a fixed pool of child processes, each given a contiguous, even share of the tasks.
//!
//! A child is this same program, started again, to which this process speaks the worker protocol as the orchestrator
//! does: each child is a `sequential` worker with an interpreter lock of its own.
//!
//! `setup` is starting the children until all are ready; `elapsed` is from the first `run` line to the last sample.

use std::{
    os::fd::{AsFd, BorrowedFd},
    time::Instant,
};

use anyhow::{Context, Result, bail, ensure};
use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
};
use protocol::{BatchJob, Checksum, Job, Model, Reply, Sample};
use worker::Child;
use workloads::INPUTS_VARIABLE;

use crate::{Batch, Outcome};

pub fn run(batch: &Batch) -> Result<Outcome> {
    let begun = Instant::now();
    // Whatever fails below drops the children, which kills and reaps them.
    let mut children: Vec<Child> = Vec::new();
    for worker in 0..batch.workers {
        let mut child = start(batch, worker)?;
        child.give(Job::Batch(share(batch, worker)))?;
        children.push(child);
    }
    for child in &mut children {
        child.wait_until_ready()?;
    }
    let started = Instant::now();
    for child in &mut children {
        child.ask()?;
    }
    let samples = receive_samples(&mut children)?;
    let elapsed = started.elapsed();
    for child in children {
        child.end()?;
    }
    outcome(batch, samples).map(|parts| Outcome { setup: started - begun, elapsed, ..parts })
}

/// Starts one child, which reads the files that we have made for its tasks.
fn start(batch: &Batch, worker: usize) -> Result<Child> {
    let mut command = Child::program()?;
    if let Some(inputs) = batch.operation.inputs() {
        command.env(INPUTS_VARIABLE, inputs);
    }
    Child::start(command, worker, batch.workers)
}

/// The job of one child.
fn share(batch: &Batch, worker: usize) -> BatchJob {
    let indices = batch.share(worker);
    BatchJob {
        model: Model::Sequential,
        workers: 1,
        first_task: indices.start,
        tasks: indices.end - indices.start,
        ..batch.job.clone()
    }
}

/// Reads one sample of every child, in whatever order they come, so that a child that dies is noticed at once.
fn receive_samples(children: &mut [Child]) -> Result<Vec<Sample>> {
    let mut samples: Vec<Option<Sample>> = children.iter().map(|_| None).collect();
    loop {
        let waiting: Vec<usize> = (0..children.len()).filter(|&index| samples[index].is_none()).collect();
        if waiting.is_empty() {
            return Ok(samples.into_iter().flatten().collect());
        }
        let outputs = waiting.iter().map(|&index| children[index].output()).collect::<Vec<_>>();
        let readable = wait_until_readable(&outputs)?;
        for index in waiting.into_iter().zip(readable).filter_map(|(index, readable)| readable.then_some(index)) {
            let child = &mut children[index];
            samples[index] = match child.receive()? {
                Reply::Sample(sample) => Some(sample),
                reply => bail!("{child} failed: {}", reply.why_not()),
            };
        }
    }
}

/// Waits until at least one of the outputs can be read or has ended, and tells which.
fn wait_until_readable(outputs: &[BorrowedFd]) -> Result<Vec<bool>> {
    let mut polled: Vec<PollFd> = outputs.iter().map(|output| PollFd::new(output.as_fd(), PollFlags::POLLIN)).collect();
    while let Err(error) = poll(&mut polled, PollTimeout::NONE) {
        if error != Errno::EINTR {
            return Err(error).context("cannot wait for the output of child processes");
        }
    }
    // A closed pipe shows as hung up; reading it then says that the child has ended.
    Ok(polled.iter().map(|output| output.any().unwrap_or(true)).collect())
}

fn outcome(batch: &Batch, samples: Vec<Sample>) -> Result<Outcome> {
    let mut checksum = Checksum::default();
    let mut by_worker = Vec::new();
    let mut usages = Vec::new();
    for (worker, sample) in samples.into_iter().enumerate() {
        let indices = batch.share(worker);
        ensure!(
            sample.tasks == indices.end - indices.start,
            "child process {worker} did {} tasks, but was given {}",
            sample.tasks,
            indices.end - indices.start
        );
        let part: Checksum = sample
            .checksum
            .parse()
            .with_context(|| format!("child process {worker} sent {:?} for a checksum", sample.checksum))?;
        checksum.add(part.0);
        by_worker.push(sample.tasks);
        usages.push(sample.usage.unwrap_or_default());
    }
    let children = usages.into_iter().reduce(std::ops::Add::add);
    Ok(Outcome { setup: Default::default(), elapsed: Default::default(), checksum, by_worker, children })
}
