//! Threads that prepare, wait for each other, and start together.

use std::{thread, time::Instant};

use anyhow::{Context, Result};

use crate::{caught, gate::Gate};

/// Starts a thread for each of `items`. Each prepares by itself; then all are let go at once, and each works. Returns when they
/// were let go, and what each came to.
///
/// # Errors
/// The first that happened on a thread, as an error or as a panic; or the system refuses a thread. Whatever it is, no thread
/// waits for one that cannot come, and all have ended.
pub fn start_together<I: Send, P, T: Send>(
    items: impl ExactSizeIterator<Item = I>,
    prepare: impl Fn(I) -> Result<P> + Sync,
    work: impl Fn(P) -> Result<T> + Sync,
) -> Result<(Instant, Vec<T>)> {
    let count = items.len();
    let gate = Gate::new(count);
    let (prepare, work, gate) = (&prepare, &work, &gate);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, item) in items.enumerate() {
            // If the thread is refused, its ticket is dropped with it, and those that wait already go home.
            let ticket = gate.ticket();
            let thread = thread::Builder::new()
                .name(format!("worker-{number}"))
                .spawn_scoped(scope, move || {
                    caught(|| {
                        let prepared = prepare(item)?;
                        if ticket.wait() { work(prepared).map(Some) } else { Ok(None) }
                    })
                })
                .with_context(|| format!("cannot start thread {} of {count}", number + 1))?;
            threads.push(thread);
        }
        // All are joined before an error is returned, and the first error counts.
        let results: Vec<Result<Option<T>>> =
            threads.into_iter().map(|thread| thread.join().expect("panics are caught inside")).collect();
        let results: Vec<Option<T>> = results.into_iter().collect::<Result<_>>()?;
        let results: Option<Vec<T>> = results.into_iter().collect();
        gate.opened().zip(results).context("the threads of the pool never started together")
    })
}

/// Finds out whether the system lets this process have so many threads at once, by starting them.
///
/// To be called before a runtime of tokio starts them: where it is refused one, it panics with the others asleep and then waits
/// for them for ever, or it goes on with fewer and does not tell.
///
/// # Errors
/// The system refuses one.
pub fn rehearse(threads: usize) -> Result<()> {
    start_together(0..threads, Ok, Ok).map(drop)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use anyhow::bail;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let (_, results) = start_together([3, 1, 2].into_iter(), Ok, |item| Ok(item * 10)).unwrap();
        assert_eq!(results, [30, 10, 20]);
    }

    #[test]
    fn no_thread_works_before_all_have_prepared() {
        let prepared = AtomicUsize::new(0);
        let prepare = |_| {
            prepared.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        let (_, seen) = start_together(0..4, prepare, |()| Ok(prepared.load(Ordering::SeqCst))).unwrap();
        assert_eq!(seen, [4, 4, 4, 4]);
    }

    #[test]
    fn no_thread_works_if_one_could_not_prepare() {
        let prepare = |item| if item == 2 { bail!("no descriptors left") } else { Ok(()) };
        let error = start_together(0..4, prepare, |()| -> Result<()> { panic!("should not start") });
        assert_eq!(error.unwrap_err().to_string(), "no descriptors left");
    }

    #[test]
    fn a_panic_at_any_point_is_an_error_and_not_a_hang() {
        let error = start_together(0..2, |item| if item == 1 { panic!("while preparing") } else { Ok(()) }, Ok);
        assert_eq!(error.unwrap_err().to_string(), "panicked: while preparing");
        let error = start_together(0..2, Ok, |item| if item == 1 { panic!("at work") } else { Ok(()) });
        assert_eq!(error.unwrap_err().to_string(), "panicked: at work");
    }
}
