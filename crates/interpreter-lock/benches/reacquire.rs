//! How long a thread that waited for I/O takes to get the lock back beside a CPU-bound thread.
//!
//! The I/O thread gives the lock up, sleeps for 1 ms and takes it again; the time of the taking is measured. The other
//! thread holds the lock and computes, with a safepoint after each block. Expected: the switch interval of a GIL, the
//! quantum of a GVL, and next to nothing without a lock.
//!
//! `cargo bench -p interpreter-lock --bench reacquire` (about 20 seconds; two CPUs should be free).
#![allow(clippy::print_stdout)]

use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use interpreter_lock::{GIL_SWITCH_INTERVAL, GVL_QUANTUM, InterpreterLock};

mod lcg;

const IO: Duration = Duration::from_millis(1);

/// The blocks of one look at the stop flag.
const BLOCKS: u32 = 64;

fn main() {
    println!("lock           waits      p50 ms      p99 ms      max ms");
    row("none", &InterpreterLock::none(), 1_000);
    row("gil 1 ms", &InterpreterLock::gil(Duration::from_millis(1)), 1_000);
    row("gil 5 ms", &InterpreterLock::gil(GIL_SWITCH_INTERVAL), 1_000);
    row("gvl 100 ms", &InterpreterLock::gvl(GVL_QUANTUM), 100);
}

fn row(name: &str, lock: &InterpreterLock, waits: usize) {
    let mut times = reacquire_times(lock, waits);
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let percentile = |p: usize| ms(times[(times.len() * p).div_ceil(100) - 1]);
    println!(
        "{name:<12} {waits:>7} {:>11.3} {:>11.3} {:>11.3}",
        percentile(50),
        percentile(99),
        ms(times[times.len() - 1])
    );
}

fn reacquire_times(lock: &InterpreterLock, waits: usize) -> Vec<Duration> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = lock.hold();
            let mut value = 1;
            while !stop.load(Ordering::Relaxed) {
                value = lcg::run(value, BLOCKS, || lock.safepoint());
            }
            black_box(value);
        });
        let times = {
            let _held = lock.hold();
            let wait_for_io = || {
                lock.release();
                thread::sleep(IO);
                let start = Instant::now();
                lock.acquire();
                start.elapsed()
            };
            // The first wait may find the other thread not started yet.
            wait_for_io();
            (0..waits).map(|_| wait_for_io()).collect()
        };
        stop.store(true, Ordering::Relaxed);
        times
    })
}
