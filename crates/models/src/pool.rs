//! A pool of threads that prepare, wait for each other, and start together: what `threads` and `loops` have in common.

use std::time::{Duration, Instant};

use anyhow::Result;
use protocol::Checksum;
use worker::start_together;

use crate::Outcome;

/// What one thread of a pool has done.
#[derive(Debug)]
pub struct Part {
    /// The sum of its tasks' last states.
    pub checksum: Checksum,
    /// How many tasks it did.
    pub done: u64,
    /// When the last of them ended.
    pub ended: Instant,
}

/// Starts `workers` threads. Each prepares by itself, which is part of the setup; then all are let go at once.
pub fn run<P>(
    workers: usize,
    prepare: impl Fn(usize) -> Result<P> + Sync,
    work: impl Fn(usize, P) -> Result<Part> + Sync,
) -> Result<Outcome> {
    let begun = Instant::now();
    let prepare = |worker| Ok((worker, prepare(worker)?));
    let (started, parts) = start_together(0..workers, prepare, |(worker, prepared)| work(worker, prepared))?;
    Ok(outcome(begun, started, &parts))
}

fn outcome(begun: Instant, started: Instant, parts: &[Part]) -> Outcome {
    let ended = parts.iter().map(|part| part.ended).max();
    Outcome {
        setup: started - begun,
        elapsed: ended.map_or(Duration::ZERO, |ended| ended.saturating_duration_since(started)),
        checksum: parts.iter().map(|part| part.checksum.0).collect(),
        by_worker: parts.iter().map(|part| part.done).collect(),
        children: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_added_up() {
        let part = |worker, ()| Ok(Part { checksum: Checksum(1), done: worker as u64, ended: Instant::now() });
        let outcome = run(3, |_| Ok(()), part).unwrap();
        assert_eq!((outcome.checksum, outcome.by_worker), (Checksum(3), vec![0, 1, 2]));
    }
}
