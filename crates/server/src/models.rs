//! The models: who waits and who burns.

mod burner;
mod deal;
mod loops;
mod offload;
mod offload_rayon;
pub mod processes;
pub mod threads;
mod work_stealing;

use anyhow::{Context, Result};
use protocol::{HttpModel, Listen, ServeJob};
use worker::Refusal;

use crate::{
    listen,
    served::{InProcess, Running},
    source::Source,
};

/// Starts the server of a job.
///
/// # Errors
/// The model and the way to listen do not go together, or the system has no port, thread or process left.
pub fn start(job: &ServeJob) -> Result<Box<dyn Running>, Refusal> {
    Ok(match job.model {
        HttpModel::Loops => Box::new(loops::start(job)?),
        HttpModel::WorkStealing => Box::new(work_stealing::start(job)?),
        HttpModel::Offload => Box::new(offload::start(job)?),
        HttpModel::OffloadRayon => Box::new(offload_rayon::start(job)?),
        HttpModel::Threads => Box::new(threads::start(job)?),
        HttpModel::Processes => Box::new(processes::start(job)?),
    })
}

/// The socket of a model in which one acceptor takes all connections, and a server that listens on it. `acceptors` is how
/// many count connections.
fn one_acceptor(job: &ServeJob, acceptors: usize) -> Result<(Source, InProcess), Refusal> {
    match job.listen {
        Listen::PerPort | Listen::Shared => {}
        Listen::ReusePort | Listen::HandOff => {
            return Err(Refusal::Unsupported(format!(
                "model {} has one acceptor, whose connections every worker serves, so there is nobody to spread them \
                 over by {}: choose per-port or shared, which both give it one port",
                job.model, job.listen
            )));
        }
    }
    let mut sockets = listen::open(Listen::Shared, 1)?;
    let listener = sockets.listeners.pop().context("no socket was made")?;
    Ok((Source::Listener(listener), InProcess::new(sockets.ports, job.workers as usize, acceptors)))
}
