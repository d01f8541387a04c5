//! How long a wait takes that was asked to take 0.1, 1, 10 or 100 ms.
//!
//! `cargo bench -p workloads --bench waits`. A thread waits by `clock_nanosleep`, an event loop by `timerfd`, and beside
//! them by tokio's own timer, which counts in milliseconds. One wait at a time; the three take turns.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use tokio::runtime::{Builder, LocalOptions};
use workloads::{Timer, sleep};

/// What is asked for, and how often.
const ASKED: [(Duration, usize); 4] = [
    (Duration::from_micros(100), 2000),
    (Duration::from_millis(1), 1000),
    (Duration::from_millis(10), 200),
    (Duration::from_millis(100), 30),
];

fn main() {
    worker::wait_exactly();
    let runtime =
        Timer::enable(Builder::new_current_thread().enable_time()).build_local(LocalOptions::default()).unwrap();
    let timer = {
        let _context = runtime.enter();
        Timer::new().unwrap()
    };
    println!("asked against got, ms; medians and 99th percentiles of waits that take turns\n");
    println!("{:>7} {:>6}  {:>20}  {:>20}  {:>20}", "", "", "thread", "event loop", "tokio's own timer");
    println!(
        "{:>7} {:>6}  {:>10}{:>10}  {:>10}{:>10}  {:>10}{:>10}",
        "asked", "waits", "p50", "p99", "p50", "p99", "p50", "p99"
    );
    for (asked, count) in ASKED {
        let (mut thread, mut event_loop, mut tokio) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            thread.push(timed(|| sleep(asked)));
            event_loop.push(timed(|| runtime.block_on(timer.wait(asked))));
            tokio.push(timed(|| runtime.block_on(async { tokio::time::sleep(asked).await })));
        }
        let figures = [thread, event_loop, tokio].map(|mut got| {
            got.sort_unstable();
            let at = |percent: usize| milliseconds(got[(got.len() - 1) * percent / 100]);
            format!("  {:>10.3}{:>10.3}", at(50), at(99))
        });
        println!("{:>7.1} {count:>6}{}", milliseconds(asked), figures.concat());
    }
}

fn timed(wait: impl FnOnce()) -> Duration {
    let start = Instant::now();
    wait();
    start.elapsed()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
