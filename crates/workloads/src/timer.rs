//! Waiting exactly, on an event loop and on a thread.
//!
//! tokio's own timer counts in milliseconds and rounds up: a wait of 1 ms takes 2.1 ms. Here an event loop waits by a
//! `timerfd` and a thread by an absolute `clock_nanosleep`, both of which take 1.1 ms. What only Linux has stands in
//! `timer/linux.rs`; elsewhere `timer/portable.rs` takes what the standard library and tokio offer.

use std::{future::poll_fn, io, pin::pin, task::Poll, time::Duration};

#[cfg(target_os = "linux")]
#[path = "timer/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "timer/portable.rs"]
mod platform;

/// The timer of one event loop or runtime, shared by all its tasks.
#[derive(Debug)]
pub struct Timer(platform::Timer);

impl Timer {
    /// Switches on the drivers that a timer needs, in a runtime that is still to be built.
    pub fn enable(builder: &mut tokio::runtime::Builder) -> &mut tokio::runtime::Builder {
        platform::enable(builder)
    }

    /// Makes the timer of the runtime in whose context it is called.
    ///
    /// # Errors
    /// The process has no file descriptor left.
    ///
    /// # Panics
    /// Outside a runtime that was built with [`Timer::enable`].
    pub fn new() -> io::Result<Self> {
        platform::Timer::new().map(Self)
    }

    /// Waits, beginning with the first poll. A wait of 0 is over at once. A wait may be dropped before its end.
    pub fn wait(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.0.wait(duration)
    }

    /// Waits for `work`, but no longer than `limit`: then `work` is dropped, and there is no value.
    pub async fn within<T>(&self, limit: Duration, work: impl Future<Output = T> + Send) -> Option<T> {
        let mut work = pin!(work);
        let mut end = pin!(self.wait(limit));
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => end.as_mut().poll(context).map(|()| None),
        })
        .await
    }
}

/// Blocks the thread. A wait of 0 is over at once.
pub fn sleep(duration: Duration) {
    if !duration.is_zero() {
        platform::sleep(duration);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::runtime::{Builder, LocalOptions};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn on_both_runtimes(test: impl AsyncFn()) {
        let local = Timer::enable(&mut Builder::new_current_thread()).build_local(LocalOptions::default()).unwrap();
        local.block_on(test());
        let multi = Timer::enable(Builder::new_multi_thread().worker_threads(2)).build().unwrap();
        multi.block_on(test());
    }

    #[test]
    fn a_wait_takes_at_least_as_long_as_asked() {
        on_both_runtimes(async || {
            let timer = Timer::new().unwrap();
            for asked in [MS / 10, MS, 7 * MS] {
                let start = Instant::now();
                timer.wait(asked).await;
                assert!(start.elapsed() >= asked, "asked for {asked:?}, got {:?}", start.elapsed());
            }
        });
        let start = Instant::now();
        sleep(3 * MS);
        assert!(start.elapsed() >= 3 * MS);
    }

    #[test]
    fn waits_end_in_the_order_of_their_deadlines() {
        on_both_runtimes(async || {
            let timer = std::sync::Arc::new(Timer::new().unwrap());
            let (sender, order) = std::sync::mpsc::channel();
            let waits = [30, 10, 20].map(|ms| {
                let (timer, sender) = (std::sync::Arc::clone(&timer), sender.clone());
                tokio::spawn(async move {
                    timer.wait(ms * MS).await;
                    sender.send(ms).unwrap();
                })
            });
            for wait in waits {
                wait.await.unwrap();
            }
            assert_eq!(order.try_iter().collect::<Vec<_>>(), [10, 20, 30]);
        });
    }

    #[test]
    fn a_wait_of_nothing_is_over_at_the_first_poll() {
        on_both_runtimes(async || {
            let timer = Timer::new().unwrap();
            let mut wait = pin!(timer.wait(Duration::ZERO));
            poll_fn(|context| {
                assert_eq!(wait.as_mut().poll(context), Poll::Ready(()));
                Poll::Ready(())
            })
            .await;
        });
    }

    #[test]
    fn a_dropped_wait_does_not_disturb_the_others() {
        on_both_runtimes(async || {
            let timer = Timer::new().unwrap();
            let start = Instant::now();
            let mut early = Box::pin(timer.wait(MS));
            let mut late = Box::pin(timer.wait(10 * MS));
            poll_fn(|context| {
                assert!(early.as_mut().poll(context).is_pending());
                assert!(late.as_mut().poll(context).is_pending());
                Poll::Ready(())
            })
            .await;
            drop(early);
            late.await;
            assert!(start.elapsed() >= 10 * MS);
        });
    }

    #[test]
    fn work_that_takes_longer_than_its_limit_is_dropped() {
        on_both_runtimes(async || {
            let timer = Timer::new().unwrap();
            assert_eq!(timer.within(MS, std::future::pending::<()>()).await, None);
            assert_eq!(timer.within(Duration::from_secs(3600), timer.wait(MS)).await, Some(()));
        });
    }

    #[test]
    fn many_waits_share_one_timer() {
        on_both_runtimes(async || {
            let timer = std::sync::Arc::new(Timer::new().unwrap());
            let waits: Vec<_> = (0..2000_u32)
                .map(|index| {
                    let timer = std::sync::Arc::clone(&timer);
                    tokio::spawn(async move {
                        for _ in 0..3 {
                            timer.wait((1 + index % 7) * MS / 4).await;
                        }
                    })
                })
                .collect();
            for wait in waits {
                wait.await.unwrap();
            }
        });
    }
}
