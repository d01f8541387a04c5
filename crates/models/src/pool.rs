//! A pool of threads that prepare, wait for each other, and start together: what `threads` and `loops` have in common.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use protocol::Checksum;
use worker::caught;

use crate::{Outcome, gate::Gate};

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
    let gate = Gate::new(workers);
    let (prepare, work, gate) = (&prepare, &work, &gate);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for worker in 0..workers {
            // If the thread is refused, its ticket is dropped with it, and those that wait already go home.
            let ticket = gate.ticket();
            let thread = thread::Builder::new()
                .name(format!("worker-{worker}"))
                .spawn_scoped(scope, move || {
                    caught(|| {
                        let prepared = prepare(worker)?;
                        if ticket.wait() { work(worker, prepared).map(Some) } else { Ok(None) }
                    })
                })
                .with_context(|| format!("cannot start thread {} of {workers}", worker + 1))?;
            threads.push(thread);
        }
        // All are joined before an error is returned, and the first error counts.
        let parts: Vec<Result<Option<Part>>> =
            threads.into_iter().map(|thread| thread.join().expect("panics are caught inside")).collect();
        let parts: Vec<Option<Part>> = parts.into_iter().collect::<Result<_>>()?;
        let parts: Option<Vec<Part>> = parts.into_iter().collect();
        let (started, parts) = gate.opened().zip(parts).context("the threads of the pool never started together")?;
        Ok(outcome(begun, started, &parts))
    })
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use anyhow::bail;

    use super::*;

    fn nothing() -> Part {
        Part { checksum: Checksum(1), done: 2, ended: Instant::now() }
    }

    #[test]
    fn the_parts_are_added_up() {
        let outcome = run(3, |_| Ok(()), |_, ()| Ok(nothing())).unwrap();
        assert_eq!((outcome.checksum, outcome.by_worker), (Checksum(3), vec![2, 2, 2]));
    }

    #[test]
    fn no_thread_works_if_one_could_not_prepare() {
        let prepared = AtomicUsize::new(0);
        let error = run(
            4,
            |_| if prepared.fetch_add(1, Ordering::Relaxed) == 2 { bail!("no descriptors left") } else { Ok(()) },
            |_, ()| panic!("should not start"),
        );
        assert_eq!(error.unwrap_err().to_string(), "no descriptors left");
    }

    #[test]
    fn a_panic_at_any_point_is_an_error_and_not_a_hang() {
        let error = run(2, |_| panic!("while preparing"), |_, ()| Ok(nothing())).unwrap_err();
        assert_eq!(error.to_string(), "panicked: while preparing");
        let error = run(2, |_| Ok(()), |worker, ()| if worker == 1 { panic!("at work") } else { Ok(nothing()) });
        assert_eq!(error.unwrap_err().to_string(), "panicked: at work");
    }
}
